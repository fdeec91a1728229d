#pragma once
/// Predictions of programs on grids of machines.

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gridcast/grid.h"
#include "gridcast/machine.h"
#include "gridcast/program.h"

namespace gridcast {
inline namespace v1 {

/// A section of the program with its figures; the first one is the whole program.
struct Interval {
  std::int32_t parent = -1;  ///< index of the enclosing interval; -1: the whole program
  std::string file;          ///< of the source
  std::int64_t line = 0;
  std::int64_t count = 1;  ///< how often it was entered
  /// The characteristics by their names in JSON (docs/json.md): times in seconds, summed over
  /// processors but for "execution_time"; "efficiency" is 0 to 1.
  std::map<std::string, double, std::less<>> figures;
};

/// A prediction of a program on a grid.
struct Prediction {
  Grid grid;
  double execution_time = 0.0;  ///< of the whole program, seconds
  double efficiency = 0.0;      ///< of the whole program, 0 to 1
  std::vector<Interval> intervals;
  std::vector<std::string> warnings;  ///< one line each
};

/// Predicts the program on a grid of the machine. Throws std::runtime_error if the machine has too
/// few processors, or the program cannot run on the grid.
[[nodiscard]] Prediction predict(const Program& program, const Machine& machine, const Grid& grid);

}  // namespace v1
}  // namespace gridcast
