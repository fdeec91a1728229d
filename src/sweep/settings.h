#pragma once
/// What `gridcast sweep` takes (docs/commands.md): a plain struct, filled by the command line.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/evaluate/bounds.h"
#include "gridcast/evaluate/questions.h"
#include "gridcast/farm/scheduler.h"
#include "gridcast/machine/grid.h"
#include "gridcast/retrace/generate.h"
#include "gridcast/rules/options.h"
#include "gridcast/search/best.h"
#include "gridcast/search/strategy.h"
#include "gridcast/sweep/run_settings.h"

namespace gridcast::sweep {

/// Settings of one sweep; every rank has the same.
struct SweepSettings : RunSettings {
  std::vector<std::filesystem::path> traces;  ///< TRACE...: at least one, or one description
  trace::ParameterValues parameters;          ///< of a description instead of a trace: --param
  std::vector<std::string> shapes;            ///< --shape-traces: runs in blocks of other shapes
  std::filesystem::path machine;              ///< --machine: a .par file
  std::vector<std::string> assignments;       ///< --set: applied in this order

  std::optional<search::Mode> mode;   ///< --mode; empty: `search =` of the machine file, else exact
  Questions questions;                ///< --max-processors and the conditions on grids
  std::optional<machine::Grid> grid;  ///< --grid: the given grid; empty: one processor
  search::Goal goal;                  ///< --objective, --min-efficiency, --within
  search::Heuristic heuristic = search::Heuristic::descent;  ///< --heuristic
  std::size_t best = 1;  ///< --best: how many of the best grids are wanted
  /// --front: by how much slower than the fastest grid, as shares, ascending; none if empty.
  std::vector<double> front{search::default_front.begin(), search::default_front.end()};

  double margin = usual_margin;  ///< --margin: free processes, as a share

  bool intervals = false;  ///< --intervals: store the results of every interval
  std::optional<std::filesystem::path> best_html;  ///< --best-html: written by the command line
  model::OptionWords options;                      ///< of the model, as given

  /// At most so many grids are sent to a worker at a time, and come back in one answer. Groups get
  /// up to 16 times as many.
  std::size_t max_batch = SchedulerOptions{}.max_batch;
};

}  // namespace gridcast::sweep
