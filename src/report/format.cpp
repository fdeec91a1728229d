#include "gridcast/report/format.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "gridcast/base/printable.h"
#include "gridcast/base/readable.h"

namespace gridcast::report {
namespace {

bool is_control(char character) {
  const auto code = static_cast<unsigned char>(character);
  return code < 0x20 || code == 0x7F;
}

}  // namespace

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
          result += replacement_character;
        } else {
          result += character;
        }
    }
  }
  return result;
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
  return fmt::format("{}{}", fmt::join(grid.extents(), "×"),
                     grid.threads() > 1 ? fmt::format(", {} threads", grid.threads()) : "");
}

std::string size_text(std::int64_t processes, std::int32_t threads) {
  if (threads == 1) {
    return counted(processes, "processor");
  }
  return std::to_string(processes) + (processes == 1 ? " process of " : " processes of ") +
         counted(threads, "thread") + ", " + counted(processes * threads, "core");
}

std::string size_text(const model::Prediction& prediction) {
  return size_text(prediction.grid.processors(), prediction.threads);
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
