#include "solver.h"

#include <ceres/cost_function.h>
#include <ceres/problem.h>
#include <ceres/solver.h>

#include <algorithm>

namespace gridcast::calibrate {
namespace {

/// All residuals as functions of all numbers.
class Residuals final : public ceres::CostFunction {
public:
  explicit Residuals(const BoundedLeastSquares& problem) : problem_(problem) {
    set_num_residuals(problem.residuals);
    mutable_parameter_block_sizes()->push_back(static_cast<int>(problem.start.size()));
  }

  bool Evaluate(double const* const* parameters, double* values,
                double** jacobians) const override {
    problem_.evaluate(parameters[0], values, jacobians == nullptr ? nullptr : jacobians[0]);
    return true;
  }

private:
  const BoundedLeastSquares& problem_;
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
}  // namespace gridcast::calibrate

__attribute__((visibility("default"))) void gridcast_solve(
    const gridcast::calibrate::BoundedLeastSquares& problem, double* minimum) {
  std::copy(problem.start.begin(), problem.start.end(), minimum);
  gridcast::calibrate::Residuals cost(problem);
  ceres::Problem::Options keep;
  keep.cost_function_ownership = ceres::DO_NOT_TAKE_OWNERSHIP;
  ceres::Problem ceres_problem(keep);
  ceres_problem.AddResidualBlock(&cost, nullptr, minimum);
  for (std::size_t i = 0; i < problem.start.size(); ++i) {
    ceres_problem.SetParameterLowerBound(minimum, static_cast<int>(i), problem.lower[i]);
    ceres_problem.SetParameterUpperBound(minimum, static_cast<int>(i), problem.upper[i]);
  }
  ceres::Solver::Summary summary;
  ceres::Solve(gridcast::calibrate::solver_options(), &ceres_problem, &summary);
}
