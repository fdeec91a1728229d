#pragma once
/// Internal: numbers as text of a page.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridcast::report {

/// How a value is foretold from those before it.
enum class Predictor : std::uint8_t {
  left,    ///< the value before
  planar,  ///< the value before, and how the row before went on from there
};

/// A sequence of whole numbers as differences from what was foretold.
struct Channel {
  std::string_view name;
  Predictor predictor = Predictor::left;
  int bytes = 1;  ///< of each difference, as many as the largest needs
  /// The differences, folded so that the sign is the lowest bit, in planes of bytes: all lowest
  /// bytes first.
  std::vector<unsigned char> planes;
};

/// `rows` are the numbers of values where rows begin, the first 0; the predictor is the one that
/// makes differences of fewer bits.
[[nodiscard]] Channel channel_of(std::string_view name, std::span<const std::int32_t> values,
                                 std::span<const std::size_t> rows);

/// Numbers in planes of bytes, column by column, all lowest bytes of a column first.
[[nodiscard]] std::vector<unsigned char> byte_planes(std::span<const std::vector<double>> columns);

/// Deflated, in base64. Throws std::runtime_error if memory does not suffice.
[[nodiscard]] std::string packed_text(std::span<const unsigned char> bytes);

}  // namespace gridcast::report
