#pragma once
/// The networks between ranks: hosts, sockets, cores.

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gridcast::measure {

/// Where a rank runs.
struct Place {
  std::string host;
  int socket = 0;
};

/// One network: what it connects and which ranks can time it.
struct Level {
  std::string name;                        ///< of its cluster: "system", "node", "socket"
  std::string part;                        ///< of what it connects: "node", "socket", "core"
  int parts = 1;                           ///< how many of them
  std::vector<std::pair<int, int>> pairs;  ///< ranks whose messages use this network; disjoint
};

/// The levels with more than one part, from the outermost; none if there is one rank. If hosts or
/// sockets have different numbers of ranks, the smallest counts and `uneven` is set.
struct Levels {
  std::vector<Level> levels;
  bool uneven = false;
};

[[nodiscard]] Levels levels_of(std::span<const Place> ranks);

}  // namespace gridcast::measure
