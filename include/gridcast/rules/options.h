#pragma once
/// Options of the model (docs/commands.md): each is asked for in one place of the code.

#include <cstdint>
#include <string>

#include "gridcast/machine/placement.h"
#include "gridcast/mapping/blocks.h"

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

/// --reduction: how values are gathered and handed out (docs/model.md §5).
enum class ReductionKind : std::uint8_t {
  linear,  ///< all send to one processor, which sends to all
  tree,    ///< binomial trees
};

/// --portions: from which start times of messages a pipelined loop is cut (docs/model.md §6).
enum class PortionChoice : std::uint8_t {
  machine,  ///< those of the machine
  trace,    ///< Tirecv and Twrecv, which the run-time library measured in the traced run
};

/// Which variant of each rule of the model is used.
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
  /// Of the traces of --shape-traces, which act when the program is compiled; empty: none.
  std::string shapes = {};
  machine::Placement placement;  ///< which coordinates of the grid are on which node

  /// "startup=count block-rule=ceil ..." in a fixed order: stored with results. The placement
  /// stands there unless it is by row.
  [[nodiscard]] std::string text() const;

  friend bool operator==(const ModelOptions&, const ModelOptions&) = default;
};

/// Number of the rules of the model and a hash of the options: changes whenever a prediction of the
/// same trace, machine and grid may change. Results of different versions are not mixed in one
/// store.
[[nodiscard]] std::string model_version(const ModelOptions& options = {});

}  // namespace gridcast::model
