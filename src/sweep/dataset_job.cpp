#include "dataset_job.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <compare>
#include <new>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/farm/idle.h"
#include "gridcast/farm/periods.h"
#include "gridcast/store/reader.h"

namespace gridcast::sweep {
namespace {

/// Failures are written to the log up to this number; /failures has them all.
constexpr std::uint64_t most_logged = 20;

bool precedes(std::int64_t variant_a, const machine::Grid& a, std::int64_t variant_b,
              const machine::Grid& b) noexcept {
  return variant_a != variant_b ? variant_a < variant_b : machine::compare(a, b) < 0;
}

}  // namespace

DatasetJob::DatasetJob(const DatasetSettings& settings, const ReadDataset& read,
                       const StopSignals& signals, double begin, int ranks)
    : settings_(&settings),
      inputs_(&read.inputs),
      signals_(&signals),
      begin_(begin),
      variants_(read.inputs),
      grids_(read.inputs),
      total_(expected_rows(read.inputs, variants_)),
      events_(settings.events),
      progress_(settings.progress),
      intervals_per_row_(read.inputs.design.intervals
                             ? read.inputs.scripts.front().tables().intervals.size()
                             : 0) {
  last_input_.number = -1;
  outcome_.variants = static_cast<std::uint64_t>(variants_.count());
  const store::StoreSetup setup = dataset_setup(settings, read);
  OpenedRun run = open_run(settings, signals, setup);
  store_ = std::move(run.writer);
  expect_rows();
  if (run.resumed) {
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

void DatasetJob::take(std::span<const Task> tasks, const Results& results, int worker,
                      double seconds) {
  const std::size_t per_row =
      results.rows.empty() ? 0 : results.intervals.size() / results.rows.size();
  if (per_row != intervals_per_row_ || results.rows.size() != tasks.size()) {
    throw RunError("rank " + std::to_string(worker), "sent results of another shape",
                   "use the same program and options on all ranks");
  }
  std::size_t next_reason = 0;
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const bool failed = results.rows[i].status == store::Status::failed;
    const Reason reason =
        failed && next_reason < results.reasons.size() ? results.reasons[next_reason++] : Reason();
    take_row(tasks[i], results.rows[i], reason,
             std::span(results.intervals).subspan(i * per_row, per_row));
  }
  forecast_.learn(tasks, seconds);
  events_.batch(worker, results.rows.size(), seconds, outcome_.evaluated);
}

void DatasetJob::take_row(const Task& task, const store::ResultRow& row, const Reason& reason,
                          std::span<const model::Characteristics> intervals) {
  --out_;
  forecast_.done(task.grid);
  if (last_input_.number != task.variant) {
    last_input_ = variants_.at(task.variant);
    last_values_ = input_values(inputs_->design, last_input_);
  }
  if (row.status == store::Status::failed) {
    take_failure(task, row, reason);
  } else {
    store_->append(row, last_values_, intervals);
    ++outcome_.evaluated;
  }
  unflushed_ = true;
}

void DatasetJob::take_failure(const Task& task, const store::ResultRow& row, const Reason& reason) {
  if (store::is_temporary(reason.cause)) {
    store_->postpone(task.grid, fmt::format("variant {}: {}", task.variant, reason.text),
                     reason.cause);
    postponed_.add(reason.cause);
    outcome_.postponed = postponed_.count();
  } else {
    store_->append_failure(row, reason.text, last_values_);
    ++outcome_.failed;
    ++outcome_.evaluated;
  }
  if (outcome_.failed + outcome_.postponed <= most_logged) {
    progress_.clear();
    spdlog::warn("variant {}, grid {} failed: {}", task.variant, task.grid.text(), reason.text);
  }
  events_.failure(task.grid, reason);
}

void DatasetJob::give_up(const Task& task, const std::string& reason) {
  take_row(task, store::make_failed_row(task.grid, 0.0), {reason, store::FailureCause::lost}, {});
}

void DatasetJob::lost(const LostRank& lost) {
  progress_.clear();
  spdlog::warn("rank {} {}: its grids go to others", lost.rank, lost.reason);
  events_.lost(lost.rank, lost.reason);
}

bool DatasetJob::finished() const { return exhausted_ && out_ == 0; }

bool DatasetJob::should_stop() {
  if (outcome_.exit_code != 0) {
    return true;
  }
  const std::string store = settings_->store.string();
  if (const std::uint64_t failed = outcome_.failed + outcome_.postponed;
      failed > static_cast<std::uint64_t>(std::max<std::int64_t>(0, settings_->max_failures))) {
    outcome_.exit_code = 1;
    outcome_.message = fmt::format(
        "{}: stopped after {} failed predictions, all results are stored (see "
        "/failures; --max-failures {} is the limit)",
        store, failed, settings_->max_failures);
  } else if (const int number = signals_->requested(); number != 0) {
    outcome_.exit_code = 3;
    outcome_.message = fmt::format(
        "{}: stopped by signal {}, all results are stored (--resume goes on)", store, number);
  } else if (settings_->time_limit && seconds_now() - begin_ >= *settings_->time_limit) {
    outcome_.exit_code = 3;
    outcome_.message =
        fmt::format("{}: stopped by --time-limit {}, all results are stored (--resume goes on)",
                    store, *settings_->time_limit);
  }
  return outcome_.exit_code != 0;
}

void DatasetJob::tick() {
  const double now = seconds_now();
  if (unflushed_ && now - last_flush_ >= flush_seconds) {
    store_->flush();
    last_flush_ = now;
    unflushed_ = false;
  }
  ProgressState state{outcome_.evaluated,
                      outcome_.failed + outcome_.postponed,
                      total_,
                      std::nullopt,
                      forecast_.work_done(),
                      std::nullopt};
  if (total_) {
    state.work_left = forecast_.work_left();
  }
  progress_.update(now, state);
}

void DatasetJob::finish() {
  // The last results may have finished what was to be stopped.
  if (outcome_.exit_code == 3 && finished()) {
    outcome_.exit_code = 0;
    outcome_.message.clear();
  }
  if (outcome_.exit_code == 0 && postponed_.count() > 0) {
    outcome_.exit_code = 3;
    outcome_.message = postponed_.message(settings_->store, "prediction");
  }
  if (outcome_.exit_code == 0) {
    store_->finish(std::nullopt);
  } else {
    store_->close();
  }
  progress_.clear();
  events_.end(outcome_.exit_code, outcome_.evaluated, outcome_.failed, outcome_.message);
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
