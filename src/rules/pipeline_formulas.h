#pragma once
/// The closed forms by which the run-time library chooses the number of portions of a pipelined
/// loop (docs/model.md §6, formulas 1, 5, 7, 10; [Predictor2010 §4.6]).

#include <cstdint>

#include "gridcast/machine/cluster.h"

namespace gridcast::model {

/// A pipeline on a line of processors. Times in seconds.
struct PipelineShape {
  double pipelined = 1.0;   ///< M: iterations along the pipelined dimensions
  double quantised = 1.0;   ///< N: iterations along the quantised dimensions
  double processors = 1.0;  ///< P: length of the line
  double iteration_time =
      0.0;                  ///< Tc, of one (m, n) point of the line, parallel lines' block included
  double edge_width = 0.0;  ///< W: edge per quantised element, elements
  double element_size = 0.0;      ///< of edges, the largest, bytes
  double element_transfer = 0.0;  ///< Tm
  double start_time = 0.0;        ///< Tir = Tis = Twr
  bool ports = false;             ///< a network between neighbours is of type ports
  double hop_time = 0.0;          ///< then: TSend + TStart + TRecv, the largest
  double overhead = 0.0;          ///< then: h = TSend + TRecv, the largest
  double gap = 0.0;               ///< then: TGap, the least time of an edge
  double portion_cost = 0.0;      ///< TPortion
  double traced_start = 0.0;      ///< Tirecv + Twrecv of the trace, in place of both; 0: not taken

  std::int64_t portions = 0;  ///< that the program asks for; 0: the best number

  /// Takes in a network between two neighbours of the line, with the costs of a message as long as
  /// the whole edge; M, N and the edge are known.
  void add_network(const machine::Network& network) noexcept;

  /// Tir + Twr, or h, with TPortion: what each portion costs beside computing and its bytes.
  [[nodiscard]] double each_portion() const noexcept;
  /// Tp: computing one of `quanta` portions.
  [[nodiscard]] double portion_time(double quanta) const noexcept;
  /// Tb: sending the edge of one portion.
  [[nodiscard]] double edge_time(double quanta) const noexcept;
  /// Whether computing a portion takes at least as long as sending its edge.
  [[nodiscard]] bool overloaded() const noexcept;
  /// Ta(Q): time of the whole loop.
  [[nodiscard]] double time(double quanta) const noexcept;
  /// Q*: the real number of portions that minimises Ta; N if starting a message costs nothing.
  [[nodiscard]] double ideal_quanta() const noexcept;
  /// The number of portions: that of the program, or the one that the library takes, the better
  /// neighbour of Q* in 1...N.
  [[nodiscard]] std::int64_t best_quanta() const noexcept;
};

}  // namespace gridcast::model
