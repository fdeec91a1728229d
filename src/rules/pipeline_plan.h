#pragma once
/// A pipelined loop on one processor system, before any time is known (docs/model.md §6):
/// the lines it runs along, what its processors compute and send, and the figures that choose the
/// number of its portions.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "gridcast/machine/grid.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/pipeline_formulas.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// How a dimension of a processor system cuts something: which dimension, -1 if none, and whether
/// coordinates and indices ascend together.
struct DimensionCut {
  int dim = -1;
  bool ascending = true;
};

/// A dimension of the processor system of a loop.
struct LoopDimension {
  std::int64_t extent = 1;  ///< coordinates
  std::int64_t stride = 1;  ///< of processor numbers from one coordinate to the next
  DimensionCut cut;         ///< of the loop
  double largest = 0.0;     ///< part of the loop that a coordinate has
};

/// A dimension of the processor system that the loop is a pipeline along.
struct PipelineLine {
  int dim = -1;
  int loop_dim = -1;  ///< that it cuts
  bool ascending = true;
  std::int64_t step = 1;                                ///< receiver - sender of an edge
  std::vector<std::pair<double, std::int64_t>> widths;  ///< element size and width per array
};

/// What a processor does in a pipeline. Figures of edges per line.
struct PipelineStage {
  bool runs = false;               ///< has iterations
  double work = 0.0;               ///< iterations per quantised point
  double relative = 1.0;           ///< what the shape of its portions makes of their time
  std::uint32_t length = 0;        ///< different work is numbered
  std::uint32_t predecessors = 0;  ///< that send edges to it
  std::uint32_t first_line = machine::max_grid_rank;  ///< along which it sends
  double send_cost = 0.0;                             ///< of the edges of a portion, seconds
  std::array<bool, machine::max_grid_rank> sends{};
  std::array<double, machine::max_grid_rank> bytes{};         ///< per quantised point
  std::array<double, machine::max_grid_rank> send_time{};     ///< TSend
  std::array<double, machine::max_grid_rank> receive_time{};  ///< TRecv of edges that come in

  /// It sends an edge along a line, or gets one.
  void send(std::size_t line, const machine::Network& network) noexcept;
  void receive(std::size_t line, const machine::Network& network) noexcept;
  /// The first line from `line` on along which it sends; some number above all if there is none.
  [[nodiscard]] std::uint32_t next_line(std::uint32_t line) const noexcept {
    while (line < machine::max_grid_rank && !sends[line]) {
      ++line;
    }
    return line;
  }
};

/// How a pipelined loop is cut into portions, and who sends its edges to whom.
struct PipelinePlan {
  std::vector<PipelineLine> lines;
  std::vector<std::uint8_t> split;      ///< per dimension of the loop: portions do not cut it
  std::vector<std::int64_t> quantised;  ///< extents of the others, outermost first
  double elements = 1.0;                ///< iterations in all
  std::size_t depth = 0;                ///< steps from the first to the last processor
  PipelineShape shape;  ///< of a loop that takes a second; networks are for the caller to add
  std::vector<PipelineStage> stages;
  std::vector<std::uint32_t> stage_of;  ///< per processor
  std::vector<double> lengths;          ///< some different values of PipelineStage::work

  /// How a dimension of the loop's processor system cuts an array; not if that lies elsewhere.
  using ArrayCut = std::function<DimensionCut(PlacementId array, int dim)>;
  /// Begins with the lines of a loop of these extents and so many iterations; no stages yet. False
  /// if there are no lines.
  bool assign(const Script& script, const ModelOptions& options, const PipelineSpec& spec,
              std::span<const std::int64_t> extents, double iterations,
              std::span<const LoopDimension> dimensions, const ArrayCut& array_cut);

  /// What a processor with a block of these extents does, but for who sends; its performance is
  /// 1 / `inverse`.
  [[nodiscard]] PipelineStage stage(std::span<const std::int64_t> block, double inverse);

private:
  void collect_shape(std::span<const std::int64_t> extents,
                     std::span<const LoopDimension> dimensions);
};

}  // namespace gridcast::model
