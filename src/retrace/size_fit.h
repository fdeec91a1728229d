#pragma once
/// Polynomials in the problem size through values at several sizes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gridcast::trace {

/// Values at a new size as linear combinations of the values at the given sizes. The weights depend
/// on the sizes alone, so that one fit serves all times of a trace.
class SizeFit {
public:
  /// `sizes` distinct, more than `degree`.
  SizeFit(std::vector<double> sizes, double size, std::size_t degree);

  /// Least-squares polynomial of the degree, evaluated at the new size.
  [[nodiscard]] double value(std::span<const double> values) const;

  /// What a whole number is at the new size.
  struct Whole {
    std::optional<std::int64_t> value;  ///< none: no polynomial of the degree, or no whole value
    double real = 0.0;                  ///< what comes out instead
    bool polynomial = false;
  };
  /// The polynomial of the lowest degree that takes all values exactly.
  [[nodiscard]] Whole whole_value(std::span<const std::int64_t> values) const;

private:
  std::vector<double> sizes_;
  double size_;
  std::size_t degree_;
  std::vector<double> weights_;
};

}  // namespace gridcast::trace
