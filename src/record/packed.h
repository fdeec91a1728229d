#pragma once
/// Events of a recording as they are packed (format.h).

#include <cstdint>
#include <optional>
#include <string_view>

namespace gridcast::record {

/// An event with times in ticks.
struct PackedEvent {
  bool expected = false;    ///< of the shape that followed the previous one last time
  std::uint64_t shape = 0;  ///< otherwise: its number, 0: a definition follows
  std::uint64_t duration = 0;
  std::uint64_t gap = 0;
};

/// The number at `at`, which is moved behind it; none if the bytes end before.
[[nodiscard]] std::optional<std::uint64_t> unpack_number(std::string_view bytes, std::size_t& at);

/// The event at `at`, likewise.
[[nodiscard]] std::optional<PackedEvent> unpack(std::string_view bytes, std::size_t& at);

}  // namespace gridcast::record
