#include "pipeline.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>

namespace gridcast::naive {
namespace {

/// A loop dimension along which processors wait for each other.
struct Line {
  std::size_t j = 0;    ///< dimension of the system
  std::size_t dim = 0;  ///< of the loop
  int towards = 1;      ///< direction along j
  /// Per array with a dependence: width and element size.
  std::vector<std::pair<long, double>> widths;
};

/// What the loop is made of.
struct Shape {
  std::vector<Line> lines;
  std::vector<std::size_t> quantised;  ///< loop dimensions, outermost first
  std::vector<std::size_t> parallel;   ///< split, no dependence
  std::vector<Index> iterations;
  std::vector<Holders> executes;
  std::vector<std::vector<long>> blocks;  ///< per processor: extents; empty: no iterations
};

long width_towards(const Edges& edges, const Position& position, std::size_t dim, int towards) {
  const bool forward = (towards > 0) == (position.a > 0);
  if (forward) {
    return edges.low[dim];
  }
  return edges.high[dim] > 0 ? edges.high[dim] : edges.low[dim];
}

std::vector<std::pair<long, double>> widths_along(const std::vector<Edges>& group, const Loop& loop,
                                                  std::size_t j) {
  std::vector<std::pair<long, double>> widths;
  const int towards = direction(loop, j);
  for (const Edges& edges : group) {
    const int dim = split_dimension(edges.array->placed, j);
    if (dim < 0 || !run_along(loop, edges)) {
      continue;
    }
    const Template& over = *edges.array->placed.over;
    const Position& position =
        edges.array->placed.positions[static_cast<std::size_t>(over.axes[j])];
    const long width = width_towards(edges, position, static_cast<std::size_t>(dim), towards);
    if (width > 0) {
      widths.emplace_back(width, edges.array->element_size);
    }
  }
  return widths;
}

Shape shape_of(const Loop& loop, const std::vector<Edges>& group, const System& current) {
  Shape shape;
  std::vector<bool> split(loop.values.size(), false);
  const std::size_t dimensions =
      loop.placed.over && loop.placed.over->distributed ? loop.placed.over->axes.size() : 0;
  for (std::size_t j = 0; j < dimensions; ++j) {
    const int dim = split_dimension(loop.placed, j);
    if (dim < 0) {
      continue;
    }
    const auto along = static_cast<std::size_t>(dim);
    split[along] = true;
    Line line{j, along, direction(loop, j), {}};
    line.widths = widths_along(group, loop, j);
    if (line.widths.empty()) {
      shape.parallel.push_back(along);
    } else {
      shape.lines.push_back(line);
    }
  }
  for (std::size_t d = 0; d < split.size(); ++d) {
    if (!split[d]) {
      shape.quantised.push_back(d);
    }
  }
  shape.iterations = loop.iterations();
  for (const Index& iteration : shape.iterations) {
    shape.executes.push_back(holders(loop.placed, iteration, current) & current.all());
  }
  shape.blocks.resize(64);
  for (const int p : current.members) {
    std::vector<long> block;
    for (std::size_t d = 0; d < loop.values.size(); ++d) {
      block.push_back(extent_held(shape.iterations, shape.executes, p, d));
    }
    if (!block.empty() && block.front() > 0) {
      shape.blocks[static_cast<std::size_t>(p)] = block;
    }
  }
  return shape;
}

/// Elements or bytes of the edge of a portion along a line.
double edge(const Line& line, const std::vector<long>& portion, bool in_bytes) {
  double sum = 0.0;
  for (const auto& [width, size] : line.widths) {
    double product = in_bytes ? size : 1.0;
    for (std::size_t d = 0; d < portion.size(); ++d) {
      product *= static_cast<double>(d == line.dim ? std::min(width, portion[d]) : portion[d]);
    }
    sum += product;
  }
  return sum;
}

/// The numbers of MODEL.md §6 that the formulas take.
struct Numbers {
  double m = 1, n = 1, p = 1, tc = 0, w = 0, tm = 0, tir = 0, twr = 0;
};

double whole_time(const Numbers& x, double q) {
  const double k = x.p * x.tir + (x.p - 1) * x.tir + x.twr + q * (x.tir + x.twr);
  const double tp = x.tc * (x.m / x.p) * (x.n / q);
  const double tb = x.tm * x.w * x.n / q;
  if (x.p * x.w * x.tm <= x.m * x.tc) {
    return k + (x.p - 1 + q) * tp + (x.p - 1) * tb;
  }
  return k + (x.p - 2) * tp + (x.p + q) * tb;
}

/// Number of quanta.
long quanta(const Numbers& x) {
  if (x.tir + x.twr <= 0.0) {
    return static_cast<long>(x.n);
  }
  const double common = x.m * x.tc + x.p * x.w * x.tm;
  const bool overloaded = x.p * x.w * x.tm <= x.m * x.tc;
  const double square = overloaded
                            ? x.n * (x.p - 1) * common / (x.p * (x.tir + x.twr))
                            : x.n * (x.p * common - 2 * x.m * x.tc) / (x.p * (x.tir + x.twr));
  const double best = std::floor(std::sqrt(square));
  const double lower = std::clamp(best, 1.0, x.n);
  const double upper = std::clamp(best + 1, 1.0, x.n);
  return static_cast<long>(whole_time(x, upper) < whole_time(x, lower) ? upper : lower);
}

Numbers numbers_of(const Machine& machine, const Shape& shape, double call_time,
                   const System& system) {
  Numbers x;
  for (const Line& line : shape.lines) {
    std::set<long> all;
    for (const Index& iteration : shape.iterations) {
      all.insert(iteration[line.dim]);
    }
    x.m *= static_cast<double>(all.size());
    x.p *= system.shape[line.j];
  }
  for (const std::size_t d : shape.quantised) {
    std::set<long> all;
    for (const Index& iteration : shape.iterations) {
      all.insert(iteration[d]);
    }
    x.n *= static_cast<double>(all.size());
  }
  double slowest = 0.0;
  for (const int p : system.members) {
    const double w = machine.performance[static_cast<std::size_t>(p)];
    slowest = slowest == 0.0 ? w : std::min(slowest, w);
  }
  x.tc = call_time / (static_cast<double>(shape.iterations.size()) * slowest);
  for (const std::size_t d : shape.parallel) {
    long most = 0;
    for (const auto& block : shape.blocks) {
      most = block.empty() ? most : std::max(most, block[d]);
    }
    x.tc *= static_cast<double>(most);
  }
  double element = 0.0;
  double byte = 0.0;
  for (const Line& line : shape.lines) {
    double largest = 0.0;
    for (const auto& block : shape.blocks) {
      largest = block.empty() ? largest : std::max(largest, edge(line, block, false));
    }
    x.w += largest / x.n;
    for (const auto& [width, size] : line.widths) {
      element = std::max(element, size);
    }
    for (int m = 0; m < system.size(); ++m) {
      Index at = system.coordinates(m);
      ++at[line.j];
      const int other = system.position(at);
      if (other >= 0) {
        const Network& network =
            machine.networks[machine.between(system.members[static_cast<std::size_t>(m)],
                                             system.members[static_cast<std::size_t>(other)])];
        x.tir = std::max(x.tir, network.start);
        byte = std::max(byte, network.byte);
      }
    }
  }
  x.twr = x.tir;
  x.tm = element * byte;
  return x;
}

/// An edge on its way: in the order in which edges enter their networks.
struct Sent {
  double ready = 0;
  int from = 0;
  std::size_t line = 0;
  long portion = 0;
  int to = 0;
  bool operator<(const Sent& other) const {
    return std::tie(ready, from, line, portion) <
           std::tie(other.ready, other.from, other.line, other.portion);
  }
};

/// One processor of the pipeline.
struct Worker {
  double clock = 0;
  double waiting = 0, overlap = 0;
  long next = 0;                                     ///< portion
  std::vector<std::pair<double, double>> computing;  ///< periods
  /// Per portion: edges that have arrived, ready to arrival.
  std::map<long, std::vector<std::pair<double, double>>> arrived;
  std::size_t predecessors = 0;
};

class Pipeline {
public:
  Pipeline(Machine& machine, const Loop& loop, const Shape& shape, double call_time,
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
      const Sent sent = *edges_.begin();
      edges_.erase(edges_.begin());
      const double arrival = carry_edge(sent);
      workers_[sent.to].arrived[sent.portion].emplace_back(sent.ready, arrival);
      advance(sent.to);
    }
    std::vector<PipelineTimes> times;
    for (int p = 0; p < machine_.processors(); ++p) {
      times.push_back({workers_[p].waiting, workers_[p].overlap, workers_[p].clock});
    }
    return times;
  }

private:
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
      std::vector<std::pair<double, double>>& edges = worker.arrived[number];
      double longest = 0.0;
      double overlap = 0.0;
      for (const auto& [ready, arrival] : edges) {
        begin = std::max(begin, arrival);
        const double hidden = computed_between(worker, ready, arrival);
        if (arrival - ready > longest + 1e-12 * arrival) {
          overlap = hidden;
        } else if (arrival - ready >= longest - 1e-12 * arrival) {
          overlap = std::max(overlap, hidden);
        }
        longest = std::max(longest, arrival - ready);
      }
      worker.overlap += overlap;
      worker.waiting += begin - worker.clock;
      const std::vector<long> portion = portion_of(p, number);
      double iterations = 1.0;
      for (const long extent : portion) {
        iterations *= static_cast<double>(extent);
      }
      worker.clock = begin + call_time_ / machine_.performance[static_cast<std::size_t>(p)] *
                                 iterations / static_cast<double>(shape_.iterations.size());
      worker.computing.emplace_back(begin, worker.clock);
      for (std::size_t l = 0; l < shape_.lines.size(); ++l) {
        const int q = neighbour(p, shape_.lines[l], 1);
        if (q >= 0) {
          edges_.insert({worker.clock, p, l, number, q});
        }
      }
    }
  }

  static double computed_between(const Worker& worker, double from, double to) {
    double sum = 0.0;
    for (const auto& [begin, end] : worker.computing) {
      sum += std::max(0.0, std::min(end, to) - std::max(begin, from));
    }
    return sum;
  }

  double carry_edge(const Sent& sent) {
    const double bytes = edge(shape_.lines[sent.line], portion_of(sent.from, sent.portion), true);
    Network& network = machine_.networks[machine_.between(sent.from, sent.to)];
    if (network.kind == Kind::channels) {
      return take_channel(network, sent.ready, network.start + bytes * network.byte);
    }
    double& free_from = pairs_[{sent.from, sent.to}];
    const double begin = std::max(free_from, sent.ready);
    free_from = begin + transputer_time(network.start, network.byte,
                                        machine_.distance(sent.from, sent.to), bytes);
    return free_from;
  }

  Machine& machine_;
  const Loop& loop_;
  const Shape& shape_;
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
                                                       const Clocks& clocks) {
  const Shape shape = shape_of(loop, new_values, current);
  const bool any = std::any_of(shape.executes.begin(), shape.executes.end(),
                               [](Holders set) { return set != 0; });
  if (shape.lines.empty() || !any) {
    return std::nullopt;
  }
  const System& system = loop.placed.over->system;
  long left = 1;
  if (!shape.quantised.empty()) {
    left = quanta(numbers_of(machine, shape, call_time, system));
  }
  std::vector<long> portion;
  for (const std::size_t d : shape.quantised) {
    const auto extent = static_cast<long>(loop.values[d].size());
    const long own = std::min(left, extent);
    left = std::max(1L, left / own);
    portion.push_back((extent + own - 1) / own);
  }
  return Pipeline(machine, loop, shape, call_time, system).run(portion, clocks);
}

}  // namespace gridcast::naive
