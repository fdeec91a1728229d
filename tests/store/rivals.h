#pragma once
/// Processes that want the same lock.

#include <filesystem>

#include "gridcast/store/lock.h"

namespace gridcast::store::testing {

/// What came of many rounds in which several processes take over the same stale lock at once.
struct RivalCounts {
  int rounds = 0;
  int doubles = 0;  ///< rounds in which two held it at the same time
  int without = 0;  ///< rounds in which nobody got it
  int errors = 0;   ///< attempts that ended in neither way
};

/// In every round `contenders` processes meet the lock of a writer that is gone, torn texts and no
/// lock at all in turn; whoever gets it holds it until all have tried.
[[nodiscard]] RivalCounts contend(const std::filesystem::path& store, int rounds, int contenders,
                                  LockMethod method);

}  // namespace gridcast::store::testing
