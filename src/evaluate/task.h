#pragma once
/// What is worked on: one grid, of a data set for one of its variants, or a box of grids whose
/// bounds are asked for.

#include <cstdint>
#include <type_traits>

#include "gridcast/machine/grid.h"
#include "gridcast/machine/grid_box.h"

namespace gridcast::sweep {

/// A plain value without padding: travels in an MPI message as it is.
struct Task {
  machine::Grid grid;
  std::int32_t deaths = 0;  ///< workers that were lost while they may have been evaluating it
  /// What is asked for: a prediction of `grid`, or bounds of all grids of `box`, of which it is the
  /// first.
  std::int32_t bounds = 0;
  std::int64_t variant = 0;  ///< of the machine and the program, if there are several
  /// For the use of whoever the tasks come from: a group master finds a task of rank 0 again by it.
  std::uint64_t number = 0;
  machine::GridBox box{};

  friend bool operator==(const Task&, const Task&) = default;
};
static_assert(std::is_trivially_copyable_v<Task>);
static_assert(sizeof(Task) == sizeof(machine::Grid) + sizeof(machine::GridBox) + 24, "no padding");

}  // namespace gridcast::sweep
