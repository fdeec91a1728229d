#pragma once
/// Random boxes of grids, and what their bounds must hold for.

#include <map>
#include <random>
#include <string>

#include "elements.h"
#include "fixture.h"
#include "gridcast/bound/box_bound.h"
#include "gridcast/compile/compile.h"

namespace gridcast::model::test {

/// A grid of the box with at most `most` processors.
machine::Grid some_grid(const machine::GridBox& box, std::int64_t most, std::mt19937& random);

/// A box of random size out of all grids of a rank with at most `most` processors.
machine::GridBox some_box(int rank, std::int64_t most, std::mt19937& random);

/// Compares bounds of random boxes, and of single grids, with predictions of their grids.
class BoundCheck {
public:
  BoundCheck(const Script& script, const machine::Cluster& cluster, const ModelOptions& options);

  /// One box of grids with at most `most` processors; its grid is also a box of its own.
  void look(int rank, std::int64_t most, std::mt19937& random);

  /// Mean of bound over prediction: of single grids, and of boxes.
  [[nodiscard]] double closeness() const { return singles_ / static_cast<double>(count_); }
  [[nodiscard]] double closeness_of_boxes() const { return boxes_ / static_cast<double>(count_); }

private:
  void compare(const machine::GridBox& box, std::int64_t most, const machine::Grid& grid,
               double& ratios);

  Predictor predictor_;
  BoxBound bound_;
  std::map<std::string, Characteristics> known_;
  double singles_ = 0.0, boxes_ = 0.0;
  int count_ = 0;
};

/// A program over arrays 0 and 1 and template 0: loops, edges, sums, copies, buffers, moves.
void random_program(std::mt19937& random, Elements& elements, Run& run);

/// One machine of each kind of network, and these.
[[nodiscard]] std::vector<machine::Cluster> bounded_kinds(std::vector<machine::Cluster> more);

/// Mean of what `closeness` returns for 0, 1, ... rounds-1.
template <class Closeness>
[[nodiscard]] double mean_closeness(int rounds, Closeness&& closeness) {
  double sum = 0.0;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    sum += closeness(round);
  }
  return sum / rounds;
}

/// In every fourth round blocks are balanced.
[[nodiscard]] inline ModelOptions options_of_round(int round) {
  ModelOptions options;
  options.block_rule = round % 4 == 3 ? mapping::BlockRule::balanced : mapping::BlockRule::ceil;
  return options;
}

/// Boxes of grids of at most `most` processors, so many on each machine; mean closeness of their
/// single grids over the machines.
[[nodiscard]] double look_at_machines(const Compiled& compiled,
                                      const std::vector<machine::Cluster>& machines,
                                      const ModelOptions& options, int rank, std::int64_t most,
                                      int boxes, std::mt19937& random);

}  // namespace gridcast::model::test
