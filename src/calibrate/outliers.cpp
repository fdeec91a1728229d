#include "outliers.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gridcast::calibrate {
namespace {

/// Rows beyond the number of fitted ones from which the spread of the residuals is told.
constexpr std::size_t enough_rows = 8;

/// Twice the spread of most: from their median, which is 0.6745 standard deviations for normal
/// ones; each fitted number takes a part of it away.
double width_of(std::vector<double> sizes, const Reduced& reduced) {
  std::ranges::sort(sizes);
  constexpr double median_of_normal = 0.6745;
  const auto rows = static_cast<double>(reduced.rows.size());
  const auto fitted = static_cast<double>(reduced.free.size());
  const double spread =
      sizes[sizes.size() / 2] / median_of_normal * std::sqrt(rows / (rows - fitted));
  return std::clamp(2.0 * spread, narrowest_loss, widest_loss);
}

}  // namespace

bool tells_spread(const Reduced& reduced) {
  return reduced.rows.size() >= reduced.free.size() + enough_rows;
}

double width_of_most(const Reduced& reduced, const Point& point) {
  std::vector<double> sizes;
  for (const double residual : residuals(reduced, point)) {
    sizes.push_back(std::abs(residual));
  }
  return width_of(std::move(sizes), reduced);
}

std::optional<std::size_t> strangest_row(const Reduced& reduced, const Point& point) {
  // Six standard deviations: no noise gives that, and no row that is one of many.
  constexpr double widths = 3.0;
  const Eigen::VectorXd off = residuals(reduced, point);
  std::vector<double> sizes;
  std::optional<std::size_t> worst;
  double most = 0.0;
  for (std::size_t place = 0; place < reduced.rows.size(); ++place) {
    if (kind_of(*reduced.problem, reduced.rows[place]) != 0) {
      continue;
    }
    const double size = std::abs(off[static_cast<Eigen::Index>(place)]);
    sizes.push_back(size);
    if (size > most) {
      worst = place;
      most = size;
    }
  }
  if (!worst || most <= widths * width_of(std::move(sizes), reduced)) {
    return std::nullopt;
  }
  return worst;
}

}  // namespace gridcast::calibrate
