#pragma once
/// Internal: ends of communications over a tree of networks of ports (docs/model.md §4), row by row
/// of the grid.

#include <span>
#include <vector>

#include "folded_ends.h"
#include "port_nodes.h"

namespace gridcast::model {

/// An exchange of shadow edges. Rows away from the first and the last that begin at the same place
/// of a node are through alike.
class PortExchange final : public FoldedEnds {
public:
  /// `nodes`: memory.
  void work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                std::span<const NetworkLevel> levels, double copy_time, PortNodes& nodes);

private:
  void add_rows(std::int64_t count, std::int64_t kept);
  void fill(const Band& band);
  std::uint32_t pattern_of(std::int64_t node);
  PortNodes::Times times_of(std::int64_t node);
  /// Whether all that a node has to do with lies in one run of the last dimension, like what the
  /// node behind it has to do with.
  [[nodiscard]] bool inside(std::int64_t first) const noexcept;

  PortNodes* nodes_ = nullptr;
  std::vector<std::uint32_t> patterns_;  // per node, those that were asked for
  std::vector<PortNodes::Part> parts_;
  std::vector<std::uint32_t> sources_;
};

/// A reduction, or what one processor hands to all. The ends of processors with consecutive numbers
/// under the same networks follow each other in equal steps.
class PortFan final : public FoldedEnds {
public:
  /// `speaking`: how many processors send to the root over each level; `speaks`: per class, whether
  /// its processors do; both empty if none does.
  void work_out(const ProcessorClasses& classes, const Fan& fan,
                std::span<const NetworkLevel> levels, std::span<const std::int64_t> speaking,
                std::span<const std::uint8_t> speaks);

private:
  /// Processors lo … hi - 1: the first is through at `first`, each one `step` after that before it.
  struct Piece {
    std::int64_t lo = 0, hi = 0;
    double first = 0.0, step = 0.0;
    std::size_t level = 0;
  };
  /// What leaves the root.
  struct Sender {
    double ready = 0.0;         ///< when the root has prepared what it has sent so far
    double until = 0.0;         ///< when all of it has left
    double overhead = 0.0;      ///< of the root
    std::vector<double> ports;  ///< per level, until when its port is taken
  };

  void gather(std::span<const std::int64_t> speaking, Sender& sender);
  void hand_out(const Fan& fan, Sender& sender);
  void add_pieces(std::size_t level, std::int64_t lo, std::int64_t hi, Sender& sender);
  void add_rows();
  void fill(std::int64_t y);

  std::span<const NetworkLevel> levels_;
  std::span<const std::uint8_t> speaks_;
  std::vector<double> lengths_;  // of a message, per level
  double base_ = 0.0;            // when the root begins to hand out
  std::vector<Piece> pieces_;
  std::int64_t root_ = 0;
  double root_overhead_ = 0.0;
};

}  // namespace gridcast::model
