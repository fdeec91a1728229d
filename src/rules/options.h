#pragma once
/// Options of the model (docs/commands.md): each is asked for in one place of the code, and written
/// and read in one file. What nobody gives is the default of the input, a trace or a description.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gridcast/base/words.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/machine/placement.h"
#include "gridcast/mapping/blocks.h"
#include "gridcast/trace/program.h"

namespace gridcast::model {

/// --pipeline: how a pipelined loop is simulated (docs/model.md §6).
enum class PipelineMode : std::uint8_t {
  steady,      ///< processors and portions that repeat the steady state are extrapolated
  full,        ///< everything is simulated
  exhaustive,  ///< tries up to 1000 portion sizes, simulating each as `steady` does, and takes the
               ///< best
};

/// --engine: how predictions are worked out; both give the same figures, to rounding.
enum class EngineKind : std::uint8_t {
  fast,       ///< by classes of equal processors where a program and a machine allow it
  reference,  ///< processor by processor
};

/// --reduction: how values are gathered and handed out.
using machine::ReductionKind;

/// --processes: whether processes wait for each other before collective operations.
enum class ProcessKind : std::uint8_t {
  together,  ///< all meet, as the run-time library of DVM does (docs/model.md §2)
  free,      ///< each waits for its messages only (docs/model.md §10)
};

/// --portions: from which start times of messages a pipelined loop is cut (docs/model.md §6).
enum class PortionChoice : std::uint8_t {
  machine,  ///< those of the machine
  trace,    ///< Tirecv and Twrecv, which the run-time library measured in the traced run
};

/// Iterations of a loop of free processes that are simulated if nobody asks for others.
inline constexpr std::int64_t usual_iterations = 64;

/// Which variant of each rule of the model is used. A value that nobody changes is the default of a
/// trace.
struct ModelOptions {
  mapping::BlockRule block_rule = mapping::BlockRule::ceil;
  bool processor_weights = true;  ///< blocks follow the performance of unequal processors
  PipelineMode pipeline = PipelineMode::steady;
  bool extrapolate_iterations = false;  ///< docs/model.md §8
  EngineKind engine = EngineKind::fast;
  ReductionKind reduction = ReductionKind::linear;
  bool first_contiguous = false;  ///< --contiguous=first: arrays are stored as Fortran does
  bool skip_startup = false;      ///< --startup=skip; acts when the trace is read
  double trace_cost = 0.0;        ///< --trace-cost, seconds per event line; acts there too
  PortionChoice portions = PortionChoice::machine;
  bool library_costs = true;  ///< TCollective, TLoad, TArray and TPortion count; TCopy always does
  /// Of the traces of --shape-traces, which act when the program is compiled; empty: none.
  std::string shapes = {};
  ProcessKind processes = ProcessKind::together;
  /// --iterations: of a loop of free processes so many iterations are simulated; 0: all.
  std::int64_t iterations = usual_iterations;
  /// --ranks: how the program numbers its ranks, by row or column.
  machine::Placement::Kind ranks = machine::Placement::Kind::row;
  machine::Placement placement;  ///< which coordinates of the grid are on which node

  /// "startup=count block-rule=ceil ..." in a fixed order: stored with results. Later options stand
  /// there unless they are the default of a trace.
  [[nodiscard]] std::string text() const;

  /// The costs of the run-time library that count.
  [[nodiscard]] machine::LibraryCosts counted(const machine::LibraryCosts& library) const;

  friend bool operator==(const ModelOptions&, const ModelOptions&) = default;
};

/// An option as it is written: --NAME=WORD, in a design file, in text().
struct OptionRule {
  std::string_view name;
  std::string_view words;  ///< "ceil|balanced", or what stands for a word of another kind
  std::string_view help;
  std::string (*word)(const ModelOptions& options);  ///< its value
  /// False if there is no such word.
  bool (*set)(ModelOptions& options, std::string_view word);
  bool always;  ///< stands in text() though it is the default
};

/// All options, in the order of text().
[[nodiscard]] std::span<const OptionRule> option_rules();

/// The option of this name; nullptr if there is none.
[[nodiscard]] const OptionRule* option_named(std::string_view name);

/// Whether what is assumed of this depends on the kind of input.
[[nodiscard]] bool depends_on_input(std::string_view name);

/// Words for options of the model by name, as "reduction" and "tree"; also "min-block", which is a
/// condition on grids.
using OptionWords = std::map<std::string, std::string, std::less<>>;

/// Sets an option. Throws InputError for a word that it does not know.
void set_option(ModelOptions& options, std::string_view name, const std::string& word);

/// Which options hold for a program, and where they come from.
struct ResolvedOptions {
  ModelOptions options;
  std::string min_block = "0";  ///< --min-block: "0", "edge" or "N[,M...]"
  bool described = false;       ///< the program is a description, no trace
  bool by_size = false;         ///< --processes depends on how many there are: settle()
  /// Every option that nobody gave and its value; for a description that gives none also
  /// "overhead".
  NamedWords assumed;

  /// Options and min_block in one line, for other ranks; parse() reads it. Throws InputError.
  [[nodiscard]] std::string text() const;
  static ResolvedOptions parse(std::string_view text);
};

/// What holds for a program: the words `given`, else those of its description, else the default of
/// its kind of input (docs/model.md, "Defaults"). Throws InputError, with file and line for a word
/// of the description.
[[nodiscard]] ResolvedOptions resolve(const OptionWords& given, const trace::Program& program);

/// The same from what the description `file` says; nothing: a trace.
[[nodiscard]] ResolvedOptions resolve(const OptionWords& given,
                                      const std::optional<trace::Description>& description,
                                      const std::string& file);

/// Messages of more processes than these are not followed one by one if nobody asks for it.
inline constexpr std::int64_t most_free_processes = 4096;

/// Says whether processes run free, if nobody has, for so many of them.
void settle(ResolvedOptions& resolved, std::int64_t processes);

/// All options as words, so that nothing depends on the kind of input.
[[nodiscard]] OptionWords words_of(const ResolvedOptions& resolved);

/// The same before the program is read: what acts on reading depends on no kind of input.
[[nodiscard]] trace::ReadOptions read_options(const OptionWords& given);

/// The same for processes that meet before collective operations.
[[nodiscard]] ModelOptions together(ModelOptions options);

/// Number of the rules of the model and a hash of the options: changes whenever a prediction of the
/// same trace, machine and grid may change. Results of different versions are not mixed in one
/// store.
[[nodiscard]] std::string model_version(const ModelOptions& options = {});

}  // namespace gridcast::model
