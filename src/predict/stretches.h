#pragma once
/// Internal: the operations of a script between moments at which all clocks are equal, and what
/// each such stretch asks about: placements whose borders tell its processors apart.

#include <set>
#include <vector>

#include "gridcast/rules/script.h"

namespace gridcast::model {

struct Stretch {
  std::size_t begin = 0;                     ///< first operation
  std::set<PlacementId> placements;          ///< whose parts matter
  std::set<PlacementId> rooted;              ///< loops that reduce
  std::set<CommunicationId> communications;  ///< remote access and copies
  bool processor_zero = false;               ///< input and output
};

/// All stretches, in order.
[[nodiscard]] std::vector<Stretch> find_stretches(const Script& script);

/// All in one.
[[nodiscard]] Stretch united(const std::vector<Stretch>& stretches);

/// Whether all clocks are equal at some moment of this operation.
[[nodiscard]] bool levels(const Op& op) noexcept;

}  // namespace gridcast::model
