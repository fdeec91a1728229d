#pragma once
/// What was measured, and what the model says about it for any machine.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gridcast/base/words.h"
#include "gridcast/calibrate/fit.h"
#include "gridcast/calibrate/measured.h"
#include "gridcast/calibrate/parameters.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"
#include "gridcast/trace/program.h"

namespace gridcast::calibrate {

/// Which part of a program the measured times are those of.
enum class Interval : std::uint8_t {
  automatic,  ///< the first interval of the user, else the whole program
  program,    ///< the whole program
  user,       ///< the first interval of the user
};

/// A program as it is predicted.
struct CalibratedProgram {
  std::string name;  ///< file name of its trace
  std::shared_ptr<const model::Script> script;
  /// The program compiled from its trace with this cost of an event line (seconds); empty: the
  /// trace cost is not fitted.
  std::function<std::shared_ptr<const model::Script>(double)> with_trace_cost;
  double event_line = 0.0;  ///< what its shortest event lines took, seconds; 0: not known
  model::ResolvedOptions resolved = {};  ///< options of the model
};

/// What the shortest event lines of a trace took, seconds: recording, mostly. The mean of the times
/// within half of their lower quartile; 0 if that is more than 10 µs, or there are none.
[[nodiscard]] double shortest_event_line(const trace::Program& program);

/// One measured time.
struct Experiment {
  std::string program;  ///< empty: messages
  machine::Grid grid;   ///< of a run
  MeasuredMessages messages;
  double seconds = 0.0;
  std::size_t place = 0;  ///< of the program among the programs

  [[nodiscard]] bool is_run() const noexcept { return !program.empty(); }
  /// "jac.ptr 4x2", "0 to 1, 1500 bytes".
  [[nodiscard]] std::string name() const;
};

/// All measured times with what predicts them.
class Experiments {
public:
  /// Throws InputError (file and line) if a trace has no program, a grid or a processor is not on
  /// the machine, or nothing was measured.
  Experiments(machine::Cluster cluster, std::vector<CalibratedProgram> programs,
              std::span<const Measured> measured, Interval interval);

  [[nodiscard]] const std::vector<Experiment>& rows() const noexcept { return rows_; }
  [[nodiscard]] const machine::Cluster& cluster() const noexcept { return cluster_; }
  [[nodiscard]] const std::vector<CalibratedProgram>& programs() const noexcept {
    return programs_;
  }
  /// What was assumed of each of them.
  [[nodiscard]] std::vector<NamedWords> assumed() const;
  /// Processors of the greatest grid.
  [[nodiscard]] std::int64_t processors() const noexcept { return processors_; }

  /// The problem of fitting these numbers of the machine; refers to this object. Behind the rows()
  /// it has one more per program whose shortest event lines are known, if the trace cost is fitted:
  /// recording takes about as long as they did. Messages are of kind 1, all else of kind 0.
  [[nodiscard]] FitProblem problem(const std::vector<Parameter>& parameters) const;

  /// Predicted seconds of some rows; `trace_cost`: of an event line, if it is not that of the
  /// programs as they were given.
  [[nodiscard]] std::vector<double> predict(const machine::Cluster& cluster,
                                            std::optional<double> trace_cost,
                                            std::span<const std::size_t> rows) const;

private:
  void add_run(const Measured& file, const MeasuredRun& run);
  void add_messages(const Measured& file, const MeasuredMessages& messages);
  void add_event_lines(FitProblem& problem) const;
  [[nodiscard]] std::size_t program_of(const Measured& file, const MeasuredRun& run) const;
  [[nodiscard]] std::size_t interval_of(const model::Script& script) const;
  [[nodiscard]] std::shared_ptr<const model::Script> script(std::size_t program,
                                                            std::optional<double> trace_cost) const;

  machine::Cluster cluster_;
  std::vector<CalibratedProgram> programs_;
  Interval interval_;
  std::vector<Experiment> rows_;
  std::int64_t processors_ = 1;
};

}  // namespace gridcast::calibrate
