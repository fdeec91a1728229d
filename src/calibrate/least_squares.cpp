#include "least_squares.h"

#include <algorithm>
#include <cmath>

#include "load_solver.h"

namespace gridcast::calibrate {
namespace {

/// Differences are taken over this part of a number: times change in small jumps where the number
/// of portions of a pipeline does, and shorter steps would take them for slopes.
constexpr double difference_step = 1e-3;

/// A residual whose square is Huber's loss of `value`, and its derivative by it.
struct Damped {
  double value = 0.0;
  double slope = 1.0;
};

Damped damped(double value, double width) {
  const double size = std::abs(value);
  if (size <= width) {
    return {value, 1.0};
  }
  const double root = std::sqrt(2.0 * width * size - width * width);
  return {std::copysign(root, value), width / root};
}

/// Columns of differences; `unit_of` says over which unit each is given.
template <class UnitOf>
Eigen::MatrixXd differences(const Reduced& reduced, const Point& point,
                            const Eigen::VectorXd& at_point, const UnitOf& unit_of) {
  Eigen::MatrixXd columns(at_point.size(), static_cast<Eigen::Index>(reduced.free.size()));
  Point moved = point;
  for (std::size_t i = 0; i < reduced.free.size(); ++i) {
    const std::size_t number = reduced.free[i];
    const Number& description = reduced.problem->numbers[number];
    const double value = point[number];
    double step = difference_step * unit(description, value);
    if (value + step > description.upper) {
      step = -step;
    }
    moved[number] = value + step;
    columns.col(static_cast<Eigen::Index>(i)) =
        (residuals(reduced, moved) - at_point) * (unit_of(description, value) / step);
    moved[number] = value;
  }
  return columns;
}

/// A point with the free numbers in units of their scales.
Point point_of(const Reduced& reduced, const Point& start, const double* scaled) {
  Point point = start;
  for (std::size_t i = 0; i < reduced.free.size(); ++i) {
    const Number& number = reduced.problem->numbers[reduced.free[i]];
    point[reduced.free[i]] = std::clamp(scaled[i] * number.scale, number.lower, number.upper);
  }
  return point;
}

/// Damped residuals of all rows and their derivatives by the free numbers in units of their scales.
void evaluate(const Reduced& reduced, const Point& point, double* values, double* derivatives) {
  const Eigen::VectorXd relative = residuals(reduced, point);
  for (Eigen::Index row = 0; row < relative.size(); ++row) {
    values[row] = damped(relative[row], reduced.loss_width).value;
  }
  if (derivatives == nullptr) {
    return;
  }
  const Eigen::MatrixXd columns = differences(
      reduced, point, relative, [](const Number& number, double) { return number.scale; });
  for (Eigen::Index row = 0; row < relative.size(); ++row) {
    const double slope = damped(relative[row], reduced.loss_width).slope;
    for (Eigen::Index column = 0; column < columns.cols(); ++column) {
      derivatives[row * columns.cols() + column] = slope * columns(row, column);
    }
  }
}

}  // namespace

double unit(const Number& number, double value) {
  constexpr double near_zero = 1e-3;
  return std::max(std::abs(value), near_zero * number.scale);
}

Eigen::VectorXd residuals(const Reduced& reduced, const Point& point) {
  const std::vector<double> predicted = reduced.problem->simulate(point, reduced.rows);
  Eigen::VectorXd result(static_cast<Eigen::Index>(reduced.rows.size()));
  for (std::size_t i = 0; i < reduced.rows.size(); ++i) {
    const std::size_t row = reduced.rows[i];
    const std::vector<double>& weights = reduced.problem->weights;
    result[static_cast<Eigen::Index>(i)] = (predicted[i] / reduced.problem->measured[row] - 1.0) *
                                           (row < weights.size() ? weights[row] : 1.0);
  }
  return result;
}

double cost_of(const Eigen::VectorXd& residuals, double loss_width) {
  double sum = 0.0;
  for (const double residual : residuals) {
    const double value = damped(residual, loss_width).value;
    sum += value * value;
  }
  return 0.5 * sum;
}

Eigen::MatrixXd sensitivities(const Reduced& reduced, const Point& point) {
  return differences(reduced, point, residuals(reduced, point), unit);
}

Solution minimize(const Reduced& reduced, const Point& start) {
  Solution result{start, cost_of(residuals(reduced, start), reduced.loss_width)};
  if (reduced.free.empty()) {
    return result;
  }
  BoundedLeastSquares problem;
  for (const std::size_t free : reduced.free) {
    const Number& number = reduced.problem->numbers[free];
    problem.start.push_back(start[free] / number.scale);
    problem.lower.push_back(number.lower / number.scale);
    problem.upper.push_back(number.upper / number.scale);
  }
  problem.residuals = static_cast<int>(reduced.rows.size());
  problem.evaluate = [&](const double* scaled, double* values, double* derivatives) {
    evaluate(reduced, point_of(reduced, start, scaled), values, derivatives);
  };
  std::vector<double> scaled(problem.start.size());
  load_solver()(problem, scaled.data());
  Solution found{point_of(reduced, start, scaled.data()), 0.0};
  found.cost = cost_of(residuals(reduced, found.point), reduced.loss_width);
  return found.cost < result.cost ? found : result;
}

}  // namespace gridcast::calibrate
