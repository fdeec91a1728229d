#include "gridcast/calibrate/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <set>

#include "gridcast/base/error.h"

namespace gridcast::calibrate {
namespace {

/// Digits of a fitted number in a machine file: more than any measurement gives.
double written_digits(double value) {
  return std::strtod(fmt::format("{:.7g}", value).c_str(), nullptr);
}

/// Rows that are left out together.
struct Folds {
  std::vector<std::size_t> of_row;
  std::size_t count = 0;
  std::string text;
};

Folds folds_of(const std::vector<Experiment>& rows) {
  std::set<std::size_t> programs;
  for (const Experiment& row : rows) {
    if (row.is_run()) {
      programs.insert(row.place);
    }
  }
  Folds folds;
  if (programs.size() > 1) {
    // Messages stay: they are of no program. Their fold is never left out.
    folds.count = 1 + *programs.rbegin();
    for (const Experiment& row : rows) {
      folds.of_row.push_back(row.is_run() ? row.place : folds.count);
    }
    folds.text = "one program at a time";
    return folds;
  }
  constexpr std::size_t most = 10;
  folds.count = std::min(rows.size(), most);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    folds.of_row.push_back(i % folds.count);
  }
  folds.text = folds.count == rows.size() ? "one time at a time" : "a tenth of the times at a time";
  return folds;
}

std::vector<double> measured_of(const Experiments& experiments) {
  std::vector<double> measured;
  for (const Experiment& row : experiments.rows()) {
    measured.push_back(row.seconds);
  }
  return measured;
}

/// What a fit without one part, and without rows that do not count, predicts for all rows; empty if
/// there is nothing in it, or nothing else.
std::vector<double> predicted_without(const FitProblem& problem, const Folds& folds,
                                      std::size_t fold, const std::vector<std::size_t>& let_go,
                                      const FitOptions& options) {
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < folds.of_row.size(); ++row) {
    if (folds.of_row[row] != fold && std::ranges::find(let_go, row) == let_go.end()) {
      kept.push_back(row);
    }
  }
  if (kept.empty() || std::ranges::find(folds.of_row, fold) == folds.of_row.end()) {
    return {};
  }
  // Rows behind those of the folds are no measured times: they always stay.
  for (std::size_t row = folds.of_row.size(); row < problem.measured.size(); ++row) {
    kept.push_back(row);
  }
  return fit(problem, kept, options).predicted;
}

/// Predicts each row with numbers fitted without it.
void leave_out(const FitProblem& problem, const Experiments& experiments, const FitOptions& options,
               double loss_width, const Announce& announce, Calibration& result) {
  const Folds folds = folds_of(experiments.rows());
  if (folds.count < 2) {
    return;
  }
  FitOptions fewer = options;
  fewer.starts = 1;
  fewer.loss_width = loss_width;
  fewer.let_go = false;
  for (const FittedNumber& number : result.fitted) {
    fewer.also_from.push_back(number.value);
  }
  fewer.distribute = run_here;  // the parts themselves are distributed
  result.left_out.assign(folds.of_row.size(), 0.0);
  announce(fmt::format("fitting {} times without a part of the times", folds.count));
  const auto of_folds = options.distribute(folds.count, [&](std::size_t fold) {
    return predicted_without(problem, folds, fold, result.let_go, fewer);
  });
  std::vector<double> predicted;
  std::vector<double> measured;
  for (std::size_t row = 0; row < folds.of_row.size(); ++row) {
    const std::size_t fold = folds.of_row[row];
    if (fold < folds.count && !of_folds[fold].empty()) {
      result.left_out[row] = of_folds[fold][row];
      predicted.push_back(result.left_out[row]);
      measured.push_back(problem.measured[row]);
    }
  }
  result.errors_left_out = errors_of(predicted, measured);
  result.left_out_text = folds.text;
}

std::string comment_of(const Calibration& result, std::size_t index) {
  const Parameter& parameter = result.parameters[index];
  return fmt::format("{}: {}; {} before", parameter.name, verdict(result, index), parameter.value);
}

std::string head_of(const Calibration& result, const Experiments& experiments) {
  std::string head = fmt::format(
      "Calibrated by gridcast from {} measured times: mean error {:.1f} % before, {:.1f} % after",
      experiments.rows().size(), 100.0 * result.errors_before.mean,
      100.0 * result.errors_after.mean);
  if (!result.left_out_text.empty()) {
    head += fmt::format(",\n{:.1f} % on what the fit has not seen ({} left out)",
                        100.0 * result.errors_left_out.mean, result.left_out_text);
  }
  head += ".\n" + let_go_text(result, experiments);
  for (std::size_t i = 0; i < result.parameters.size(); ++i) {
    if (result.parameters[i].name == trace_cost_name) {
      head +=
          fmt::format("Predict with --trace-cost={} ({}).\n", result.values[i], verdict(result, i));
    }
  }
  return head;
}

}  // namespace

Calibration calibrate(const Experiments& experiments, const std::vector<Parameter>& parameters,
                      const FitOptions& options, const Announce& announce) {
  if (parameters.empty()) {
    throw InputError("the machine has no numbers to fit", "expected at least one --fit NAME");
  }
  const FitProblem problem = experiments.problem(parameters);
  std::vector<std::size_t> all(problem.measured.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const std::span<const std::size_t> rows =
      std::span(all).first(experiments.rows().size());  // the measured times
  Calibration result;
  result.parameters = parameters;
  Point before;
  for (const Number& number : problem.numbers) {
    before.push_back(number.initial);
  }
  result.before = problem.simulate(before, rows);
  announce(fmt::format("fitting {} numbers to {} measured times", parameters.size(), rows.size()));
  FitOptions with = options;
  with.let_go = !options.loss_width;
  Fit fitted = fit(problem, all, with);
  Point written;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double value = parameters[i].in_file(fitted.numbers[i].value);
    const bool untouched = fitted.numbers[i].value == problem.numbers[i].initial;
    result.values.push_back(untouched ? parameters[i].value : written_digits(value));
    written.push_back(parameters[i].performance ? 1.0 / result.values[i] : result.values[i]);
    if (parameters[i].name == trace_cost_name) {
      result.trace_cost = result.values[i];
    }
  }
  result.fitted = std::move(fitted.numbers);
  std::ranges::copy_if(fitted.let_go, std::back_inserter(result.let_go),
                       [&rows](std::size_t row) { return row < rows.size(); });
  result.after = problem.simulate(written, rows);
  leave_out(problem, experiments, options, fitted.loss_width, announce, result);
  const std::vector<double> measured = measured_of(experiments);
  result.errors_before = errors_of(result.before, measured);
  result.errors_after = errors_of(result.after, measured);
  std::vector<std::string> comments;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    comments.push_back(comment_of(result, i));
  }
  result.machine_text =
      commented_text(with_values(experiments.cluster(), parameters, result.values), parameters,
                     comments, head_of(result, experiments));
  return result;
}

}  // namespace gridcast::calibrate
