#include "least_squares.h"

#include <ceres/cost_function.h>
#include <ceres/problem.h>
#include <ceres/solver.h>

#include <algorithm>
#include <cmath>

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

/// All residuals of a reduced problem as functions of its free numbers, each in units of its scale.
class Residuals final : public ceres::CostFunction {
public:
  Residuals(const Reduced& reduced, const Point& start) : reduced_(reduced), point_(start) {
    set_num_residuals(static_cast<int>(reduced.rows.size()));
    mutable_parameter_block_sizes()->push_back(static_cast<int>(reduced.free.size()));
  }

  bool Evaluate(double const* const* parameters, double* values,
                double** jacobians) const override {
    Point point = point_;
    for (std::size_t i = 0; i < reduced_.free.size(); ++i) {
      const std::size_t number = reduced_.free[i];
      const Number& description = reduced_.problem->numbers[number];
      point[number] =
          std::clamp(parameters[0][i] * description.scale, description.lower, description.upper);
    }
    const Eigen::VectorXd relative = residuals(reduced_, point);
    for (Eigen::Index row = 0; row < relative.size(); ++row) {
      values[row] = damped(relative[row], reduced_.loss_width).value;
    }
    if (jacobians == nullptr || jacobians[0] == nullptr) {
      return true;
    }
    const Eigen::MatrixXd columns = differences(
        reduced_, point, relative, [](const Number& number, double) { return number.scale; });
    for (Eigen::Index row = 0; row < relative.size(); ++row) {
      const double slope = damped(relative[row], reduced_.loss_width).slope;
      for (Eigen::Index column = 0; column < columns.cols(); ++column) {
        jacobians[0][row * columns.cols() + column] = slope * columns(row, column);
      }
    }
    return true;
  }

private:
  const Reduced& reduced_;
  Point point_;
};

ceres::Solver::Options solver_options() {
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.logging_type = ceres::SILENT;
  options.max_num_iterations = 40;
  options.function_tolerance = 1e-10;
  options.gradient_tolerance = 1e-14;
  options.parameter_tolerance = 1e-9;
  return options;
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
  std::vector<double> scaled;
  for (const std::size_t number : reduced.free) {
    scaled.push_back(start[number] / reduced.problem->numbers[number].scale);
  }
  Residuals cost(reduced, start);
  ceres::Problem::Options keep;
  keep.cost_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  ceres::Problem problem(keep);
  problem.AddResidualBlock(&cost, nullptr, scaled.data());
  for (std::size_t i = 0; i < reduced.free.size(); ++i) {
    const Number& number = reduced.problem->numbers[reduced.free[i]];
    problem.SetParameterLowerBound(scaled.data(), static_cast<int>(i), number.lower / number.scale);
    problem.SetParameterUpperBound(scaled.data(), static_cast<int>(i), number.upper / number.scale);
  }
  ceres::Solver::Summary summary;
  ceres::Solve(solver_options(), &problem, &summary);
  Solution found{start, 0.0};
  for (std::size_t i = 0; i < reduced.free.size(); ++i) {
    const Number& number = reduced.problem->numbers[reduced.free[i]];
    found.point[reduced.free[i]] = std::clamp(scaled[i] * number.scale, number.lower, number.upper);
  }
  found.cost = cost_of(residuals(reduced, found.point), reduced.loss_width);
  return found.cost < result.cost ? found : result;
}

}  // namespace gridcast::calibrate
