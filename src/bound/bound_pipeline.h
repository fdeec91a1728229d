#pragma once
/// Internal: lower bounds of pipelined loops on one grid (docs/search.md, "Lower bound").

#include <span>
#include <vector>

#include "bound_streams.h"
#include "gridcast/rules/pipeline_formulas.h"

namespace gridcast::model {

/// What is known of the clocks when a pipelined loop begins.
struct BoundClocks {
  std::span<double> own;  ///< of the candidates, at least
  double least = 0.0;     ///< no clock is below
  double latest = 0.0;    ///< the latest clock is not below
  /// The channels of the top network carry other messages for this long in all from `taken_from`
  /// on, divided by their number.
  double taken_from = 0.0, taken = 0.0;
  double taken_spread = 0.0;  ///< no clock is farther before `taken_from`
};

class BoundPipeline {
public:
  BoundPipeline(BoundMapping& mapping, PipelineMode mode)
      : mapping_(&mapping), mode_(mode), streams_(mapping) {
    facts_.resize(mapping.script().tables().pipelines.size());
  }

  void reset(std::span<const std::int64_t> candidates);

  /// The first processor of the line of `processor`; itself if the loop is not pipelined.
  std::int64_t line_start(std::uint32_t pipeline, std::int64_t processor);

  /// Raises the clocks by a loop that takes `call` seconds on the tracing machine. False if it runs
  /// without a pipeline.
  bool run(std::uint32_t pipeline, double call, BoundClocks& clocks);

private:
  struct Way {              // of the first edges to a processor
    double computed = 0.0;  // computation of one quantised point on the processors that they pass
    double started = 0.0;   // start times
    double sent = 0.0;      // byte times for one quantised point

    [[nodiscard]] double time(double call, double points) const noexcept {
      return call * points * computed + started + points * sent;
    }
  };
  struct Fill {             // of one candidate; computations per second of the loop
    double own = 0.0;       // computation of one quantised point
    std::size_t start = 0;  // candidate at the start of the line
    Way all;
    Way but_last;  // without the last edge
    Way from_top;  // from the first edge through the top network on, its sender excluded
    bool through_top = false;
    double edge_start = 0.0, edge_sent = 0.0;  // the last edge, over the channels it can use
    std::vector<std::pair<std::size_t, Way>>
        before;  // candidates on the way, and the way from them
  };
  struct Carrier {  // a network that edges pass
    std::uint32_t network = 0;
    double starts = 0.0;  // per portion, over its channels
    double sent = 0.0;    // per quantised point, over its channels
    bool one_channel = false;
  };
  struct Facts {
    bool ready = false;
    bool known = false;
    bool pipelined = false;
    PipelineShape shape;                  // iteration_time: per second of the loop
    std::vector<std::int64_t> quantised;  // extents, outermost first
    std::int64_t depth = 0;
    double least_block = 0.0;      // computation of one point on any processor that has some
    std::int64_t only_start = -1;  // candidate at the start of the only line
    std::vector<Fill> fills;
    std::vector<Carrier> carriers;
  };
  struct Line {
    int j = -1;
    bool ascending = true;
    std::vector<std::pair<double, std::int64_t>> widths;  // element size and width per array
    const StepFunction* edge = nullptr;                   // bytes per coordinate
  };
  struct Portions {
    double first = 1.0, last = 1.0;  // quantised points
    double simulated = 1.0;          // number of portions that certainly are simulated
    double points = 0.0;             // of those
    bool all = true;                 // nothing is extrapolated
  };

  [[nodiscard]] std::size_t index_of(std::int64_t processor) const noexcept;
  void work_out(Facts& facts, const PipelineSpec& spec);
  bool collect_lines(const GridBlocks& loop, const PipelineSpec& spec);
  void collect_shape(Facts& facts, const GridBlocks& loop);
  void collect_networks(Facts& facts) const;
  void collect_edges(Facts& facts, const GridBlocks& loop);
  [[nodiscard]] Fill fill(const GridBlocks& loop, std::int64_t processor) const;
  [[nodiscard]] bool step_back(const GridBlocks& loop, const Line& line,
                               GridShape::Coordinates& at) const;
  [[nodiscard]] double edge_bytes(const GridBlocks& loop, const Line& line,
                                  const GridShape::Coordinates& at) const;
  [[nodiscard]] Portions cut(const Facts& facts, double call) const;
  [[nodiscard]] const GridShape& shape() const noexcept { return mapping_->shape(); }

  BoundMapping* mapping_;
  PipelineMode mode_;
  NeighbourStreams streams_;
  std::vector<std::int64_t> candidates_;
  std::vector<Facts> facts_;
  std::vector<Line> lines_;
  std::vector<double> begins_;
};

}  // namespace gridcast::model
