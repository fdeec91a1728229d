#pragma once
/// Simulation of one pipelined loop on one grid, processor by processor (docs/model.md
/// §6; [Predictor2010 §4.6], [Forecasting §2.2]).

#include <array>
#include <span>
#include <vector>

#include "gridcast/network/networks.h"
#include "gridcast/rules/grid_mapping.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/portion_simulation.h"
#include "gridcast/rules/shape_table.h"

namespace gridcast::model {

/// Simulates pipelined loops on the grid of a mapping, one after the other.
class Pipeline {
public:
  explicit Pipeline(GridMapping& mapping) : mapping_(&mapping) {}

  /// Prepares the loop that takes `call` seconds on the tracing machine. Returns false if it runs
  /// without dependences between processors (each computes its share).
  bool prepare(const PipelineSpec& spec, double call);

  [[nodiscard]] const PipelineShape& shape() const noexcept { return plan_.shape; }
  [[nodiscard]] const PipelinePlan& plan() const noexcept { return plan_; }

  /// Seconds of an iteration, times PipelineStage::work.
  [[nodiscard]] double iteration_time() const noexcept { return call_ / plan_.elements; }

  /// The portions that the library chooses; stages know what their shape makes of their time.
  const Portions& cut() {
    cut(plan_.quantised.empty() ? 1 : plan_.shape.best_quanta());
    return portions_;
  }

  /// What the shape of its portions makes of the time that a processor computes (local number).
  [[nodiscard]] double relative(std::size_t local) const noexcept {
    return plan_.stages[local].relative;
  }

  /// The edges that processors (root numbers) send each other in the whole loop, in so many
  /// portions as it returns, if the library chooses their number.
  double edges(network::Communication& edges);

  /// Extents of a block, per dimension of the loop: of its first portion from now on, if the
  /// library chooses the number of portions.
  void first_extents(std::span<std::int64_t> block) {
    portions_.cut(plan_.quantised, plan_.shape.best_quanta());
    cut_to_portion(block);
  }

  /// Simulates it from the given clocks (root numbers) with the number of portions that the library
  /// chooses (or the best tried, in exhaustive mode); times are by local numbers.
  void run(PipelineMode mode, std::span<const double> clocks, network::Networks& networks,
           PipelineTimes& times);

private:
  void collect_stages(const PipelineSpec& spec);
  [[nodiscard]] const machine::Network& between(std::size_t a, std::size_t b) const noexcept;
  void cut_to_portion(std::span<std::int64_t> extents) const;
  [[nodiscard]] std::int64_t best_tried(std::span<const double> clocks,
                                        const network::Networks& networks, PipelineTimes& times);
  void cut(std::int64_t quanta);
  /// run() with this number of portions.
  void run_cut(std::int64_t quanta, PipelineMode mode, std::span<const double> clocks,
               network::Networks& networks, PipelineTimes& times);

  GridMapping* mapping_;
  const mapping::Layout* loop_ = nullptr;
  double call_ = 0.0;
  PipelinePlan plan_;
  ShapeFactor factor_;
  Portions portions_;
  PortionSimulation simulation_;
  std::vector<double> starts_;     // per local number
  std::vector<double> link_free_;  // per edge: over links, end of the previous one
};

}  // namespace gridcast::model
