#pragma once
/// Internal: pipelined loops of one portion on links and ports, where only the edges of the same
/// processor meet: processors end row after row, and rows that repeat are left out.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/network/folded_ends.h"
#include "gridcast/network/listed_ends.h"
#include "gridcast/rules/portion_simulation.h"

namespace gridcast::model {

using mapping::ProcessorClasses;
using network::RowShape;

/// What a pipelined loop did to the processors.
struct ClassPipelineTimes {
  const network::ClassEnds* finish = nullptr;  ///< clocks after the last portion: one of these
  network::ListedEnds listed;
  network::FoldedEnds rowed;
  double waiting = 0.0;     ///< Σ, for edges
  double overlap = 0.0;     ///< Σ, of edges with computation
  double busy_until = 0.0;  ///< the network is free from then on
};

class RowedPipeline {
public:
  /// The next loop has other lines, or is on another grid.
  void forget() noexcept { order_.clear(); }

  /// Runs a loop of one portion on one network of links or ports; `starts`: clocks per class.
  void run(const PortionCase& what, const ProcessorClasses& classes,
           const machine::Network& network, std::span<const double> starts,
           ClassPipelineTimes& times);

private:
  /// An edge after its sender's portion has ended.
  struct Edge {
    double ready = 0.0;    ///< to leave
    double arrival = 0.0;  ///< if by_port, when it is through the sender's
    double bytes = 0.0;
    bool by_port = false;
  };
  /// An edge of a cell of the row, and how much later it is than in the row before.
  struct Incoming : Edge {
    double rate = 0.0;
    std::int64_t step = 0;
  };

  void shape_rows(const ProcessorClasses& classes);
  void collect_edges();
  /// The class of a cell of the row, or of that before.
  [[nodiscard]] std::size_t class_of(std::size_t cell, std::size_t run) const noexcept {
    return rows_.cells()[cell].part + run * rows_.classes().class_stride(rows_.along());
  }
  [[nodiscard]] double portion_time(const PipelineStage& stage) const noexcept {
    return case_.iteration_time * stage.work * points_;
  }
  void edges_to(std::size_t cell);
  void add_edge(std::size_t line, std::size_t from, std::size_t run, double end);
  double received(double free, double& last);
  void compute_row();
  bool repeats();
  void add_rows(std::int64_t count, ClassPipelineTimes& times);

  PortionCase case_;
  const machine::Network* network_ = nullptr;
  std::span<const double> starts_;
  double points_ = 0.0;
  RowShape rows_;
  std::uint32_t along_ = 0;           // the line that rows follow each other in
  std::vector<std::uint32_t> order_;  // of the cells of a row; empty: these are not yet known
  std::vector<Edge> edges_;           // per class and line

  // The row: run of the dimension that rows follow each other in, here and in the row before.
  std::size_t run_ = 0, run_before_ = 0;
  bool has_before_ = false;
  std::vector<double> ends_, before_;  // per cell: of portions, here and there
  std::vector<double> rates_, sent_;   // from row to row; with sending
  std::vector<double> busy_;           // until then the ports that a cell uses, or its last edge
  std::vector<double> sending_;        // per class: from its end on, its port is busy so long
  std::vector<Incoming> incoming_;     // of the cell looked at
  network::Port port_;
};

}  // namespace gridcast::model
