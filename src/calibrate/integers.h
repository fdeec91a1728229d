#pragma once
/// The integer part of a fit: every value is tried.

#include <cstddef>
#include <vector>

#include "least_squares.h"

namespace gridcast::calibrate {

/// What trying all values of an integer gave.
struct Tried {
  std::size_t number = 0;       ///< of the problem
  std::vector<double> values;   ///< ascending
  std::vector<double> costs;    ///< of the best fit with each, the other integers at their best
  bool enough_at_last = false;  ///< values beyond the last predict the same as the last
};

/// Brings the integers of the problem, and with them the free numbers, to their best values.
/// Returns what was tried for each. All combinations are tried if they are few, else one integer
/// after the other until none changes any more.
std::vector<Tried> fit_integers(const Reduced& reduced, Solution& best);

}  // namespace gridcast::calibrate
