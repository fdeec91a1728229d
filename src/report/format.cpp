#include "format.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace gridcast::report {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

unsigned byte_at(std::string_view text, std::size_t at) {
  return static_cast<unsigned char>(text[at]);
}

/// Length of the well-formed UTF-8 sequence at `at` (Unicode 15, table 3-7), 0 if there is none.
std::size_t sequence_length(std::string_view text, std::size_t at) {
  const unsigned lead = byte_at(text, at);
  if (lead < 0x80) {
    return 1;
  }
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) {
    return 0;
  }
  const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (byte_at(text, at + 1) < low || byte_at(text, at + 1) > high) {
    return 0;
  }
  for (std::size_t next = at + 2; next < at + length; ++next) {
    if ((byte_at(text, next) & 0xC0U) != 0x80) {
      return 0;
    }
  }
  return length;
}

bool is_control(char character) {
  const auto code = static_cast<unsigned char>(character);
  return code < 0x20 || code == 0x7F;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    if (length == 0) {
      result += replacement;
      ++at;
    } else {
      result += text.substr(at, length);
      at += length;
    }
  }
  return result;
}

std::string printable(std::string_view text) {
  std::string result;
  for (const char character : valid_utf8(text)) {
    if (is_control(character)) {
      result += replacement;
    } else {
      result += character;
    }
  }
  return result;
}

std::string escape_html(std::string_view text) {
  std::string result;
  for (const char character : valid_utf8(text)) {
    switch (character) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      case '\t':
      case '\n':
        result += character;
        break;
      default:
        if (is_control(character)) {
          result += replacement;
        } else {
          result += character;
        }
    }
  }
  return result;
}

std::string exact(double value) {
  std::array<char, 32> digits{};
  const auto [end, status] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), status == std::errc{} ? end : digits.data()};
}

double share(double part, double whole) noexcept { return whole > 0.0 ? part / whole : 0.0; }

std::string format_share(double part, double whole) {
  const double percent = 100.0 * share(part, whole);
  if (percent == 0.0) {
    return "0 %";
  }
  if (std::abs(percent) < 0.05) {
    return percent > 0.0 ? "<0.1 %" : "0 %";
  }
  return fmt::format("{:.1f} %", percent);
}

std::string format_efficiency(double efficiency) { return fmt::format("{:.4f}", efficiency); }

std::string_view type_title(trace::IntervalType type) {
  switch (type) {
    case trace::IntervalType::main:
      return "Main";
    case trace::IntervalType::user:
      return "User";
    case trace::IntervalType::sequential:
      return "Seq";
    case trace::IntervalType::parallel:
      return "Par";
  }
  return "User";
}

std::string interval_label(const model::IntervalInfo& info) {
  if (info.type == trace::IntervalType::main) {
    return "whole program";
  }
  const std::string_view path = info.file;
  const std::size_t slash = path.find_last_of("/\\");
  std::string label = fmt::format(
      "{} {}:{}", type_title(info.type),
      printable(slash == std::string_view::npos ? path : path.substr(slash + 1)), info.line);
  if (info.expression) {
    label += fmt::format(", expression {}", *info.expression);
  }
  return label;
}

std::string grid_title(const machine::Grid& grid) {
  return fmt::format("{}", fmt::join(grid.extents(), "×"));
}

std::string_view operation_title(model::Operation kind) {
  switch (kind) {
    case model::Operation::io:
      return "I/O";
    case model::Operation::reduction:
      return "Reduction";
    case model::Operation::shadow:
      return "Shadow";
    case model::Operation::remote_access:
      return "Remote access";
    case model::Operation::redistribution:
      return "Redistribution";
  }
  return "I/O";
}

}  // namespace gridcast::report
