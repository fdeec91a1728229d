#pragma once
/// What a pipelined loop is made of, and into how many portions it is cut (docs/model.md §6).

#include "transfers.h"

namespace gridcast::naive {

/// A loop dimension along which processors wait for each other.
struct Line {
  std::size_t j = 0;    ///< dimension of the system
  std::size_t dim = 0;  ///< of the loop
  int towards = 1;      ///< direction along j
  /// Per array with a dependence: width and element size.
  std::vector<std::pair<long, double>> widths;
};

/// What the loop is made of.
struct PipelineShape {
  std::vector<Line> lines;
  std::vector<std::size_t> quantised;  ///< loop dimensions, outermost first
  std::vector<std::size_t> parallel;   ///< split, no dependence
  std::vector<Index> iterations;
  std::vector<Holders> executes;
  std::vector<std::vector<long>> blocks;  ///< per processor: extents; empty: no iterations
};

[[nodiscard]] PipelineShape shape_of(const Loop& loop, const std::vector<Edges>& group,
                                     const System& current);

/// Elements or bytes of the edge of a portion along a line.
[[nodiscard]] double edge(const Line& line, const std::vector<long>& portion, bool in_bytes);

/// Q: what the formulas choose. `call_time` of the whole loop, seconds.
[[nodiscard]] long quanta(const Machine& machine, const PipelineShape& shape, double call_time,
                          const System& system);

}  // namespace gridcast::naive
