#pragma once
/// The answer of a search: the chosen grid with what one types to start it, and the grids to
/// compare it with. Worked out once from the rows of a store; shown as text, JSON and HTML.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gridcast/base/json_writer.h"
#include "gridcast/machine/job.h"

namespace gridcast::report {

/// One evaluated grid of an answer.
struct AnsweredGrid {
  machine::Grid grid;                   ///< with the threads of its processes
  machine::Placement placement;         ///< which of its coordinates share a node
  std::vector<machine::NodeRun> nodes;  ///< with the processes they hold; empty: not known
  double execution_time = 0.0;          ///< seconds
  double efficiency = 0.0;              ///< 0 ... 1
  /// Processors that get no elements of the reference array; nothing: not known.
  std::optional<std::int64_t> idle_processors;
  /// What the run costs, if that is the objective: node-hours, or money if nodes have prices.
  std::optional<double> cost;
  bool cost_is_price = false;
};

/// Everything that is said of the grids of a search.
struct Answer {
  std::optional<AnsweredGrid> best;           ///< the chosen one
  std::optional<AnsweredGrid> unconstrained;  ///< by the objective alone
  bool limited = false;                       ///< --min-efficiency or --within chose among them
  /// The best evaluated one that leaves no processor empty, if the chosen one does.
  std::optional<AnsweredGrid> full;
  std::optional<AnsweredGrid> runner_up;  ///< of the evaluated ones
  double gap = 0.0;                       ///< how much worse it is, in parts of the best
  std::vector<AnsweredGrid> near_best;    ///< others within 1 % of the best, at most 100
  std::int64_t near_count = 0;            ///< how many there are
  std::optional<machine::Job> job;        ///< of the best
  std::string note;                       ///< on what a node is; empty: nothing to say
  std::string robust;  ///< how far the machine may change, one sentence; empty: not known
};

/// "2 nodes of 32"; "8 nodes of 16 and 4 of 8".
[[nodiscard]] std::string nodes_text(const std::vector<machine::NodeRun>& nodes);

/// Extents as LAMMPS-like inputs have them, at least three: "8 4 1".
[[nodiscard]] std::string processors_text(const machine::Grid& grid);

/// The grid on one line: extents, processors, nodes, time, efficiency.
[[nodiscard]] std::string answered_text(const AnsweredGrid& grid);

/// The same without the extents: "64 processors on 2 nodes of 32, 12.3 ms, efficiency 0.9100".
[[nodiscard]] std::string answered_figures(const AnsweredGrid& grid);

/// Names and texts of an answer, in order; names of lines that go on are empty. Without the lines
/// of the job.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> answer_lines(const Answer& answer);

/// The job: what to ask for and to type.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> job_lines(const Answer& answer);

/// Such lines as text for a terminal: a column of names, texts cut at 100 columns between words
/// unless they are commands.
[[nodiscard]] std::string aligned_lines(
    const std::vector<std::pair<std::string, std::string>>& lines);

/// The grid as an object of JSON, null if there is none (docs/schemas/status.json).
void put_answered(JsonWriter& json, const std::optional<AnsweredGrid>& grid);

/// The job as an object of JSON, null if there is none.
void put_job(JsonWriter& json, const std::optional<machine::Job>& job);

/// The job on a page: commands with buttons that copy them, the rest folded; empty if there is
/// none.
[[nodiscard]] std::string job_section(const Answer& answer);

}  // namespace gridcast::report
