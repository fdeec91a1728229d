#pragma once
/// Internal: ends of communications over a tree of networks with channels, or one such network:
/// each message is placed, but rows of the grid that would repeat are left out.

#include <cstdint>
#include <span>

#include "gridcast/network/class_messages.h"
#include "gridcast/network/folded_ends.h"
#include "gridcast/network/network_levels.h"

namespace gridcast::network {

/// An exchange of shadow edges.
void fold_exchange(const ProcessorClasses& classes, const ClassExchange& exchange,
                   std::span<const NetworkLevel> levels, FoldedEnds& ends);

/// A fan. `speaking`: how many processors first send to the root over each level, if any do.
/// `taken`: until when channels of the top network are.
void fold_fan(const ProcessorClasses& classes, const Fan& fan, std::span<const NetworkLevel> levels,
              std::span<const std::int64_t> speaking, std::span<const double> taken,
              FoldedEnds& ends);

}  // namespace gridcast::network
