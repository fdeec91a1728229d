#include "arguments.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "gridcast/base/characters.h"
#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"

namespace gridcast::trace {
namespace {

std::int64_t parse_integer(const CallPlace& place, std::string_view name, std::string_view word) {
  std::int64_t value = 0;
  const char* const end = word.data() + word.size();
  const char* const begin = word.data() + (word.starts_with('+') ? 1 : 0);
  const auto result = std::from_chars(begin, end, value);
  if (result.ec != std::errc{} || result.ptr != end || value < -largest_index ||
      value > largest_index) {
    place.fail(std::string(name) + "=" + shortened(word), "expected a number up to 10^12");
  }
  return value;
}

int hex_digit(char c) noexcept {
  if (is_digit(c)) {
    return c - '0';
  }
  if (c >= 'a' && c <= 'f') {
    return c - 'a' + 10;
  }
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

Reference parse_reference(const CallPlace& place, std::string_view name, std::string_view word) {
  if (word == "NULL" || word == "(nil)" || word == "-1") {
    return 0;
  }
  std::string_view digits = word;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    digits.remove_prefix(2);
  }
  Reference value = 0;
  bool all_ones = digits.size() >= 8;
  for (const char c : digits) {
    const int digit = hex_digit(c);
    if (digit < 0) {
      value = 0;
      digits = {};
      break;
    }
    // Digits beyond 64 bits are mixed in, so that wider references still differ.
    const Reference carried = value >> 60U;
    value = (value << 4U | static_cast<Reference>(digit)) ^ (carried * 0x9e3779b97f4a7c15ULL);
    all_ones = all_ones && digit == 15;
  }
  if (digits.empty()) {
    place.fail(std::string(name) + "=" + shortened(word), "expected a hexadecimal reference");
  }
  return all_ones ? 0 : value;
}

}  // namespace

std::string shortened(std::string_view word) {
  constexpr std::size_t longest = 60;
  return printable(word.substr(0, longest), "?") + (word.size() > longest ? "..." : "");
}

void CallPlace::fail(const std::string& problem, const std::string& expected) const {
  throw InputError(*file, line, shortened(function) + ": " + problem, expected);
}

void Arguments::missing(const ParameterName& name) const {
  place_.fail("parameter " + std::string(name.text()) + " is missing",
              "expected " + std::string(name.text()) + " among the lines of the call");
}

std::optional<std::int64_t> Arguments::find_integer(const ParameterName& name) const {
  const auto word = parameters_.scalar(name);
  return word ? std::optional(parse_integer(place_, name.text(), *word)) : std::nullopt;
}

std::int64_t Arguments::integer(const ParameterName& name) const {
  const auto value = find_integer(name);
  if (!value) {
    missing(name);
  }
  return *value;
}

bool Arguments::is_integer(const ParameterName& name, std::int64_t least, std::int64_t most) const {
  const auto word = parameters_.scalar(name);
  if (!word) {
    return false;
  }
  std::int64_t value = 0;
  const char* const end = word->data() + word->size();
  const auto read = std::from_chars(word->data(), end, value);
  return read.ec == std::errc{} && read.ptr == end && value >= least && value <= most;
}

std::optional<Reference> Arguments::find_reference(const ParameterName& name) const {
  const auto word = parameters_.scalar(name);
  return word ? std::optional(parse_reference(place_, name.text(), *word)) : std::nullopt;
}

Reference Arguments::reference(const ParameterName& name) const {
  const auto value = find_reference(name);
  if (!value) {
    missing(name);
  }
  return *value;
}

std::string_view Arguments::written(const ParameterName& name) const {
  return parameters_.scalar(name).value_or(std::string_view{});
}

Extents Arguments::find_list(const ParameterName& name) const {
  const auto words = parameters_.list(name);
  Extents values;
  values.reserve(words.size());
  for (const std::string_view word : words) {
    values.push_back(parse_integer(place_, name.text(), word));
  }
  return values;
}

Extents Arguments::list(const ParameterName& name, std::optional<std::size_t> rank) const {
  Extents values = find_list(name);
  if (values.empty()) {
    missing(name);
  }
  if (rank && values.size() != *rank) {
    place_.fail(std::string(name.text()) + " has " + std::to_string(values.size()) + " elements",
                "expected " + std::to_string(*rank));
  }
  return values;
}

std::int64_t Arguments::element(const ParameterName& name, std::size_t index) const {
  const auto word = parameters_.element(name, index);
  if (!word) {
    place_.fail(
        "parameter " + std::string(name.text()) + "[" + std::to_string(index) + "] is missing",
        "expected " + std::string(name.text()) + " among the lines of the call");
  }
  return parse_integer(place_, name.text(), *word);
}

std::int64_t Arguments::coefficient(const ParameterName& name, std::size_t index) const {
  const std::int64_t value = element(name, index);
  if (std::abs(value) > largest_coefficient) {
    place_.fail(std::string(name.text()) + " has an element that is too large",
                "expected coefficients up to a million");
  }
  return value;
}

double Arguments::real(const Parameter& parameter) const {
  double value = 0.0;
  const char* const end = parameter.value.data() + parameter.value.size();
  const auto result = std::from_chars(parameter.value.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end || !std::isfinite(value) || value < 0.0) {
    place_.fail(std::string(parameter.name) + "=" + shortened(parameter.value),
                "expected a number that is not negative");
  }
  return value;
}

std::int64_t Arguments::integer(const Parameter& parameter) const {
  return parse_integer(place_, parameter.name, parameter.value);
}

}  // namespace gridcast::trace
