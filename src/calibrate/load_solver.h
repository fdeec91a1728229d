#pragma once
/// Loads the library that minimises.

#include "solver/solver.h"

namespace gridcast::calibrate {

/// gridcast_solve() of libgridcast-solver.so, loaded once. Throws InputError as require_solver()
/// does.
[[nodiscard]] decltype(&gridcast_solve) load_solver();

}  // namespace gridcast::calibrate
