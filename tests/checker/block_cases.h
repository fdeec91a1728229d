#pragma once
/// Random programs of statements over blocks, predicted free and by the naive model.

#include <cstdint>
#include <optional>
#include <string>

namespace gridcast::checker {

struct BlockDifference {
  std::string text;  ///< what differs, with the program and the machine
  /// Rounding decides: the naive model itself moves as far if everything is 1e-13 more.
  bool chaotic = false;
};

/// Nothing if the clocks of all processes agree.
[[nodiscard]] std::optional<BlockDifference> block_difference(std::uint64_t seed);

}  // namespace gridcast::checker
