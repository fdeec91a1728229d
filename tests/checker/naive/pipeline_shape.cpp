#include "pipeline_shape.h"

#include <algorithm>
#include <cmath>

namespace gridcast::naive {
namespace {

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
      widths.emplace_back(width, edges.element_bytes);
    }
  }
  return widths;
}

}  // namespace

PipelineShape shape_of(const Loop& loop, const std::vector<Edges>& group, const System& current) {
  PipelineShape shape;
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

namespace {

/// The numbers of docs/model.md §6 that the formulas take.
struct Numbers {
  double m = 1, n = 1, p = 1, tc = 0, w = 0, tm = 0, tir = 0, twr = 0;
  bool ports = false;
  double hop = 0, overhead = 0, gap = 0;  ///< of ports: one message, h and TGap
  double portion = 0;                     ///< TPortion, in twr too

  [[nodiscard]] double per_portion() const { return ports ? overhead + portion : tir + twr; }
};

double whole_time(const Numbers& x, double q) {
  const double filling = x.ports ? (x.p - 1) * x.hop : x.p * x.tir + (x.p - 1) * x.tir + x.twr;
  const double k = filling + q * x.per_portion();
  const double tp = x.tc * (x.m / x.p) * (x.n / q);
  const double tb = std::max(x.gap, x.tm * x.w * x.n / q);
  if (x.p * x.w * x.tm <= x.m * x.tc) {
    return k + (x.p - 1 + q) * tp + (x.p - 1) * tb;
  }
  return k + (x.p - 2) * tp + (x.p + q) * tb;
}

/// The number of quanta that takes least time.
long best_quanta(const Numbers& x) {
  if (x.per_portion() <= 0.0) {
    return static_cast<long>(x.n);
  }
  const double common = x.m * x.tc + x.p * x.w * x.tm;
  const bool overloaded = x.p * x.w * x.tm <= x.m * x.tc;
  const double square = overloaded
                            ? x.n * (x.p - 1) * common / (x.p * x.per_portion())
                            : x.n * (x.p * common - 2 * x.m * x.tc) / (x.p * x.per_portion());
  double best = std::round(std::sqrt(square));
  best -= best - std::sqrt(square) > 1e-12 * best ? 1 : 0;
  const double lower = std::clamp(best, 1.0, x.n);
  const double upper = std::clamp(best + 1, 1.0, x.n);
  const bool better = whole_time(x, lower) - whole_time(x, upper) > 1e-12 * whole_time(x, lower);
  return static_cast<long>(better ? upper : lower);
}

Numbers numbers_of(const Machine& machine, const PipelineShape& shape, double call_time,
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
  }
  const double whole = element * x.w * x.n;  // bytes of the whole edge
  for (const Line& line : shape.lines) {
    for (int m = 0; m < system.size(); ++m) {
      Index at = system.coordinates(m);
      ++at[line.j];
      const int other = system.position(at);
      if (other >= 0) {
        const Network& network =
            machine.networks[machine.between(system.members[static_cast<std::size_t>(m)],
                                             system.members[static_cast<std::size_t>(other)])];
        const bool ports = network.kind == Kind::ports;
        x.ports = x.ports || ports;
        x.tir = std::max(x.tir, network.start(whole));
        x.hop = std::max(x.hop, ports ? network.send + network.start(whole) + network.receive
                                      : 2 * network.start(whole));
        x.overhead =
            std::max(x.overhead, ports ? network.send + network.receive : 2 * network.start(whole));
        x.gap = std::max(x.gap, network.gap);
        byte = std::max(byte, network.byte(whole));
      }
    }
  }
  x.portion = machine.portion;
  x.twr = x.tir + x.portion;
  x.tm = element * byte;
  return x;
}

}  // namespace

long quanta(const Machine& machine, const PipelineShape& shape, double call_time,
            const System& system) {
  return best_quanta(numbers_of(machine, shape, call_time, system));
}

}  // namespace gridcast::naive
