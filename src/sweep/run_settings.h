#pragma once
/// What every run whose results go into a store takes and leaves, a sweep and a data set alike.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "gridcast/farm/limits.h"
#include "gridcast/store/durability.h"

namespace gridcast::sweep {

/// --progress: `automatic` shows progress as one updating line if stderr is a terminal, otherwise
/// as one line per minute.
enum class ProgressMode : std::uint8_t { automatic, always, never };

/// --resume: whether to begin a store, to go on with one, or to do what its existence asks for.
enum class Resume : std::uint8_t { no, yes, automatic };

/// How results are stored and how far a run goes; every rank has the same.
struct RunSettings {
  std::filesystem::path store;  ///< --store
  Resume resume = Resume::no;   ///< --resume, --resume=auto
  bool retry_failed = false;    ///< --retry-failed: forget what failed before
  store::Durability durability = store::Durability::second;  ///< --durability
  /// --lock-wait: how long a requeued job waits for its earlier start to end, seconds.
  double lock_wait = 60.0;
  std::optional<double> time_limit;             ///< --time-limit: seconds until the run drains
  std::int64_t max_failures = 100;              ///< --max-failures: failures that are tolerated
  std::optional<std::filesystem::path> events;  ///< --events: JSON lines, appended
  ProgressMode progress = ProgressMode::automatic;

  std::string version;       ///< of gridcast, stored with the results
  std::string command_line;  ///< as typed, stored with the results

  /// A batch of grids whose worker does not answer for at least this long is given to another one;
  /// slow predictions get more. Seconds.
  double lease_seconds = 60.0;

  WatchLimits watch;  ///< --start-limit, --peer-limit

  /// --group-size: ranks of a group that has a master of its own; 0: rank 0 serves all others.
  /// Empty: decided by the number of ranks (layout.h).
  std::optional<int> group_size;
};

/// How a run ended; complete on rank 0, elsewhere only `exit_code`.
struct RunOutcome {
  int exit_code = 0;  ///< 0 complete, 1 failed, 2 bad input, 3 stopped early, can be resumed
  std::uint64_t evaluated = 0;     ///< rows in the store, those of earlier runs (--resume) included
  std::uint64_t failed = 0;        ///< of those, rows without a prediction
  std::uint64_t postponed = 0;     ///< not in the store: failures that the next start tries again
  std::string message;             ///< why the run did not complete; one line, already on stderr
  bool lost_ranks = false;         ///< some rank is gone: MPI_Finalize would wait for it
  bool unreachable_ranks = false;  ///< ... and may run where it cannot be ended from here
};

}  // namespace gridcast::sweep
