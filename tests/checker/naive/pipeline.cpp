#include "pipeline.h"

#include <algorithm>
#include <tuple>

#include "pipeline_shape.h"

namespace gridcast::naive {
namespace {

/// An edge on its way: in the order in which edges enter their networks.
struct Sent {
  double ready = 0;
  int from = 0;
  std::size_t line = 0;
  long portion = 0;
  int to = 0;
  bool operator<(const Sent& other) const {
    return std::tie(ready, from, portion, line) <
           std::tie(other.ready, other.from, other.portion, other.line);
  }
};

struct Arrived {
  double ready = 0, arrival = 0;
  double receive = 0;  ///< what receiving it takes
};

/// One processor of the pipeline.
struct Worker {
  double clock = 0;
  double waiting = 0, overlap = 0;
  long next = 0;                                     ///< portion
  std::vector<std::pair<double, double>> computing;  ///< periods
  std::map<long, std::vector<Arrived>> arrived;      ///< per portion
  std::size_t predecessors = 0;
};

class Pipeline {
public:
  Pipeline(Machine& machine, const Loop& loop, const PipelineShape& shape, double call_time,
           const System& system)
      : machine_(machine), loop_(loop), shape_(shape), call_time_(call_time), system_(system) {}

  std::vector<PipelineTimes> run(std::vector<long> portion_extents, const Clocks& clocks) {
    cut(std::move(portion_extents));
    for (int p = 0; p < machine_.processors(); ++p) {
      Worker& worker = workers_[p];
      worker.clock = clocks[static_cast<std::size_t>(p)];
      for (const Line& line : shape_.lines) {
        worker.predecessors += neighbour(p, line, -1) >= 0 ? 1 : 0;
      }
    }
    for (int p = 0; p < machine_.processors(); ++p) {
      advance(p);
    }
    while (!edges_.empty()) {
      const Sent sent = take_next();
      const double arrival = carry_edge(sent);
      workers_[sent.to].arrived[sent.portion].push_back(
          {sent.ready, arrival, between(sent.from, sent.to).receive});
      advance(sent.to);
    }
    std::vector<PipelineTimes> times;
    for (int p = 0; p < machine_.processors(); ++p) {
      times.push_back({workers_[p].waiting, workers_[p].overlap, workers_[p].clock});
    }
    return times;
  }

  /// Receives the edges of a portion, computes it, sends its edges.
  void write_down(FreeRun& free, std::vector<long> portion_extents) {
    cut(std::move(portion_extents));
    for (long number = 0; number < static_cast<long>(portions_.size()); ++number) {
      std::map<std::pair<int, std::size_t>, int> edges;  // by receiver and line
      std::vector<std::vector<int>> sends(machine_.performance.size());
      for (int p = 0; p < machine_.processors(); ++p) {
        for (std::size_t l = 0; l < shape_.lines.size(); ++l) {
          const int q = block(p).empty() ? -1 : neighbour(p, shape_.lines[l], 1);
          if (q >= 0) {
            const double bytes = edge(shape_.lines[l], portion_of(p, number), true);
            edges[{q, l}] = free.message(p, q, bytes);
            sends[static_cast<std::size_t>(p)].push_back(edges[{q, l}]);
          }
        }
      }
      for (int p = 0; p < machine_.processors(); ++p) {
        if (block(p).empty()) {
          continue;
        }
        for (std::size_t l = 0; l < shape_.lines.size(); ++l) {
          if (edges.contains({p, l})) {
            free.blocking_receive(free.program, edges[{p, l}]);
          }
        }
        free.spend(free.program, p, machine_.portion);
        free.spend(free.program, p, portion_time(p, number));
        for (const int m : sends[static_cast<std::size_t>(p)]) {
          free.blocking_send(free.program, m);
        }
      }
    }
  }

private:
  /// Seconds that a processor computes a portion.
  double portion_time(int p, long number) const {
    double iterations = 1.0;
    for (const long extent : portion_of(p, number)) {
      iterations *= static_cast<double>(extent);
    }
    return call_time_ / machine_.performance[static_cast<std::size_t>(p)] * iterations /
           static_cast<double>(shape_.iterations.size());
  }

  /// Extents of every portion along the quantised dimensions, outermost slowest.
  void cut(std::vector<long> of_portion) {
    Index counts;
    std::vector<long> whole;
    for (std::size_t k = 0; k < shape_.quantised.size(); ++k) {
      whole.push_back(static_cast<long>(loop_.values[shape_.quantised[k]].size()));
      counts.push_back((whole[k] + of_portion[k] - 1) / of_portion[k]);
    }
    for (const Index& number : indices(counts)) {
      std::vector<long> extents;
      for (std::size_t k = 0; k < whole.size(); ++k) {
        extents.push_back(std::min(of_portion[k], whole[k] - number[k] * of_portion[k]));
      }
      portions_.push_back(extents);
    }
  }

  int neighbour(int p, const Line& line, int step) const {
    for (int m = 0; m < system_.size(); ++m) {
      if (system_.members[static_cast<std::size_t>(m)] == p && !block(p).empty()) {
        Index at = system_.coordinates(m);
        at[line.j] += step * line.towards;
        const int other = system_.position(at);
        const int q = other < 0 ? -1 : system_.members[static_cast<std::size_t>(other)];
        return q < 0 || block(q).empty() ? -1 : q;
      }
    }
    return -1;
  }

  const std::vector<long>& block(int p) const { return shape_.blocks[static_cast<std::size_t>(p)]; }

  std::vector<long> portion_of(int p, long number) const {
    std::vector<long> extents = block(p);
    for (std::size_t k = 0; k < shape_.quantised.size(); ++k) {
      extents[shape_.quantised[k]] = portions_[static_cast<std::size_t>(number)][k];
    }
    return extents;
  }

  void advance(int p) {
    Worker& worker = workers_[p];
    const auto count = static_cast<long>(portions_.size());
    while (!block(p).empty() && worker.next < count &&
           worker.arrived[worker.next].size() == worker.predecessors) {
      const long number = worker.next++;
      double begin = worker.clock;
      std::vector<Arrived>& edges = worker.arrived[number];
      std::stable_sort(edges.begin(), edges.end(),
                       [](const Arrived& a, const Arrived& b) { return a.arrival < b.arrival; });
      double longest = 0.0;
      double overlap = 0.0;
      for (const auto& [ready, arrival, receive] : edges) {
        begin = std::max(begin, arrival) + receive;
        const double hidden = computed_between(worker, ready, arrival);
        if (arrival - ready > longest + 1e-12 * arrival) {
          overlap = hidden;  // of equally long ones the first counts
        }
        longest = std::max(longest, arrival - ready);
      }
      begin += machine_.portion;
      worker.overlap += overlap;
      worker.waiting += begin - worker.clock;
      worker.clock = begin + portion_time(p, number);
      worker.computing.emplace_back(begin, worker.clock);
      for (std::size_t l = 0; l < shape_.lines.size(); ++l) {
        const int q = neighbour(p, shape_.lines[l], 1);
        if (q >= 0) {
          const double send = between(p, q).send;
          worker.clock += send;
          worker.waiting += send;
          edges_.insert({worker.clock, p, l, number, q});
        }
      }
    }
  }

  Network& between(int p, int q) { return machine_.networks[machine_.between(p, q)]; }

  static double computed_between(const Worker& worker, double from, double to) {
    double sum = 0.0;
    for (const auto& [begin, end] : worker.computing) {
      sum += std::max(0.0, std::min(end, to) - std::max(begin, from));
    }
    return sum;
  }

  /// The edge that enters its network next; ready at the same time up to rounding is a tie.
  Sent take_next() {
    const double until = edges_.begin()->ready * (1.0 + 1e-12);
    auto next = edges_.begin();
    for (auto edge = next; edge != edges_.end() && edge->ready <= until; ++edge) {
      if (std::tie(edge->from, edge->portion, edge->line) <
          std::tie(next->from, next->portion, next->line)) {
        next = edge;
      }
    }
    const Sent sent = *next;
    edges_.erase(next);
    return sent;
  }

  double carry_edge(const Sent& sent) {
    const double bytes = edge(shape_.lines[sent.line], portion_of(sent.from, sent.portion), true);
    Network& network = between(sent.from, sent.to);
    if (network.kind == Kind::ports) {
      std::vector<PortMessage> one{{sent.from, sent.to, bytes, sent.ready}};
      pass_ports(machine_, one);
      return one.front().arrived;
    }
    if (network.kind == Kind::channels) {
      return take_channel(network, sent.ready, network.start(bytes) + bytes * network.byte(bytes));
    }
    double& free_from = pairs_[{sent.from, sent.to}];
    const double begin = std::max(free_from, sent.ready);
    free_from = begin + transputer_time(network.start(bytes), network.byte(bytes),
                                        machine_.distance(sent.from, sent.to), bytes);
    return free_from;
  }

  Machine& machine_;
  const Loop& loop_;
  const PipelineShape& shape_;
  double call_time_;
  const System& system_;
  std::map<int, Worker> workers_;
  std::vector<std::vector<long>> portions_;
  std::set<Sent> edges_;
  std::map<std::pair<int, int>, double> pairs_;
};

}  // namespace

std::optional<std::vector<PipelineTimes>> run_pipeline(Machine& machine, const Loop& loop,
                                                       const std::vector<Edges>& new_values,
                                                       double call_time, const System& current,
                                                       const Clocks& clocks, FreeRun* free) {
  const PipelineShape shape = shape_of(loop, new_values, current);
  const bool any = std::any_of(shape.executes.begin(), shape.executes.end(),
                               [](Holders set) { return set != 0; });
  if (shape.lines.empty() || !any) {
    return std::nullopt;
  }
  const System& system = loop.placed.over->system;
  long left = 1;
  if (!shape.quantised.empty()) {
    left = quanta(machine, shape, call_time, system);
  }
  std::vector<long> portion;
  for (const std::size_t d : shape.quantised) {
    const auto extent = static_cast<long>(loop.values[d].size());
    const long own = std::min(left, extent);
    left = std::max(1L, left / own);
    portion.push_back((extent + own - 1) / own);
  }
  Pipeline pipeline(machine, loop, shape, call_time, system);
  if (free != nullptr) {
    pipeline.write_down(*free, portion);
    return std::vector<PipelineTimes>();
  }
  return pipeline.run(portion, clocks);
}

}  // namespace gridcast::naive
