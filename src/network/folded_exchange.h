#pragma once
/// Internal: exchanges over trees of networks with channels.

#include <cstdint>
#include <span>

#include "gridcast/network/class_messages.h"
#include "gridcast/network/folded_ends.h"
#include "gridcast/network/network_levels.h"

namespace gridcast::network {

/// An exchange of shadow edges over a tree of networks with channels, or one such network: each
/// message is placed, but rows that would repeat are left out.
class FoldedExchange final : public FoldedEnds {
public:
  void work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                std::span<const NetworkLevel> levels);
};

}  // namespace gridcast::network
