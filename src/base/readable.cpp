#include "gridcast/base/readable.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace gridcast {
namespace {

constexpr int significant = 4;
constexpr std::string_view digit_space = "\xE2\x80\xAF";

std::string digits_of(double value, std::chars_format format, int precision) {
  std::array<char, 400> text{};  // the largest double has 309 digits
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, format, precision);
  return {text.data(), error == std::errc{} ? end : text.data()};
}

/// Groups of three digits in a text of digits.
std::string spaced(std::string digits) {
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, digit_space);
  }
  return digits;
}

/// The decimal exponent that a positive number has after rounding to the significant digits.
int rounded_exponent(double value) {
  const std::string text = digits_of(value, std::chars_format::scientific, significant - 1);
  int exponent = 0;
  const char* begin = text.data() + text.find('e') + 1;
  begin += *begin == '+' ? 1 : 0;
  std::from_chars(begin, text.data() + text.size(), exponent);
  return exponent;
}

/// False for the bytes of a character of UTF-8 behind its first.
bool begins_character(char byte) noexcept {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

/// The column at which what follows a broken line begins.
std::size_t hanging_indent(std::string_view line) {
  constexpr std::size_t last_begin = 70;
  const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
  std::size_t indent = first + 2;
  for (std::size_t at = line.find("  ", first); at < line.size(); at = line.find("  ", at)) {
    at = std::min(line.find_first_not_of(' ', at), line.size());
    const std::size_t column = columns_of(line.substr(0, at));
    indent = column <= last_begin ? column : indent;
  }
  return indent;
}

/// A number, behind which no line ends: its unit, or what it counts, follows.
bool is_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789.+-<(±") == std::string_view::npos &&
         word.back() >= '0' && word.back() <= '9';
}

/// The end of the word at `word`, or of the one behind it if that is its unit.
std::size_t end_of_words(std::string_view line, std::size_t word) {
  const std::size_t end = std::min(line.find(' ', word), line.size());
  const std::size_t next = std::min(line.find(' ', end + 1), line.size());
  const std::string_view unit = line.substr(std::min(end + 1, line.size()), next - end - 1);
  const bool has_unit = end < line.size() && !unit.empty() && !is_number(unit);
  return has_unit && is_number(line.substr(word, end - word)) ? next : end;
}

void append_wrapped(std::string& text, std::string_view line, std::size_t hanging) {
  constexpr std::size_t most = 100;
  const std::string indent(hanging > 0 ? hanging : hanging_indent(line), ' ');
  std::size_t taken = 0;  // columns of the line that is being written
  for (std::size_t begin = 0; begin < line.size();) {
    // Words that stay together, with the blanks before them.
    const std::size_t word = std::min(line.find_first_not_of(' ', begin), line.size());
    const std::size_t end = end_of_words(line, word);
    std::string_view piece = line.substr(begin, end - begin);
    if (taken > indent.size() && taken + columns_of(piece) > most && word < line.size()) {
      text.append("\n").append(indent);
      taken = indent.size();
      piece = line.substr(word, end - word);
    }
    text += piece;
    taken += columns_of(piece);
    begin = end;
  }
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t hanging) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    append_wrapped(result, text.substr(begin, end - begin), hanging);
    result += end < text.size() ? "\n" : "";
    begin = end + 1;
  }
  return result;
}

std::size_t columns_of(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string_view first_columns(std::string_view text, std::size_t columns) noexcept {
  std::size_t at = 0;
  for (std::size_t taken = 0; at < text.size(); ++at) {
    if (begins_character(text[at]) && taken++ == columns) {
      break;
    }
  }
  return text.substr(0, at);
}

std::string seconds_text(double seconds) {
  constexpr int largest_plain = 15;
  constexpr int smallest_plain = -11;
  constexpr double rounding = 1e-15;
  if (std::abs(seconds) < rounding) {
    return "0 s";
  }
  if (!std::isfinite(seconds)) {
    return (std::isnan(seconds) ? "nan" : seconds < 0.0 ? "-inf" : "inf") + std::string(" s");
  }
  const int exponent = rounded_exponent(std::abs(seconds));
  if (exponent >= largest_plain || exponent < smallest_plain) {
    return digits_of(seconds, std::chars_format::scientific, significant - 1) + " s";
  }
  if (exponent >= significant - 1) {
    const double unit = std::pow(10.0, exponent + 1 - significant);
    return spaced(digits_of(std::round(seconds / unit) * unit, std::chars_format::fixed, 0)) + " s";
  }
  // In each unit from 1 to 999.9, but for parts of a nanosecond.
  constexpr std::array<const char*, 4> names{" s", " ms", " µs", " ns"};
  const int unit = exponent >= 0 ? 0 : std::min(3, (2 - exponent) / 3);
  return digits_of(seconds * std::pow(1000.0, unit), std::chars_format::fixed,
                   significant - 1 - (exponent + 3 * unit)) +
         names[static_cast<std::size_t>(unit)];
}

std::string bytes_text(double bytes) {
  constexpr std::array units{"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  // What four digits would round up to the next unit belongs there.
  while (bytes >= 999.95 && unit + 1 < units.size()) {
    bytes /= 1000.0;
    ++unit;
  }
  const int decimals = unit == 0 || bytes >= 999.95 ? 0
                       : bytes >= 99.995            ? 1
                       : bytes >= 9.9995            ? 2
                                                    : 3;
  std::array<char, 64> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), bytes,
                                          std::chars_format::fixed, decimals);
  return std::string(buffer.data(), end) + ' ' + units[unit];
}

std::string counted(std::int64_t count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

std::string grouped(std::int64_t number) { return spaced(std::to_string(number)); }

std::string exact(double value) {
  std::array<char, 32> digits{};
  const auto [end, status] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), status == std::errc{} ? end : digits.data()};
}

}  // namespace gridcast
