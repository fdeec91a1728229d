#pragma once
/// Internal: the pipelined loops of a prediction by classes. A loop is prepared once per grid, and
/// where it starts as it did before, taking as long, it is not simulated again.

#include <memory>
#include <vector>

#include "class_clocks.h"
#include "class_pipeline.h"

namespace gridcast::model {

class PipelineRuns {
public:
  /// From now on about the grid of `mapping`.
  void reset(const ClassMapping& mapping, const PipelineMachine& machine);

  struct Run {
    PipelineId pipeline = none;
    double call = 0.0;
    ClassClocks::Snapshot clocks;
    PipelineCarried carried;            ///< after the clocks' base
    const ClassEnds* finish = nullptr;  ///< after the clocks' base at the loop's start
    double waiting = 0.0, overlap = 0.0;
    double busy_until = 0.0;  ///< the network, after the clocks' base
    ListedEnds listed;        ///< one of these is `finish`
    RowedEnds rowed;
  };

  /// Whether the loop has dependences between processors.
  bool depends(PipelineId pipeline);

  /// What the loop does if it starts now, the networks being as `carried` says; valid until the
  /// next reset(). Null if so many different runs are known that more would take too much memory.
  const Run* run(PipelineId pipeline, double call, bool steady, const ClassClocks& clocks,
                 PipelineCarried carried);

private:
  struct Loop {
    bool ready = false;
    bool depends = false;
    ClassPipeline pipeline;
  };
  [[nodiscard]] const Run* known(PipelineId pipeline, double call, const ClassClocks& clocks,
                                 const PipelineCarried& carried) const;
  void list_starts(const ClassClocks& clocks);

  const ClassMapping* mapping_ = nullptr;
  PipelineMachine machine_;
  std::vector<Loop> loops_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::size_t used_ = 0;  // of runs_, on this grid
  std::size_t kept_ = 0;  // clocks in them
  std::vector<double> class_starts_;
  ClassPipelineTimes times_;
  std::vector<double> starts_;
  ClassClocks::Snapshot listed_;  // the clocks that starts_ lists
  bool listed_ready_ = false;
};

}  // namespace gridcast::model
