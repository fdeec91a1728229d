#pragma once
/// Internal: ends of communications over a tree of networks of ports (docs/model.md §4), row by row
/// of the grid.

#include <span>
#include <vector>

#include "fan_pieces.h"
#include "gridcast/network/folded_ends.h"
#include "port_nodes.h"

namespace gridcast::network {

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
  void gather(double bytes, std::span<const std::int64_t> speaking);
  void hand_out(const Fan& fan);
  void add_rows();
  void fill(std::int64_t y);

  std::span<const NetworkLevel> levels_;
  std::span<const std::uint8_t> speaks_;
  FanSender gathered_;            // the root before it hands out
  std::vector<FanPiece> pieces_;  // the root is one
  FanBorders borders_;
};

}  // namespace gridcast::network
