#include "stored_run.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <system_error>

#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/store/reader.h"

namespace gridcast::sweep {

OpenedRun open_run(const StoreUse& use, const store::StoreSetup& setup) {
  if (use.retry_failed && use.resume == Resume::no) {
    throw InputError("--retry-failed without --resume",
                     "expected --resume or --resume=auto and a store with failures");
  }
  std::error_code ignored;
  if (use.resume == Resume::no ||
      (use.resume == Resume::automatic && !std::filesystem::exists(use.path, ignored))) {
    return {store::StoreWriter::create(use.path, setup, use.options), false};
  }
  const auto failed = use.retry_failed ? store::FailedRows::drop : store::FailedRows::keep;
  OpenedRun run{store::StoreWriter::resume(use.path, setup, failed, use.options), true};
  if (run.writer.lost_rows() > 0) {
    spdlog::warn(
        "{}: {} rows were not yet on disk and are evaluated again (the journal is kept as "
        "{}.journal.damaged)",
        use.path.string(), run.writer.lost_rows(), use.path.string());
  }
  return run;
}

void Postponed::add(store::FailureCause cause) noexcept {
  (cause == store::FailureCause::memory ? memory_ : lost_) += 1;
}

std::string Postponed::message(const std::filesystem::path& store, const std::string& noun) const {
  std::string causes;
  if (memory_ > 0) {
    causes = fmt::format("{} for want of memory", memory_);
  }
  if (lost_ > 0) {
    causes += fmt::format("{}{} because every process that evaluated it was killed or hung",
                          causes.empty() ? "" : ", ", lost_);
  }
  const auto number = static_cast<std::int64_t>(count());
  return fmt::format(
      "{}: {} {} without a result ({}), all others are stored (--resume tries again)",
      store.string(), counted(number, noun), number == 1 ? "is" : "are", causes);
}

store::Proof proof_of(const search::Strategy& strategy, std::int64_t most) {
  store::Proof proof{most, 0, {}};
  if (const auto shown = strategy.proof()) {
    proof.excluded = static_cast<std::int64_t>(shown->excluded);
  }
  for (const search::OpenBox& open : strategy.open_boxes()) {
    store::OpenBox& box = proof.boxes.emplace_back();
    for (int dim = 0; dim < open.box.rank(); ++dim) {
      box.first[static_cast<std::size_t>(dim)] = static_cast<std::int32_t>(open.box.first(dim));
      box.last[static_cast<std::size_t>(dim)] = static_cast<std::int32_t>(open.box.last(dim));
    }
    box.threads = open.box.threads();
    box.bound = open.bound;
  }
  return proof;
}

store::Front stored_front(const std::vector<search::FrontEntry>& front) {
  store::Front result;
  for (const search::FrontEntry& each : front) {
    store::FrontEntry& entry = result.emplace_back();
    entry.within = each.within;
    entry.by_nodes = each.by_nodes;
    std::ranges::copy(each.outcome.grid.extents(), entry.extents.begin());
    entry.threads = each.outcome.grid.threads();
    entry.processors = each.outcome.grid.processors();
    entry.nodes = each.nodes;
    entry.execution_time = each.outcome.execution_time;
    entry.proven = each.proven;
    entry.at_least = each.at_least;
  }
  return result;
}

std::vector<store::ResultRow> stored_rows(const std::filesystem::path& path,
                                          const std::vector<machine::Grid>& grids) {
  std::vector<store::ResultRow> result(grids.size());
  std::vector<bool> found(grids.size(), false);
  store::StoreReader reader(path);
  reader.read_rows([&](const store::RowBatch& batch) {
    for (const store::ResultRow& row : batch.rows) {
      for (std::size_t i = 0; i < grids.size(); ++i) {
        if (row.grid() == grids[i]) {
          result[i] = row;
          found[i] = true;
        }
      }
    }
  });
  if (const auto missing = std::ranges::find(found, false); missing != found.end()) {
    throw RunError(
        path.string(),
        "has no row of the grid " + grids[static_cast<std::size_t>(missing - found.begin())].text(),
        "go on with --resume");
  }
  return result;
}

}  // namespace gridcast::sweep
