#include "stored_job.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/farm/idle.h"
#include "gridcast/farm/periods.h"

namespace gridcast::sweep {

StoredJob::StoredJob(const RunSettings& settings, const StopSignals& signals, double begin,
                     std::string_view noun, std::size_t intervals_per_row)
    : events_(settings.events),
      progress_(settings.progress),
      run_settings_(&settings),
      signals_(&signals),
      begin_(begin),
      noun_(noun),
      intervals_per_row_(intervals_per_row) {}

bool StoredJob::open_store(const store::StoreSetup& setup) {
  const RunSettings& use = *run_settings_;
  if (use.retry_failed && use.resume == Resume::no) {
    throw InputError("--retry-failed without --resume",
                     "expected --resume or --resume=auto and a store with failures");
  }
  store::WriterOptions options;
  options.durability = use.durability;
  options.lock.patience =
      std::chrono::milliseconds(static_cast<std::int64_t>(use.lock_wait * 1000.0));
  options.lock.stop = [this] { return signals_->requested() != 0; };
  options.lock.waiting = [](const std::string& text) { spdlog::warn("{}", text); };
  std::error_code ignored;
  if (use.resume == Resume::no ||
      (use.resume == Resume::automatic && !std::filesystem::exists(use.store, ignored))) {
    store_ = store::StoreWriter::create(use.store, setup, options);
    return false;
  }
  const auto failed = use.retry_failed ? store::FailedRows::drop : store::FailedRows::keep;
  store_ = store::StoreWriter::resume(use.store, setup, failed, options);
  if (store_->lost_rows() > 0) {
    spdlog::warn(
        "{}: {} rows were not yet on disk and are evaluated again (the journal is kept as "
        "{}.journal.damaged)",
        use.store.string(), store_->lost_rows(), use.store.string());
  }
  return true;
}

void StoredJob::take(std::span<const Task> tasks, const Results& results, int worker,
                     double seconds) {
  const std::size_t per_row =
      results.rows.empty() ? 0 : results.intervals.size() / results.rows.size();
  if (per_row != intervals_per_row_ || results.rows.size() != tasks.size()) {
    throw RunError("rank " + std::to_string(worker), "sent results of another shape",
                   "use the same program and options on all ranks");
  }
  std::size_t next_reason = 0;
  std::size_t grids = 0;
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const store::ResultRow& row = results.rows[i];
    if (tasks[i].bounds != 0) {
      take_bounds(tasks[i], row);
      continue;
    }
    ++grids;
    const bool failed = row.status == store::Status::failed;
    const Reason reason =
        failed && next_reason < results.reasons.size() ? results.reasons[next_reason++] : Reason();
    take_row(tasks[i], row, reason, std::span(results.intervals).subspan(i * per_row, per_row));
  }
  if (grids > 0) {
    forecast_.learn(tasks, seconds);
    events_.batch(worker, grids, seconds, run().evaluated);
  }
}

void StoredJob::take_bounds(const Task&, const store::ResultRow&) {}

void StoredJob::store_row(const store::ResultRow& row, const Reason& reason,
                          std::span<const double> extras,
                          std::span<const model::Characteristics> intervals,
                          const std::string& where) {
  forecast_.done(row.grid());
  if (row.status == store::Status::failed) {
    store_failure(row, reason, extras, where);
  } else {
    store_->append(row, extras, intervals);
    ++run().evaluated;
  }
  unflushed_ = true;
}

void StoredJob::store_failure(const store::ResultRow& row, const Reason& reason,
                              std::span<const double> extras, const std::string& where) {
  const machine::Grid grid = row.grid();
  if (store::is_temporary(reason.cause)) {
    store_->postpone(grid, where.empty() ? reason.text : where + ": " + reason.text, reason.cause);
    ++run().postponed;
    without_memory_ += reason.cause == store::FailureCause::memory ? 1 : 0;
  } else {
    store_->append_failure(row, reason.text, extras);
    ++run().failed;
    ++run().evaluated;
  }
  if (run().failed + run().postponed <= most_logged_) {
    progress_.clear();
    spdlog::warn("{}{}grid {} failed: {}", where, where.empty() ? "" : ", ", grid.text(),
                 reason.text);
  }
  events_.failure(grid, reason);
}

void StoredJob::lost(const LostRank& lost) {
  progress_.clear();
  spdlog::warn("rank {} {}: its grids go to others", lost.rank, lost.reason);
  events_.lost(lost.rank, lost.reason);
}

void StoredJob::stop(int exit_code, const std::string& why) {
  run().exit_code = exit_code;
  run().message = fmt::format("{}: stopped {}", run_settings_->store.string(), why);
}

bool StoredJob::should_stop() {
  if (run().exit_code != 0) {
    return true;
  }
  const RunSettings& settings = *run_settings_;
  constexpr const char* stored = "all results are stored (--resume goes on)";
  if (const std::uint64_t failed = run().failed + run().postponed;
      failed > static_cast<std::uint64_t>(std::max<std::int64_t>(0, settings.max_failures))) {
    stop(1, fmt::format("after {} failed {}s, all results are stored (see /failures; "
                        "--max-failures {} is the limit)",
                        failed, noun_, settings.max_failures));
  } else if (const int number = signals_->requested(); number != 0) {
    stop(3, fmt::format("by signal {}, {}", number, stored));
  } else if (settings.time_limit && seconds_now() - begin_ >= *settings.time_limit) {
    stop(3, fmt::format("by --time-limit {}, {}", *settings.time_limit, stored));
  }
  return run().exit_code != 0;
}

void StoredJob::tick() {
  const double now = seconds_now();
  if (unflushed_ && now - last_flush_ >= flush_seconds) {
    store_->flush();
    last_flush_ = now;
    unflushed_ = false;
  }
  look_at_proof(now);
  ProgressState state{run().evaluated, run().failed + run().postponed, total_,
                      best_so_far(),   forecast_.work_done(),          std::nullopt,
                      proof_};
  if (total_) {
    state.work_left = forecast_.work_left();
  }
  if (const auto told = progress_.update(now, state)) {
    store_->tell(*told);
  }
}

/// A search may have hundreds of thousands of boxes: they are looked at every second, or less often
/// so that it takes at most a fiftieth of the time.
void StoredJob::look_at_proof(double now) {
  constexpr double period = 1.0;
  constexpr double share = 50.0;
  if (now < next_look_) {
    return;
  }
  proof_ = proof_so_far();
  if (proof_) {
    events_.proof(*proof_);
  }
  const double end = seconds_now();
  next_look_ = end + std::max(period, share * (end - now));
}

/// Why a run that has nothing left to do is not complete.
std::string StoredJob::postponed_message() {
  const std::uint64_t lost = run().postponed - without_memory_;
  std::string causes;
  if (without_memory_ > 0) {
    causes = fmt::format("{} for want of memory", without_memory_);
  }
  if (lost > 0) {
    causes += fmt::format("{}{} because every process that evaluated it was killed or hung",
                          causes.empty() ? "" : ", ", lost);
  }
  const auto number = static_cast<std::int64_t>(run().postponed);
  return fmt::format(
      "{}: {} {} without a result ({}), all others are stored (--resume tries again)",
      run_settings_->store.string(), counted(number, noun_), number == 1 ? "is" : "are", causes);
}

void StoredJob::settle() {
  // The last results may have finished what was to be stopped.
  if (run().exit_code == 3 && finished()) {
    run().exit_code = 0;
    run().message.clear();
  }
  if (run().exit_code == 0 && run().postponed > 0) {
    run().exit_code = 3;
    run().message = postponed_message();
  }
}

void StoredJob::end_store(const std::optional<store::Best>& best) {
  if (run().exit_code == 0) {
    store_->finish(best);
  } else {
    store_->close();
  }
  progress_.clear();
}

void StoredJob::tell_end() {
  events_.end(run().exit_code, run().evaluated, run().failed, run().message);
}

}  // namespace gridcast::sweep
