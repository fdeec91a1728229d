#pragma once
/// A small model of execution time with which searches are tested and measured without a trace: an
/// iterative stencil program (Jacobi) on a cluster of one or two levels. It knows only what gives
/// the search its difficulty: unequal blocks, shadow edges, a reduction, channels of networks,
/// nodes.

#include <cstdint>
#include <string>
#include <vector>

#include "gridcast/search/strategy.h"

namespace search_test {

/// A network with n channels (1: a bus).
struct Network {
  int channels = 1;
  double start_time = 0.0;  ///< seconds per transfer
  double byte_time = 0.0;   ///< seconds per byte
};

/// Nodes of equal size; processors of one node use its inner network, others the outer one.
struct Machine {
  std::string name;
  std::int64_t node_size = 1;  ///< 1: no inner network
  Network inner;
  Network outer;
};

/// An array of doubles, updated in each iteration from its neighbours, and a maximum.
struct Stencil {
  std::vector<std::int64_t> extents;
  double seconds_per_element = 4.2e-9;  ///< of one iteration
  int iterations = 10;
};

/// Predicted time and efficiency of the program on the grid.
gridcast::search::Outcome evaluate(const Stencil& program, const Machine& machine,
                                   const gridcast::machine::Grid& grid);

/// Computation of the largest block alone: never above the time of evaluate().
double computation_bound(const Stencil& program, const gridcast::machine::Grid& grid);

/// Computation of the largest block and the reductions: never above the time of evaluate() either.
double reduction_bound(const Stencil& program, const Machine& machine,
                       const gridcast::machine::Grid& grid);

}  // namespace search_test
