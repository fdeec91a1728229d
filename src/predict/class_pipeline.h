#pragma once
/// Internal: simulation of a pipelined loop on equal processors of the root grid, all on one flat
/// network (docs/model.md §6). What does not depend on the loop's time is worked out once per grid:
/// a processor's block is a product over the dimensions, so processors are of few kinds.

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "class_mapping.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/rules/pipeline_formulas.h"
#include "gridcast/rules/portions.h"
#include "portion_events.h"

namespace gridcast::model {

/// What a pipelined loop did to the processors.
struct ClassPipelineTimes {
  std::vector<double> finish;  ///< clock of each processor after the last portion
  double waiting = 0.0;        ///< Σ, for edges
  double overlap = 0.0;        ///< Σ, of edges with computation
  double busy_until = 0.0;     ///< the network is free from then on
};

class ClassPipeline {
public:
  /// Looks at the loop on the grid of `mapping`; processors take 1/inverse of the tracing machine's
  /// speed. Returns false if it runs without dependences between processors.
  bool prepare(const ClassMapping& mapping, const PipelineSpec& spec,
               const machine::Network& network, double inverse);

  /// Runs the loop of `call` seconds from the given clocks; channels are taken until the times of
  /// `channels`. All these and the results are counted from `origin`. `steady`: portions of the
  /// steady state are extrapolated.
  void run(double call, bool steady, double origin, std::span<const double> clocks,
           std::span<const double> channels, ClassPipelineTimes& times);

private:
  struct Line {  // one pipelined dimension of the grid
    int dim = -1;
    bool ascending = true;
    std::int64_t step = 1;  // of processor numbers: receiver - sender of an edge
    std::vector<std::pair<double, std::int64_t>> widths;  // element size and width per array
  };
  /// Processors with equal blocks and neighbours.
  struct Kind {
    double cut = 0.0;          ///< iterations per quantised point
    std::uint32_t length = 0;  ///< different ones, numbered
    std::uint32_t predecessors = 0;
    bool runs = false;
    std::array<double, machine::max_grid_rank> bytes{};  ///< of an edge, per quantised point
    std::array<bool, machine::max_grid_rank> sends{};    ///< per line
  };
  /// A portion of one processor.
  struct Cell {
    double begin = 0.0, end = 0.0;
    double arrival = -HUGE_VAL;                     // of the last edge that it needs
    double longest_begin = 0.0, longest_end = 0.0;  // its longest edge
    std::uint32_t missing = 0;                      // edges still to come
  };
  struct Progress {  // of a processor
    std::uint32_t begun = 0, ended = 0;
    double end = 0.0;  // of its last portion
    double waiting = 0.0, overlap = 0.0;
  };

  void collect_lines(const ClassMapping& mapping, const PipelineSpec& spec);
  void collect_shape(const ClassMapping& mapping, const ClassLayout& loop);
  void collect_kinds(const ClassMapping& mapping, const ClassLayout& loop);
  [[nodiscard]] Kind kind_of(const ClassMapping& mapping, const ClassLayout& loop,
                             std::size_t which) const;
  void lay_out(const ProcessorClasses& classes);

  /// Simulates a pipeline of the first count - 1 portions and the last; returns their quantised
  /// points.
  double simulate_first(std::size_t count, std::span<const double> clocks,
                        std::span<const double> channels, ClassPipelineTimes& times);
  template <class Medium>
  void simulate(std::span<const double> clocks, Medium& medium);
  template <class Medium>
  void end_portion(std::uint32_t p, double now, Medium& medium);
  void begin_portion(std::uint32_t p);

  PipelineShape shape_;
  machine::Network network_;
  double inverse_ = 1.0;
  double elements_ = 1.0;
  std::vector<Line> lines_;
  std::vector<std::int64_t> quantised_;
  std::size_t depth_ = 0;  // steps from the first to the last processor of a line
  std::vector<Kind> kinds_;
  std::vector<double> cuts_;            // different values of Kind::cut
  std::vector<std::uint32_t> kind_of_;  // per processor
  Portions portions_;
  std::vector<double> sizes_;  // quantised points of the portions that are simulated
  double time_per_iteration_ = 0.0;
  double origin_ = 0.0;

  std::vector<Cell> cells_;  // portion * processors + processor
  std::vector<Progress> progress_;
  PortionEvents events_;
  std::vector<Progress> shorter_;  // of the shorter of two simulations
};

}  // namespace gridcast::model
