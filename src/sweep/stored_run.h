#pragma once
/// What a sweep and a data set have in common about their store: beginning or going on, and what
/// becomes of failures whose cause may pass.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gridcast/search/strategy.h"
#include "gridcast/store/writer.h"
#include "gridcast/sweep/settings.h"
#include "store_options.h"

namespace gridcast::sweep {

/// A store that is being written, and whether it has rows of an earlier start.
struct OpenedRun {
  store::StoreWriter writer;
  bool resumed = false;
};

/// Of SweepSettings or DatasetSettings, what is about the store.
struct StoreUse {
  std::filesystem::path path;
  Resume resume = Resume::no;
  bool retry_failed = false;
  store::WriterOptions options;
};

/// Begins a store or goes on with it, as --resume says. Warns of rows that a power cut took. Throws
/// InputError.
[[nodiscard]] OpenedRun open_run(const StoreUse& use, const store::StoreSetup& setup);

template <class Settings>
[[nodiscard]] OpenedRun open_run(const Settings& settings, const StopSignals& signals,
                                 const store::StoreSetup& setup) {
  return open_run(StoreUse{settings.store, settings.resume, settings.retry_failed,
                           writer_options(settings, signals)},
                  setup);
}

/// Failures of this run that are tried again by the next one.
class Postponed {
public:
  void add(store::FailureCause cause) noexcept;
  [[nodiscard]] std::uint64_t count() const noexcept { return memory_ + lost_; }

  /// Why a run that has nothing left to do is not complete: "s.h5: 3 grids are still to be
  /// predicted (2 had not enough memory, ...". `noun`: what was predicted.
  [[nodiscard]] std::string message(const std::filesystem::path& store,
                                    const std::string& noun) const;

private:
  std::uint64_t memory_ = 0;
  std::uint64_t lost_ = 0;
};

/// What a search with bounds has shown, for its store; `most`: processors of the machine that a
/// candidate may take.
[[nodiscard]] store::Proof proof_of(const search::Strategy& strategy, std::int64_t most);

/// The front, for the store.
[[nodiscard]] store::Front stored_front(const std::vector<search::FrontEntry>& front);

/// The rows of some grids, as they lie in a store. Throws RunError if one is not there.
[[nodiscard]] std::vector<store::ResultRow> stored_rows(const std::filesystem::path& path,
                                                        const std::vector<machine::Grid>& grids);

}  // namespace gridcast::sweep
