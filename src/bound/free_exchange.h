#pragma once
/// Internal: shadow edges of free processes through ports (docs/search.md, "Free processes").

#include <cstdint>
#include <span>
#include <vector>

#include "least_machine.h"
#include "least_mapping.h"

namespace gridcast::model {

/// A processor of a single grid and those around it, whose messages decide when it goes on.
struct FreeNeighbours {
  GridCoordinates middle{};
  std::vector<GridCoordinates> all;   ///< the middle and those next to it, corners too
  std::vector<std::int64_t> numbers;  ///< theirs, ascending

  /// Around LeastMapping::middle(); nobody if the box has several grids.
  [[nodiscard]] static FreeNeighbours of(const LeastMapping& mapping);
  [[nodiscard]] bool contains(std::int64_t number) const noexcept;
};

/// What an exchange costs at least. Seconds.
struct FreeExchange {
  double last = 0.0;  ///< from the moment on that all may send, until the last has received
  /// The same from the moment on that all around the middle may send.
  double last_around = 0.0;
  double middle = 0.0;  ///< until the middle has received, from that moment
  double inner = 0.0;   ///< until each of those around it has
  double send_middle = 0.0, receive_middle = 0.0;  ///< overheads of the middle
  double send_inner = 0.0, receive_inner = 0.0;    ///< of each of those around it
};

/// Of the edges of one grid, whose networks are `levels` (LeastMachine::port_levels()).
[[nodiscard]] FreeExchange free_exchange(LeastMapping& mapping, const CommunicationSpec& spec,
                                         const FreeNeighbours& neighbours,
                                         std::span<const PortLevel> levels);

}  // namespace gridcast::model
