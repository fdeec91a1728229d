#pragma once
/// Internal: simulation of a pipelined loop on equal processors of the root grid, on one network or
/// in a tree of equal ones (docs/model.md §6). What does not depend on the loop's time is worked
/// out once per grid: a processor's block is a product over the dimensions, so the processors of a
/// class do the same. Where a loop starts as it did before, taking as long, it is not simulated
/// again.

#include <memory>
#include <span>
#include <vector>

#include "class_clocks.h"
#include "class_mapping.h"
#include "gridcast/network/edge_networks.h"
#include "gridcast/rules/portion_simulation.h"
#include "rowed_pipeline.h"

namespace gridcast::model {

using network::NetworkLevel;

/// What a pipelined loop runs on.
struct PipelineMachine {
  machine::Network network;  ///< the one that connects all
  std::span<const NetworkLevel>
      levels;                 ///< those of a tree, the lowest first; empty: only that one
  double inverse = 1.0;       ///< processors take 1/inverse of the tracing machine's speed
  double portion_cost = 0.0;  ///< TPortion
  Interruption* interruption = nullptr;  ///< where portions are counted
  std::size_t* kept = nullptr;           ///< clocks in the runs that are known of all loops
};

/// What the networks carry when a pipelined loop starts.
struct PipelineCarried {
  std::vector<double> channels;  ///< one network of channels: when those are free again
  const network::ClassExchange* exchange =
      nullptr;         ///< tree or ports: an exchange that started on idle ones
  double start = 0.0;  ///< when it did
};

class ClassPipeline {
public:
  /// From now on about another grid.
  void reset() noexcept { ready_ = false; }

  /// Whether the loop has dependences between processors of the grid of `mapping`, which, as what
  /// `machine` refers to, outlives what is asked about it.
  bool depends(const ClassMapping& mapping, const PipelineSpec& spec,
               const PipelineMachine& machine);

  /// A run of the loop and how it began.
  struct Run {
    double call = 0.0;
    ClassClocks::Snapshot clocks;
    PipelineCarried carried;   ///< after the clocks' base
    ClassPipelineTimes times;  ///< after the clocks' base at the loop's start
  };

  /// What the loop does if it starts now, the networks being as `carried` says, and takes `call`
  /// seconds on the tracing machine; `steady`: portions of the steady state are extrapolated. Valid
  /// until the next reset(). Null if so many different runs are known that more would take too much
  /// memory.
  const Run* run(double call, bool steady, const ClassClocks& clocks, PipelineCarried carried);

private:
  bool prepare(const ClassMapping& mapping, const PipelineSpec& spec);
  void add_networks();
  void collect_stages(const ClassLayout& loop);
  [[nodiscard]] const Run* known(double call, const ClassClocks& clocks,
                                 const PipelineCarried& carried) const;
  /// Whether a loop that finds the networks so can be run by rows of processors.
  [[nodiscard]] bool rows_known(const PipelineCarried& carried) const;
  void simulate(bool steady, const PipelineCarried& carried, ClassPipelineTimes& times);
  /// Sends what the networks carry when the loop starts.
  template <class Medium>
  void carry(const PipelineCarried& carried, Medium& medium) const;

  bool ready_ = false, depends_ = false;
  PipelineMachine machine_;
  const ProcessorClasses* classes_ = nullptr;
  PipelinePlan plan_;  // a stage per class
  Portions portions_;
  PortionCase case_;
  PortionSimulation simulation_;
  network::EdgeMemory edges_;
  PipelineTimes times_;
  RowedPipeline rows_;
  std::vector<double> starts_;  // per class, or per processor
  std::vector<std::unique_ptr<Run>> runs_;
  std::size_t used_ = 0;  // of these, on this grid
};

}  // namespace gridcast::model
