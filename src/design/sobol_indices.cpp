#include "gridcast/design/sobol_indices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "gridcast/base/error.h"

namespace gridcast::design {
namespace {

/// Each case keeps the sums of all replicates.
constexpr std::size_t most_sobol_cases = 64;

/// Where a run stands in its design.
struct RunPlace {
  std::int64_t base = 0;
  std::optional<std::size_t> position;  ///< among the k + 2 results; empty: not needed
};

RunPlace place_of(std::int64_t run, const SaltelliLayout& layout, std::size_t factors) {
  const auto k = static_cast<std::int64_t>(factors);
  if (layout.order == SaltelliLayout::Order::by_matrix) {
    const std::int64_t matrix = run / layout.bases;
    const std::int64_t position = matrix == 0 ? 0 : matrix == 1 ? k + 1 : matrix - 1;
    return {run % layout.bases, static_cast<std::size_t>(position)};
  }
  const std::int64_t size = layout.both_ways ? 2 * k + 2 : k + 2;
  const std::int64_t within = run % size;
  if (within <= k) {
    return {run / size, static_cast<std::size_t>(within)};
  }
  return {run / size,
          within == size - 1 ? std::optional(static_cast<std::size_t>(k + 1)) : std::nullopt};
}

/// Puts the results of a case into the order of the base points, so that the figures do not depend
/// on the order in which runs were finished; only what came too early is kept.
class CaseRuns {
public:
  CaseRuns(std::size_t factors, const SobolOptions& options)
      : size_(factors + 2), estimator_(factors, options.replicates, options.seed) {}

  void add(const RunPlace& place, double value) {
    if (!place.position) {
      return;
    }
    Waiting& base = waiting_[place.base];
    base.results.resize(size_, std::numeric_limits<double>::quiet_NaN());
    double& result = base.results[*place.position];
    base.count += std::isnan(result) ? 1 : 0;
    result = value;
    while (!waiting_.empty() && waiting_.begin()->first == next_ &&
           waiting_.begin()->second.count == size_) {
      take_first();
      ++next_;
    }
  }

  /// After the last run.
  void finish() {
    while (!waiting_.empty()) {
      if (waiting_.begin()->second.count == size_) {
        take_first();
      } else {
        waiting_.erase(waiting_.begin());
        ++dropped_;
      }
    }
  }

  [[nodiscard]] const SobolEstimator& estimator() const noexcept { return estimator_; }
  [[nodiscard]] std::int64_t dropped() const noexcept { return dropped_; }
  /// Runs without a number are counted as they come.
  std::int64_t next_run() noexcept { return runs_++; }

private:
  struct Waiting {
    std::vector<double> results;
    std::size_t count = 0;
  };

  void take_first() {
    estimator_.add(waiting_.begin()->first, waiting_.begin()->second.results);
    waiting_.erase(waiting_.begin());
  }

  std::size_t size_;
  SobolEstimator estimator_;
  std::map<std::int64_t, Waiting> waiting_;
  std::int64_t next_ = 0;
  std::int64_t dropped_ = 0;
  std::int64_t runs_ = 0;
};

/// Variants of a data set are numbered with trace and machine fastest: so many of them are one run.
std::int64_t variants_per_run(const Table& table, const Question& question) {
  std::vector<std::size_t> columns;
  for (const std::string& name : table.columns()) {
    if (!question.run.empty() && (name == "trace" || name == "machine")) {
      columns.push_back(table.column(name));
    }
  }
  std::vector<double> most(columns.size(), 0.0);
  table.read(columns, [&](std::span<const double> row) {
    for (std::size_t i = 0; i < most.size(); ++i) {
      most[i] = std::max(most[i], row[i]);
    }
  });
  std::int64_t product = 1;
  for (const double number : most) {
    product *= static_cast<std::int64_t>(number) + 1;
  }
  return product;
}

SaltelliLayout layout_of(const Table& table, const Question& question) {
  if (question.design == "saltelli" && !question.run.empty()) {
    return {};
  }
  if (const auto layout = saltelli_layout(table, question)) {
    return *layout;
  }
  throw InputError(table.origin(), 0, "its runs are no Saltelli design of these factors",
                   "expected the runs of a design of kind saltelli in their order, see "
                   "docs/analysis.md");
}

}  // namespace

std::vector<CaseIndices> sobol_indices(const Table& table, const Question& question,
                                       const SobolOptions& options) {
  const SaltelliLayout layout = layout_of(table, question);
  const bool numbered = question.design == "saltelli" && !question.run.empty();
  const std::int64_t per_run = numbered ? variants_per_run(table, question) : 1;
  std::vector<std::size_t> columns = table.columns_of(question.cases);
  const std::size_t first = columns.size();
  columns.push_back(table.column(question.response));
  if (numbered) {
    columns.push_back(table.column(question.run));
  }
  std::map<std::vector<double>, CaseRuns> cases;
  std::vector<double> key(first);
  table.read(columns, [&](std::span<const double> row) {
    std::copy_n(row.begin(), first, key.begin());
    CaseRuns& runs = cases.try_emplace(key, question.factors.size(), options).first->second;
    if (cases.size() > most_sobol_cases) {
      throw InputError(table.origin(), 0,
                       "has more than " + std::to_string(most_sobol_cases) + " cases",
                       "choose rows with --where, or columns that tell cases apart with --cases");
    }
    const std::int64_t run =
        numbered ? static_cast<std::int64_t>(row[first + 1]) / per_run : runs.next_run();
    runs.add(place_of(run, layout, question.factors.size()), row[first]);
  });
  std::vector<CaseIndices> result;
  for (auto& [values, runs] : cases) {
    runs.finish();
    const SobolEstimator& estimator = runs.estimator();
    if (estimator.bases() < 2) {
      throw InputError(table.origin(), 0, "has fewer than two base points with all their runs",
                       "expected a Saltelli design without failed runs");
    }
    result.push_back({values, estimator.bases(), runs.dropped(), estimator.mean(),
                      estimator.variance(), estimator.indices()});
  }
  return result;
}

}  // namespace gridcast::design
