#pragma once
/// Reads what a command works on: traces, machines, grids.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gridcast/explain/critical_path.h"
#include "gridcast/explain/losses.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/predict/prediction.h"
#include "gridcast/retrace/generate.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"
#include "gridcast/trace/program.h"
#include "options.h"

namespace gridcast::cli {

/// The traces that a name stands for (trace::find_member_files), also with .ptr at its end.
[[nodiscard]] std::vector<std::string> traces_of(const std::string& name);

/// Reads one trace, merges those of all processes of a run, or generates what a description says.
[[nodiscard]] trace::Program load_program(const std::vector<std::string>& traces,
                                          const model::OptionWords& given);

/// A program ready for prediction and everything there is to say about it.
struct LoadedProgram {
  model::Script script;
  model::ResolvedOptions resolved;    ///< the options of the model that hold for it
  std::vector<std::string> traces;    ///< as given
  std::vector<std::string> warnings;  ///< of the reader, then of the compiler
  /// With times one spread shorter and longer, if the trace knows it.
  std::optional<model::Script> low = std::nullopt, high = std::nullopt;
  /// The same by places of the source, if it was asked for: predictions then say where time is
  /// lost.
  std::optional<model::Script> places = std::nullopt;
  double most_loss_steps = model::most_loss_steps;
  std::string sha256 = {};  ///< of the trace's text, as stores have it
};

/// The values of parameters: those of --times, then those of --param. Throws InputError.
[[nodiscard]] trace::ParameterValues parameters_of(const ProgramOptions& program);

/// Reads --param and --set of descriptions: NAME=VALUE each. Throws InputError.
[[nodiscard]] trace::ParameterValues read_parameters(const std::string& option,
                                                     const std::vector<std::string>& texts);

/// The files that a command reads because of its program.
[[nodiscard]] std::vector<std::string> files_of(const ProgramOptions& program);

/// Reads, merges or generates, and compiles, `with_places` also by places of the source.
[[nodiscard]] LoadedProgram load_script(const ProgramOptions& program,
                                        const model::OptionWords& given, bool with_places = false);

/// The same for traces.
[[nodiscard]] LoadedProgram load_script(const std::vector<std::string>& traces,
                                        const model::OptionWords& given, bool with_places = false);

/// Reads a machine and applies the assignments in their order.
[[nodiscard]] machine::Cluster read_machine(const MachineOptions& options);

/// The same with the threads of its processes; warnings are printed.
[[nodiscard]] machine::Cluster load_machine(const MachineOptions& options);

/// The given grid; else the machine's `topology`; else one processor.
[[nodiscard]] machine::Grid choose_grid(const std::optional<machine::Grid>& given,
                                        const machine::Cluster& cluster);

/// Predicts a grid, with names, warnings and assumptions of the program filled in.
[[nodiscard]] model::Prediction predict(const LoadedProgram& program,
                                        const machine::Cluster& cluster, const machine::Grid& grid,
                                        bool per_processor = false);

/// Title of the page of a prediction: "jac.ptr on 4x2 of mvs".
[[nodiscard]] std::string prediction_title(const model::Prediction& prediction);

/// Prints warnings on stderr.
void log_warnings(std::span<const std::string> warnings);

}  // namespace gridcast::cli
