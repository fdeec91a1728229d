#pragma once
/// How the store of a sweep or a data set is written.

#include <spdlog/spdlog.h>

#include <chrono>
#include <string>

#include "gridcast/farm/signals.h"
#include "gridcast/store/writer.h"

namespace gridcast::sweep {

/// Settings: SweepSettings or DatasetSettings. `signals` must outlive the opening of the store.
template <class Settings>
[[nodiscard]] store::WriterOptions writer_options(const Settings& settings,
                                                  const StopSignals& signals) {
  store::WriterOptions options;
  options.durability = settings.durability;
  options.lock.patience =
      std::chrono::milliseconds(static_cast<std::int64_t>(settings.lock_wait * 1000.0));
  options.lock.stop = [&signals] { return signals.requested() != 0; };
  options.lock.waiting = [](const std::string& text) { spdlog::warn("{}", text); };
  return options;
}

}  // namespace gridcast::sweep
