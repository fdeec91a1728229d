#pragma once
/// The HTML page of a search over grids: all grids as map, charts and table, what
/// failed, and (for best.html) the prediction of the best grid.

#include <array>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/machine/grid.h"
#include "gridcast/predict/prediction.h"
#include "gridcast/report/answer.h"
#include "gridcast/search/front.h"
#include "gridcast/search/strategy.h"

namespace gridcast::report {

/// One evaluated grid. Seconds; sums over processors except `execution_time`.
struct SearchPoint {
  machine::Grid grid;
  double execution_time = 0.0;
  double efficiency = 1.0;
  double insufficient_parallelism = 0.0;
  double communication = 0.0;
  double idle = 0.0;
  bool leaves_empty = false;  ///< some of its processors get no elements
};

/// One of the best grids, with everything that is known of it.
struct DetailedPoint {
  machine::Grid grid;
  model::Characteristics sums;
  bool leaves_empty = false;
};

/// A grid that could not be evaluated, and why.
struct SearchFailure {
  machine::Grid grid;
  std::string reason;
};

/// Predictions that compete among themselves: those of one variant of a data set, of one run in a
/// merged store.
struct SearchGroup {
  std::string label;
  std::vector<double> factors;
  std::int64_t evaluated = 0;
  std::int64_t failed = 0;
  std::optional<SearchPoint> best;
};

/// One number of each prediction of a data set.
struct NumberColumn {
  std::string name;
  std::string units;
  bool is_label = false;  ///< names something, its size means nothing
  std::vector<double> values;
  /// Of a result: total Sobol' indices of inputs by name, where the design allows them.
  std::vector<std::pair<std::string, double>> totals;
};

/// What varies in a data set and what came out, column by column.
struct PredictionNumbers {
  std::int64_t predictions = 0;  ///< that succeeded; the columns may have an even choice of them
  std::size_t inputs = 0;        ///< the first columns are what varies, the others results
  std::vector<NumberColumn> columns;
};

/// first, first + step ... last.
struct NumberRun {
  std::int64_t first = 1;
  std::int64_t last = 1;
  std::int64_t step = 1;
};

/// What bounds have shown of the candidates that were not evaluated.
struct SearchProof {
  std::int64_t max_processors = 1;  ///< of a candidate
  search::Proof shown;              ///< `left`: of a complete search
  std::optional<double> margin;     ///< by which those were left, as a share
  std::vector<search::OpenBox> boxes;
  std::string conditions;   ///< on grids, without how they are placed
  bool of_program = false;  ///< some of them need the program: blocks, memory
  /// What the others admit; empty: not worked out, or nothing is excluded.
  std::vector<NumberRun> numbers;               ///< of processors
  std::vector<std::vector<NumberRun>> extents;  ///< per dimension
};

/// What the page of a search shows.
struct SearchReport {
  std::string machine;              ///< name of the top cluster
  std::vector<std::string> traces;  ///< file names as given
  std::string assumed;              ///< lines about what was assumed of the programs
  int mode = 0;                     ///< of [Predictor2010 §5]
  std::string objective = "time";   ///< "time", "efficiency" or "node-hours", as in the store
  std::optional<double> within;     ///< the share of the best that counts as good enough
  std::string conditions;           ///< on grids, as options of the command line; empty: none
  std::optional<double> min_efficiency;
  bool threads = false;         ///< candidates differ in the threads of their processes, too
  std::int64_t candidates = 0;  ///< -1: not known
  std::int64_t not_bad = 0;     ///< -1: not known
  std::optional<std::int64_t> below_min_block;  ///< grids that --min-block excluded
  std::int64_t evaluated = 0;
  bool complete = true;  ///< false: stopped early, can be resumed
  Answer answer;         ///< the chosen grid, what to type, what comes next
  std::optional<model::Characteristics> best_sums;  ///< of the chosen grid
  std::vector<SearchPoint> points;                  ///< every evaluated grid, in any order
  /// The best of `points` by objective and conditions, the best first; the page has their exact
  /// figures, of the others figures to 0.1 %.
  std::vector<DetailedPoint> details;
  std::vector<SearchFailure> failures;
  std::optional<SearchProof> proof;       ///< of mode 4, if it is known
  std::vector<search::FrontEntry> front;  ///< by ascending share, each by processors and by nodes
  /// If there are any, nothing is ranked across them and `points` are not shown.
  std::vector<SearchGroup> groups;
  std::vector<std::string> factors;                  ///< names of those of the groups
  PredictionNumbers numbers;                         ///< of all groups
  std::optional<model::Prediction> best_prediction;  ///< if given, its intervals close the page
};

/// Throws InputError if this gridcast was built without the chart library of the page.
void require_charts();

/// Writes one self-contained HTML5 page like `write_html`. The page does not depend on the order of
/// `points` and `failures`. The caller checks the state of `out` afterwards.
void write_search_html(std::ostream& out, const SearchReport& report);

}  // namespace gridcast::report
