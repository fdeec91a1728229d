#include "packing.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace gridcast::report {
namespace {

std::vector<unsigned char> deflated(std::span<const unsigned char> bytes) {
  uLongf size = compressBound(bytes.size());
  std::vector<unsigned char> result(size);
  if (compress2(result.data(), &size, bytes.data(), bytes.size(), Z_BEST_COMPRESSION) != Z_OK) {
    throw std::runtime_error("the figures of the search cannot be packed: out of memory");
  }
  result.resize(size);
  return result;
}

std::string base64(std::span<const unsigned char> bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    unsigned group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8U | (i < count ? bytes[at + i] : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= count ? digits[group >> (18U - 6U * i) & 63U] : '=';
    }
  }
  return text;
}

/// Differences from what is foretold, folded: 0, -1, 1, -2... become 0, 1, 2, 3...
std::vector<std::uint32_t> differences(std::span<const std::int32_t> values,
                                       std::span<const std::size_t> rows, Predictor predictor) {
  std::vector<std::uint32_t> result(values.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::size_t begin = rows[row];
    const std::size_t end = row + 1 < rows.size() ? rows[row + 1] : values.size();
    const std::size_t above = row > 0 ? rows[row - 1] : 0;
    const std::size_t above_length =
        row > 0 && predictor == Predictor::planar ? begin - rows[row - 1] : 0;
    for (std::size_t i = begin; i < end; ++i) {
      std::int32_t expected = i > 0 ? values[i - 1] : 0;
      const std::size_t in_row = i - begin;
      if (in_row < above_length) {
        expected = in_row == 0 ? values[above]
                               : expected + values[above + in_row] - values[above + in_row - 1];
      }
      const std::int32_t difference = values[i] - expected;
      result[i] = static_cast<std::uint32_t>(difference) << 1U ^
                  static_cast<std::uint32_t>(difference >> 31);
    }
  }
  return result;
}

std::uint64_t bits_of(std::span<const std::uint32_t> folded) {
  std::uint64_t bits = 0;
  for (const std::uint32_t each : folded) {
    bits += static_cast<std::uint64_t>(std::bit_width(each));
  }
  return bits;
}

}  // namespace

Channel channel_of(std::string_view name, std::span<const std::int32_t> values,
                   std::span<const std::size_t> rows) {
  Channel channel;
  channel.name = name;
  std::vector<std::uint32_t> folded = differences(values, rows, Predictor::left);
  std::vector<std::uint32_t> planar = differences(values, rows, Predictor::planar);
  if (bits_of(planar) < bits_of(folded)) {
    channel.predictor = Predictor::planar;
    folded = std::move(planar);
  }
  std::uint32_t all = 0;
  for (const std::uint32_t each : folded) {
    all |= each;
  }
  channel.bytes = std::max(1, (static_cast<int>(std::bit_width(all)) + 7) / 8);
  channel.planes.reserve(folded.size() * static_cast<std::size_t>(channel.bytes));
  for (int plane = 0; plane < channel.bytes; ++plane) {
    for (const std::uint32_t each : folded) {
      channel.planes.push_back(static_cast<unsigned char>(each >> (8 * plane) & 0xFFU));
    }
  }
  return channel;
}

std::vector<unsigned char> byte_planes(std::span<const std::vector<double>> columns) {
  std::vector<unsigned char> bytes;
  for (const std::vector<double>& column : columns) {
    for (unsigned plane = 0; plane < sizeof(double); ++plane) {
      for (const double value : column) {
        bytes.push_back(static_cast<unsigned char>(
            std::bit_cast<std::uint64_t>(value) >> (8U * plane) & 0xFFU));
      }
    }
  }
  return bytes;
}

std::string packed_text(std::span<const unsigned char> bytes) { return base64(deflated(bytes)); }

}  // namespace gridcast::report
