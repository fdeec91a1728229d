#pragma once
/// Internal: what a lower bound knows of the operations of a script before any grid.

#include <vector>

#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

struct OperationFacts {
  /// A communication that starts there surely finds idle networks.
  bool idle = false;
  /// It finds only the messages of `first`, which found idle networks and started together.
  bool second = false;
  std::uint32_t first = none;  ///< token
  /// Its transfers all have an end in the current view.
  bool contained = true;
  /// It may be part of a mean iteration (--extrapolate-iterations): only computation counts.
  bool extrapolated = false;
};

/// Whether everything happens on the root grid.
[[nodiscard]] bool runs_on_root_grid(const Script& script);

/// Networks are idle if the current processors wait for all communications before, and each of
/// their transfers since a moment that all processors saw has an end among these processors: then
/// the latest of their clocks is not before the end of any transfer.
[[nodiscard]] std::vector<OperationFacts> find_operation_facts(const Script& script,
                                                               const ModelOptions& options);

}  // namespace gridcast::model
