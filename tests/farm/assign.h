#pragma once
/// Drives a scheduler without a farm.

#include <optional>
#include <utility>
#include <vector>

#include "gridcast/farm/scheduler.h"

namespace sweep_test {

/// All batches that the scheduler has to give at this moment.
inline std::vector<gridcast::sweep::Batch> assign_all(gridcast::sweep::Scheduler& scheduler,
                                                      double now) {
  std::vector<gridcast::sweep::Batch> batches;
  while (std::optional<gridcast::sweep::Batch> batch = scheduler.assign(now)) {
    batches.push_back(std::move(*batch));
  }
  return batches;
}

}  // namespace sweep_test
