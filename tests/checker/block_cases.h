#pragma once
/// Random programs of statements over blocks, predicted free and by the naive model.

#include <cstdint>
#include <optional>
#include <string>

namespace gridcast::checker {

/// What differs, with the program and the machine; nothing if the clocks of all processes agree.
[[nodiscard]] std::optional<std::string> block_difference(std::uint64_t seed);

}  // namespace gridcast::checker
