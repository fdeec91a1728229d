#pragma once
/// Internal: a communication by which all that take part get the same section of an array.

#include <algorithm>
#include <array>

#include "gridcast/mapping/processor_classes.h"

namespace gridcast::model {

/// The senders are at `at` in the fixed dimensions of the grid and everywhere within the receivers'
/// bounds in the others; each sends to the receivers that differ from it in fixed dimensions only.
struct Spread {
  bool reads = false;  ///< somebody gets or has the section
  bool sends = false;
  double bytes = 0.0;  ///< of a message
  std::array<bool, machine::max_grid_rank> fixed{};
  mapping::ProcessorClasses::Indices at{}, lo{}, hi{};  ///< senders, bounds of the receivers

  /// Whether there is one sender on these grids.
  [[nodiscard]] bool single(const mapping::ProcessorClasses& classes) const noexcept {
    return std::all_of(fixed.begin(), fixed.begin() + classes.rank(), [](bool at) { return at; });
  }
};

}  // namespace gridcast::model
