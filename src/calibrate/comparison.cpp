#include "gridcast/calibrate/comparison.h"

#include <algorithm>
#include <cmath>

#include "gridcast/base/error.h"

namespace gridcast::calibrate {
namespace {

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

bool same_grid(const Compared& a, const Compared& b) {
  return a.program == b.program && a.grid == b.grid;
}

/// Brings the rows into their order and leaves one of each grid.
std::vector<Compared> merged(std::vector<Compared> rows) {
  std::ranges::stable_sort(rows, [](const Compared& a, const Compared& b) {
    return a.program != b.program ? a.program < b.program : machine::compare(a.grid, b.grid) < 0;
  });
  std::vector<Compared> result;
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last = std::find_if(
        first, rows.end(), [&first](const Compared& row) { return !same_grid(*first, row); });
    std::vector<double> times;
    for (auto row = first; row != last; ++row) {
      times.push_back(row->measured);
    }
    result.push_back(*first);
    result.back().measured = median_of(std::move(times));
    first = last;
  }
  return result;
}

ComparedGroup group_of(std::span<const Compared> rows, std::int64_t processors) {
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const Compared& row : rows) {
    predicted.push_back(row.predicted);
    measured.push_back(row.measured);
  }
  ComparedGroup group;
  group.program = rows.front().program;
  group.processors = processors;
  group.errors = errors_of(predicted, measured);
  group.tau = kendall_tau(predicted, measured);
  group.regret = regret_of(predicted, measured);
  group.chosen =
      rows[static_cast<std::size_t>(std::ranges::min_element(predicted) - predicted.begin())].grid;
  group.fastest =
      rows[static_cast<std::size_t>(std::ranges::min_element(measured) - measured.begin())].grid;
  return group;
}

/// The groups of the rows of one program, which are sorted by number of processors.
void add_groups(std::span<const Compared> rows, std::vector<ComparedGroup>& groups) {
  groups.push_back(group_of(rows, 0));
  for (auto first = rows.begin(); first != rows.end();) {
    const std::int64_t processors = first->grid.processors();
    const auto last = std::find_if(first, rows.end(), [processors](const Compared& row) {
      return row.grid.processors() != processors;
    });
    if (last - first > 1) {
      groups.push_back(group_of({first, last}, processors));
    }
    first = last;
  }
}

}  // namespace

Errors errors_of(std::span<const double> predicted, std::span<const double> measured) {
  Errors errors;
  std::vector<double> sizes;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    const double error = predicted[i] / measured[i] - 1.0;
    errors.bias += error;
    errors.mean += std::abs(error);
    sizes.push_back(std::abs(error));
  }
  errors.count = sizes.size();
  if (sizes.empty()) {
    return errors;
  }
  errors.bias /= static_cast<double>(errors.count);
  errors.mean /= static_cast<double>(errors.count);
  errors.worst = *std::ranges::max_element(sizes);
  errors.median = median_of(std::move(sizes));
  return errors;
}

std::optional<double> kendall_tau(std::span<const double> a, std::span<const double> b) {
  double agreeing = 0.0;
  double different_a = 0.0;
  double different_b = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double by_a = a[i] < a[j] ? -1.0 : a[i] > a[j] ? 1.0 : 0.0;
      const double by_b = b[i] < b[j] ? -1.0 : b[i] > b[j] ? 1.0 : 0.0;
      agreeing += by_a * by_b;
      different_a += std::abs(by_a);
      different_b += std::abs(by_b);
    }
  }
  if (different_a == 0.0 || different_b == 0.0) {
    return std::nullopt;
  }
  return agreeing / std::sqrt(different_a * different_b);
}

double regret_of(std::span<const double> predicted, std::span<const double> measured) {
  if (predicted.empty()) {
    return 0.0;
  }
  const double least = *std::ranges::min_element(predicted);
  const double fastest = *std::ranges::min_element(measured);
  double chosen = 0.0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    if (predicted[i] == least) {
      chosen = std::max(chosen, measured[i]);
    }
  }
  return chosen / fastest - 1.0;
}

Comparison compare_times(std::vector<Compared> rows) {
  if (rows.empty()) {
    throw InputError("no grid has both a predicted and a measured time",
                     "expected grids that both sides know");
  }
  Comparison result;
  result.rows = merged(std::move(rows));
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const Compared& row : result.rows) {
    predicted.push_back(row.predicted);
    measured.push_back(row.measured);
  }
  result.errors = errors_of(predicted, measured);
  const std::span<const Compared> all(result.rows);
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::find_if(
        first, all.end(), [&first](const Compared& row) { return row.program != first->program; });
    add_groups({first, last}, result.groups);
    first = last;
  }
  return result;
}

}  // namespace gridcast::calibrate
