#include "sampling.h"

#include <cmath>
#include <iterator>

namespace gridcast::model {

double spread(std::size_t index) {
  double value = 0.0;
  double digit = 0.5;
  for (std::size_t rest = index + 1; rest > 0; rest /= 2) {
    value += rest % 2 == 1 ? digit : 0.0;
    digit /= 2.0;
  }
  return value;
}

double standard_error(const std::map<std::size_t, double>& sample, std::size_t all) {
  double squares = 0.0;
  for (auto at = std::next(sample.begin()); at != sample.end(); ++at) {
    const double step = at->second - std::prev(at)->second;
    squares += step * step;
  }
  const auto size = static_cast<double>(sample.size());
  const double left_out = 1.0 - size / static_cast<double>(all);
  return std::sqrt(left_out * squares / (2.0 * (size - 1.0)) / size);
}

double believed_errors(std::size_t sample) {
  const double freedom = 2.0 * static_cast<double>(sample - 1) / 3.0;
  return 3.9 + (16.5 + 85.0 / freedom) / freedom;
}

}  // namespace gridcast::model
