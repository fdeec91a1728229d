#include "gridcast/base/comparable.h"

#include <array>
#include <charconv>
#include <cmath>

namespace gridcast {

double comparable(double number) noexcept {
  constexpr int digits = 11;
  if (!std::isfinite(number) || number == 0.0) {
    return number;
  }
  std::array<char, 32> text{};
  char* const end = text.data() + text.size();
  const auto written =
      std::to_chars(text.data(), end, number, std::chars_format::scientific, digits - 1);
  double rounded = number;
  std::from_chars(text.data(), written.ptr, rounded);
  return rounded;
}

}  // namespace gridcast
