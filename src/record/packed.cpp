#include "packed.h"

#include "format.h"

namespace gridcast::record {
namespace {

constexpr unsigned duration_bits = recording_duration_bits;
constexpr unsigned gap_bits = recording_gap_bits;
constexpr unsigned exponent_bits = 5;

std::uint64_t ticks_of(std::uint32_t code, unsigned bits) {
  const std::uint32_t exponent = code >> bits;
  const std::uint64_t one = std::uint64_t{1} << bits;
  return exponent == 0 ? code : (one + (code & (one - 1))) << (exponent - 1);
}

}  // namespace

std::optional<std::uint64_t> unpack_number(std::string_view bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    value |= std::uint64_t{byte & 127U} << shift;
    if (byte < 128) {
      return value;
    }
  }
  return std::nullopt;
}

std::optional<PackedEvent> unpack(std::string_view bytes, std::size_t& at) {
  if (bytes.size() - at < 3) {
    return std::nullopt;
  }
  const auto byte = [&](std::size_t i) {
    return std::uint32_t{static_cast<unsigned char>(bytes[at + i])};
  };
  const std::uint32_t word = byte(0) | byte(1) << 8U | byte(2) << 16U;
  at += 3;
  constexpr std::uint32_t long_duration = (1U << (duration_bits + exponent_bits)) - 1;
  constexpr std::uint32_t long_gap = (1U << (gap_bits + exponent_bits)) - 1;
  const std::uint32_t duration = (word >> 1U) & long_duration;
  const std::uint32_t gap = word >> (1U + duration_bits + exponent_bits);
  PackedEvent event;
  event.expected = (word & 1U) != 0;
  event.duration = ticks_of(duration, duration_bits);
  event.gap = ticks_of(gap, gap_bits);
  const auto take = [&](bool there, std::uint64_t& value) {
    const std::optional<std::uint64_t> number = there ? unpack_number(bytes, at) : value;
    value = number.value_or(0);
    return number.has_value();
  };
  if (!take(!event.expected, event.shape) || !take(duration == long_duration, event.duration) ||
      !take(gap == long_gap, event.gap)) {
    return std::nullopt;
  }
  return event;
}

}  // namespace gridcast::record
