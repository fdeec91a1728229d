#include "json_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace gridcast::cli {
namespace {

/// Bytes of the UTF-8 sequence that `text` begins with; 0 if it begins with none.
std::size_t sequence_length(std::string_view text) {
  const auto code = static_cast<unsigned char>(text.front());
  const std::size_t length = code < 0x80U                    ? 1U
                             : code >= 0xc2U && code < 0xe0U ? 2U
                             : code >= 0xe0U && code < 0xf0U ? 3U
                             : code >= 0xf0U && code < 0xf5U ? 4U
                                                             : 0U;
  if (length == 0 || length > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U) {
      return 0;
    }
  }
  return length;
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const auto code = static_cast<unsigned char>(text.front());
    const std::size_t length = sequence_length(text);
    if (length == 0) {
      result += "\\ufffd";
    } else if (code < 0x20U) {
      result += fmt::format("\\u{:04x}", code);
    } else {
      if (code == '"' || code == '\\') {
        result += '\\';
      }
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  result += '"';
  return result;
}

std::string json_number(double number) {
  return std::isfinite(number) ? fmt::format("{}", number) : "null";
}

std::string json_array(std::span<const std::int64_t> numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

}  // namespace gridcast::cli
