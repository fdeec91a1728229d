#pragma once
/// Both engines on random cases: every characteristic of every interval.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "gridcast/compile/compile.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/predict/predictor.h"

namespace gridcast::checker {

struct EngineCounts {
  std::size_t by_classes = 0;
  std::size_t refused = 0;                       ///< programs or grids that are not accepted
  std::map<std::string, std::size_t> fallbacks;  ///< processor by processor, by reason
  double worst = 0.0;                            ///< difference over what is allowed
};

/// What differs between the engines on this case, or nothing.
[[nodiscard]] std::optional<std::string> engine_difference(const model::Script& script,
                                                           const machine::Cluster& cluster,
                                                           const machine::Grid& grid,
                                                           model::ModelOptions options,
                                                           EngineCounts& counts);

/// The same for a random program, machine, grid and options. Odd seeds: a program as the run-time
/// library writes it; even ones: a random description.
enum class Machines : std::uint8_t {
  all,
  port_trees,
  large,  ///< longer arrays, and more kinds of statements in descriptions
  moves   ///< ports, for programs that redistribute and reduce
};
[[nodiscard]] std::optional<std::string> engine_difference(std::uint64_t seed, EngineCounts& counts,
                                                           Machines machines = Machines::all);

}  // namespace gridcast::checker
