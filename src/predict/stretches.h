#pragma once
/// Internal: the operations of a script between moments at which all clocks are equal, and what
/// each such stretch asks about: placements whose borders tell its processors apart.

#include <cstdint>
#include <set>
#include <vector>

#include "gridcast/rules/script.h"

namespace gridcast::model {

/// What is asked about.
struct Asked {
  std::set<PlacementId> placements;          ///< whose parts matter
  std::set<PlacementId> edges;               ///< those of them whose edges are exchanged
  std::set<PlacementId> rooted;              ///< loops that reduce
  std::set<CommunicationId> communications;  ///< remote access, copies, redistributions
  bool processor_zero = false;               ///< input and output

  bool operator==(const Asked&) const = default;
};

struct Stretch {
  std::size_t begin = 0;  ///< first operation
  Asked asked;
};

/// All stretches, in order. Each begins with no communication under way.
[[nodiscard]] std::vector<Stretch> find_stretches(const Script& script);

/// All in one.
[[nodiscard]] Stretch united(const std::vector<Stretch>& stretches);

/// Whether all clocks are equal at some moment of this operation.
[[nodiscard]] bool levels(const Op& op) noexcept;

/// Adds and takes away what is started and waited for, by tokens.
void follow_pending(const Op& op, std::set<std::uint32_t>& pending);

}  // namespace gridcast::model
