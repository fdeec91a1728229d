#pragma once
/// What `gridcast sweep` takes (docs/commands.md): a plain struct, filled by the command line.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/farm/limits.h"
#include "gridcast/farm/scheduler.h"
#include "gridcast/machine/grid.h"
#include "gridcast/retrace/generate.h"
#include "gridcast/rules/options.h"
#include "gridcast/search/best.h"
#include "gridcast/search/strategy.h"
#include "gridcast/store/durability.h"
#include "gridcast/sweep/questions.h"

namespace gridcast::sweep {

/// --progress: `automatic` shows progress as one updating line if stderr is a terminal, otherwise
/// as one line per minute.
enum class ProgressMode : std::uint8_t { automatic, always, never };

/// --resume: whether to begin a store, to go on with one, or to do what its existence asks for.
enum class Resume : std::uint8_t { no, yes, automatic };

/// Settings of one sweep; every rank has the same.
struct SweepSettings {
  std::vector<std::filesystem::path> traces;  ///< TRACE...: at least one, or one description
  trace::ParameterValues parameters;          ///< of a description instead of a trace: --param
  std::vector<std::string> shapes;            ///< --shape-traces: runs in blocks of other shapes
  std::filesystem::path machine;              ///< --machine: a .par file
  std::vector<std::string> assignments;       ///< --set: applied in this order
  std::filesystem::path store;                ///< --store

  std::optional<search::Mode> mode;   ///< --mode; empty: `search =` of the machine file, else exact
  Questions questions;                ///< --max-processors and the conditions on grids
  std::optional<machine::Grid> grid;  ///< --grid: the given grid; empty: one processor
  search::Goal goal;                  ///< --objective, --min-efficiency, --within
  search::Heuristic heuristic = search::Heuristic::descent;  ///< --heuristic
  std::size_t best = 1;  ///< --best: how many of the best grids are wanted
  /// --front: by how much slower than the fastest grid, as shares, ascending; none if empty.
  std::vector<double> front{search::default_front.begin(), search::default_front.end()};

  bool intervals = false;      ///< --intervals: store the results of every interval
  Resume resume = Resume::no;  ///< --resume, --resume=auto
  bool retry_failed = false;   ///< --retry-failed: forget what failed before
  store::Durability durability = store::Durability::second;  ///< --durability
  /// --lock-wait: how long a requeued job waits for its earlier start to end, seconds.
  double lock_wait = 60.0;
  std::optional<double> time_limit;  ///< --time-limit: seconds after which the sweep drains
  std::int64_t max_failures = 100;   ///< --max-failures: failed grids that are tolerated
  std::optional<std::filesystem::path> best_html;  ///< --best-html: written by the command line
  std::optional<std::filesystem::path> events;     ///< --events: JSON lines, appended
  ProgressMode progress = ProgressMode::automatic;
  model::OptionWords options;  ///< of the model, as given

  std::string version;       ///< of gridcast, stored with the results
  std::string command_line;  ///< as typed, stored with the results

  /// A batch of grids whose worker does not answer for at least this long is given to another one;
  /// slow predictions get more. Seconds.
  double lease_seconds = 60.0;

  WatchLimits watch;  ///< --start-limit, --peer-limit

  /// --group-size: ranks of a group that has a master of its own; 0: rank 0 serves all others.
  /// Empty: decided by the number of ranks (layout.h).
  std::optional<int> group_size;

  /// At most so many grids are sent to a worker at a time, and come back in one answer. Groups get
  /// up to 16 times as many.
  std::size_t max_batch = SchedulerOptions{}.max_batch;
};

}  // namespace gridcast::sweep
