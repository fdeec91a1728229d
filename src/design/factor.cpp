#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/design/design.h"

namespace gridcast::design {
namespace {

constexpr std::int64_t most_whole = std::int64_t{1} << 53;

double rounded(double value) {
  constexpr int digits_after_the_first = 11;
  std::array<char, 32> text{};
  const auto [end, status] = std::to_chars(text.data(), text.data() + text.size(), value,
                                           std::chars_format::scientific, digits_after_the_first);
  double result = value;
  std::from_chars(text.data(), end, result);
  return result;
}

double at(const RealRange& range, double fraction) {
  if (fraction <= 0.0) {
    return range.low;
  }
  if (fraction >= 1.0) {
    return range.high;
  }
  if (range.logarithmic) {
    return std::clamp(rounded(range.low * std::pow(range.high / range.low, fraction)), range.low,
                      range.high);
  }
  return std::min(range.high, range.low + fraction * (range.high - range.low));
}

/// Which of `count` equal shares of the way the fraction is in.
std::int64_t share(double fraction, std::int64_t count) {
  const auto index = static_cast<std::int64_t>(fraction * static_cast<double>(count));
  return std::clamp<std::int64_t>(index, 0, count - 1);
}

[[noreturn]] void refuse(const Factor& factor, const std::string& problem,
                         const std::string& remedy) {
  throw InputError("the factor '" + factor.name + "' " + problem, remedy);
}

void check(const Factor& factor, const RealRange& range) {
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || !(range.low < range.high) ||
      !std::isfinite(range.high - range.low)) {
    refuse(factor, "has no range", "expected [LOW, HIGH] with LOW < HIGH");
  }
  if (range.logarithmic && !(range.low > 0.0 && std::isfinite(range.high / range.low))) {
    refuse(factor, "has a logarithmic range that begins at or below 0",
           "expected log = [LOW, HIGH] with 0 < LOW < HIGH");
  }
  if (range.levels && *range.levels < 2) {
    refuse(factor, "has fewer than two levels", "expected levels = N with N of at least 2");
  }
}

void check(const Factor& factor, const IntegerRange& range) {
  if (range.low >= range.high || range.low < -most_whole || range.high > most_whole) {
    refuse(factor, "has no range of whole numbers", "expected integer = [LOW, HIGH], LOW < HIGH");
  }
}

void check(const Factor& factor, const ValueList& list) {
  if (list.values.empty() ||
      !std::ranges::all_of(list.values, [](double value) { return std::isfinite(value); })) {
    refuse(factor, "has no values", "expected values = [A, B, ...]");
  }
}

}  // namespace

void validate(const Factor& factor) {
  std::visit([&](const auto& range) { check(factor, range); }, factor.range);
}

double Factor::at(double fraction) const {
  if (const auto* real = std::get_if<RealRange>(&range)) {
    return design::at(*real, fraction);
  }
  return level(share(fraction, levels()));
}

std::int64_t Factor::levels() const {
  if (const auto* whole = std::get_if<IntegerRange>(&range)) {
    return whole->high - whole->low + 1;
  }
  if (const auto* list = std::get_if<ValueList>(&range)) {
    return static_cast<std::int64_t>(list->values.size());
  }
  const auto& levels = std::get<RealRange>(range).levels;
  if (!levels) {
    refuse(*this, "is a range without levels",
           "expected levels = N, values or integer for a full factorial");
  }
  return *levels;
}

double Factor::level(std::int64_t index) const {
  if (const auto* whole = std::get_if<IntegerRange>(&range)) {
    return static_cast<double>(whole->low + index);
  }
  if (const auto* list = std::get_if<ValueList>(&range)) {
    return list->values[static_cast<std::size_t>(index)];
  }
  const auto last = static_cast<double>(levels() - 1);
  return design::at(std::get<RealRange>(range), static_cast<double>(index) / last);
}

double Factor::low() const {
  const auto* real = std::get_if<RealRange>(&range);
  return real != nullptr ? real->low : level(0);
}

double Factor::high() const {
  const auto* real = std::get_if<RealRange>(&range);
  return real != nullptr ? real->high : level(levels() - 1);
}

}  // namespace gridcast::design
