#include "dataset_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <new>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/store/reader.h"

namespace gridcast::sweep {
namespace {

bool precedes(std::int64_t variant_a, const machine::Grid& a, std::int64_t variant_b,
              const machine::Grid& b) noexcept {
  return variant_a != variant_b ? variant_a < variant_b : machine::compare(a, b) < 0;
}

}  // namespace

DatasetJob::DatasetJob(const DatasetSettings& settings, const ReadDataset& read,
                       const StopSignals& signals, double begin, int ranks)
    : StoredJob(
          settings, signals, begin, "prediction",
          read.inputs.design.intervals ? read.inputs.scripts.front().tables().intervals.size() : 0),
      settings_(&settings),
      inputs_(&read.inputs),
      variants_(read.inputs),
      grids_(read.inputs) {
  constexpr std::uint64_t most_logged = 20;
  most_logged_ = most_logged;
  total_ = expected_rows(read.inputs, variants_);
  last_input_.number = -1;
  outcome_.variants = static_cast<std::uint64_t>(variants_.count());
  const bool resumed = open_store(dataset_setup(settings, read));
  expect_rows();
  if (resumed) {
    take_stored_rows();
  }
  events_.start(0, total_.value_or(0), 0, stored_.size(), ranks);
}

/// Takes the grids of the first variant for those of all, which is right where it matters: for how
/// many of them are large.
void DatasetJob::expect_rows() {
  if (!total_ || !open_variant()) {
    return;
  }
  GridCounts counts{};
  double sum = 0.0;
  while (const std::optional<machine::Grid> grid = grids_.next()) {
    counts[CostModel::class_of(*grid)] += 1.0;
    sum += 1.0;
  }
  variant_.reset();
  next_variant_ = 0;
  for (double& count : counts) {
    count *= sum > 0.0 ? static_cast<double>(*total_) / sum : 0.0;
  }
  forecast_ = Forecast(counts);
}

/// The writer has taken over all rows of the earlier run, so the store as it lies there has them.
void DatasetJob::take_stored_rows() {
  store::StoreReader reader(settings_->store);
  const std::size_t width = reader.about().setup.extra_columns.size();
  reader.read_rows([&](const store::RowBatch& batch) {
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      stored_.push_back({static_cast<std::int64_t>(batch.extras[i * width]), batch.rows[i].grid()});
      outcome_.failed += batch.rows[i].status == store::Status::failed ? 1 : 0;
      ++outcome_.evaluated;
      forecast_.done(batch.rows[i].grid());
    }
  });
  std::ranges::sort(stored_, [](const Configuration& a, const Configuration& b) {
    return precedes(a.variant, a.grid, b.variant, b.grid);
  });
}

bool DatasetJob::is_stored(const Configuration& configuration) const {
  return std::ranges::binary_search(stored_, configuration,
                                    [](const Configuration& a, const Configuration& b) {
                                      return precedes(a.variant, a.grid, b.variant, b.grid);
                                    });
}

bool DatasetJob::open_variant() {
  if (next_variant_ == variants_.count()) {
    exhausted_ = true;
    return false;
  }
  variant_ = variants_.at(next_variant_++);
  std::optional<machine::Cluster> cluster;
  if (grids_.need_cluster()) {
    try {
      cluster = variants_.cluster(*variant_);
    } catch (const InputError&) {
      // The worker finds the same and says so in the row.
    }
  }
  grids_.open(*variant_, cluster);
  return true;
}

std::vector<Task> DatasetJob::next(std::size_t max) {
  std::vector<Task> tasks;
  while (tasks.size() < max && !exhausted_) {
    const std::optional<machine::Grid> grid = variant_ ? grids_.next() : std::nullopt;
    if (!grid) {
      open_variant();
      continue;
    }
    if (!is_stored({variant_->number, *grid})) {
      tasks.push_back({.grid = *grid, .variant = variant_->number});
    }
  }
  out_ += tasks.size();
  return tasks;
}

void DatasetJob::take_row(const Task& task, const store::ResultRow& row, const Reason& reason,
                          std::span<const model::Characteristics> intervals) {
  --out_;
  if (last_input_.number != task.variant) {
    last_input_ = variants_.at(task.variant);
    last_values_ = input_values(inputs_->design, last_input_);
  }
  store_row(row, reason, last_values_, intervals, fmt::format("variant {}", task.variant));
}

void DatasetJob::give_up(const Task& task, const std::string& reason) {
  take_row(task, store::make_failed_row(task.grid, 0.0), {reason, store::FailureCause::lost}, {});
}

bool DatasetJob::finished() const { return exhausted_ && out_ == 0; }

void DatasetJob::finish() {
  settle();
  end_store(std::nullopt);
  tell_end();
}

DatasetEvaluator::DatasetEvaluator(const DatasetInputs& inputs)
    : inputs_(&inputs), variants_(inputs) {}

void DatasetEvaluator::open(std::int64_t number) {
  evaluator_.reset();
  cluster_.reset();
  problem_ = {};
  variant_ = variants_.at(number);
  try {
    cluster_ = variants_.cluster(*variant_);
    evaluator_.emplace(inputs_->scripts[variant_->script], *cluster_,
                       inputs_->options[variant_->script], inputs_->design.intervals);
  } catch (const std::bad_alloc&) {
    problem_ = {"there is not enough memory for it", store::FailureCause::memory};
  } catch (const std::exception& error) {
    problem_ = {error.what(), store::FailureCause::prediction};
  }
}

void DatasetEvaluator::fail(const machine::Grid& grid, Results& results) {
  results.rows.push_back(store::make_failed_row(grid, 0.0));
  if (inputs_->design.intervals) {
    results.intervals.resize(results.intervals.size() +
                             inputs_->scripts.front().tables().intervals.size());
  }
  results.reasons.push_back(problem_);
}

void DatasetEvaluator::operator()(const Task& task, Results& results) {
  if (!variant_ || variant_->number != task.variant) {
    open(task.variant);
  }
  if (evaluator_) {
    (*evaluator_)(task.grid, results);
  } else {
    fail(task.grid, results);
  }
}

}  // namespace gridcast::sweep
