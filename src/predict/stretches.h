#pragma once
/// Internal: the operations of a script between moments at which all clocks are equal, and what
/// each such stretch asks about: placements whose borders tell its processors apart.

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "gridcast/rules/script.h"

namespace gridcast::model {

/// What is asked about.
struct Asked {
  std::set<PlacementId> placements;          ///< whose parts matter
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

/// What goes on at a place of a script.
struct UnderWay {
  std::set<std::uint32_t> tokens;  ///< of communications
  ViewId view = root_view;

  /// After that operation.
  void follow(const Op& op);
  /// Whether all clocks are equal at some moment of this operation, with no communication under
  /// way.
  [[nodiscard]] bool level_at(const Op& op) const noexcept;
};

/// The first operation at which they are; the size if there is none.
[[nodiscard]] std::size_t first_level(std::span<const Op> ops, UnderWay before = {});

}  // namespace gridcast::model
