#include "gridcast/retrace/kernel_times.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include "expression.h"
#include "gridcast/base/byte_source.h"
#include "gridcast/base/error.h"
#include "gridcast/base/line_reader.h"

namespace gridcast::trace {
namespace {

std::string_view without_spaces(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

ParameterValues read_kernel_times(const std::filesystem::path& file) {
  const std::string name = file.string();
  const auto source = open_source(file, name);
  LineReader lines(*source, name);
  ParameterValues values;
  bool first = true;
  while (const auto line = lines.next()) {
    const std::string_view text = without_spaces(*line);
    if (text.empty() || text.front() == '#') {
      continue;
    }
    const std::size_t comma = text.find(',');
    const std::string_view kernel = without_spaces(text.substr(0, comma));
    std::string_view number =
        comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    number = without_spaces(number.substr(0, number.find(',')));
    double seconds = 0.0;
    const char* const end = number.data() + number.size();
    const auto [rest, error] = std::from_chars(number.data(), end, seconds);
    const bool is_number = error == std::errc() && rest == end && !number.empty();
    if (!is_number && first && !number.empty()) {
      first = false;  // names of the columns
      continue;
    }
    first = false;
    if (!is_number || !std::isfinite(seconds) || seconds < 0.0 || !is_name(kernel)) {
      throw InputError(name, lines.line(), "no kernel with its time",
                       "expected NAME,SECONDS with the name of a parameter of the description");
    }
    values.emplace_back(kernel, number);
  }
  return values;
}

}  // namespace gridcast::trace
