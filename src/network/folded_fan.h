#pragma once
/// Internal: fans over trees of networks with channels.

#include <cstdint>
#include <span>

#include "gridcast/network/class_messages.h"
#include "gridcast/network/folded_ends.h"
#include "gridcast/network/network_levels.h"

namespace gridcast::network {

/// A fan over a tree of networks with channels, or one such network.
class FoldedFan final : public FoldedEnds {
public:
  /// `speaking`: how many processors send to the root over each level. `taken`: until when channels
  /// of the top network are.
  void work_out(const ProcessorClasses& classes, const Fan& fan,
                std::span<const NetworkLevel> levels, std::span<const std::int64_t> speaking,
                std::span<const double> taken = {});
};

}  // namespace gridcast::network
