#pragma once
/// What has to be transferred: a sparse list, and how long it takes on idle networks.

#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/base/interruption.h"
#include "gridcast/network/port_load.h"

namespace gridcast::network {

/// One message between two processors of the root grid.
struct Transfer {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double bytes = 0.0;
};

/// A set of transfers that start together: no self transfers, none empty, from ascending, then to
/// ascending (docs/model.md §4). Further phases start when the last transfer of the phase before
/// has ended (a reduction gathers, then broadcasts).
struct Communication {
  std::vector<Transfer> transfers;
  std::vector<std::size_t> later_phases;  ///< indices into `transfers` where phases 2, 3, ... begin
  /// Each transfer is a communication of its own, which starts when both of its processors are
  /// through with those before it in the list (trees); no phases then, and any order.
  bool one_by_one = false;
  /// Indices into `transfers` where rounds begin (pairs of a reduction, phases of send-receives): a
  /// message starts when its sender is through with the rounds before, and its receiver goes on
  /// from its own clock. Empty: no rounds; no phases otherwise.
  std::vector<std::size_t> rounds;
  /// Seconds per processor of the root grid before its first send and after its last receive; empty
  /// if there is nothing to pack. Only of communications of one phase.
  std::vector<double> packing, unpacking;

  void clear() {
    transfers.clear();
    later_phases.clear();
    one_by_one = false;
    rounds.clear();
    packing.clear();
    unpacking.clear();
  }
  [[nodiscard]] bool empty() const noexcept { return transfers.empty(); }
  /// Number of phases, at least 1.
  [[nodiscard]] std::size_t phases() const noexcept { return later_phases.size() + 1; }
  [[nodiscard]] std::span<const Transfer> phase(std::size_t index) const noexcept;
  [[nodiscard]] std::span<const Transfer> round(std::size_t index) const noexcept;
};

/// Brings transfers into the order that a Communication has: drops self and empty ones, adds up
/// those of the same pair. Counts its steps at `interruption`, if any.
void normalize(std::vector<Transfer>& transfers, Interruption* interruption = nullptr);

/// When a communication that starts at time 0 on idle networks ends, and what it occupies.
struct Profile {
  /// A channel that is occupied from `begin` to `end`, seconds after the start.
  struct Use {
    std::uint32_t channel = 0;  ///< number of the channel among all of the machine
    double begin = 0.0;
    double end = 0.0;
  };
  /// What remains in a port that messages share.
  struct PortUse {
    std::uint32_t port = 0;  ///< number of the port among all of the machine
    double since = 0.0;      ///< seconds after the start from which it is served
    PortLoad load;
  };
  std::vector<double> ends;  ///< per processor of the root grid, seconds after the start
  double busy = 0.0;         ///< everything is free again, seconds after the start
  /// Seconds per processor that sending, receiving and packing keep it from computing
  /// (docs/model.md §2.16); empty if none do.
  std::vector<double> overheads;
  std::vector<Use> uses;
  std::vector<PortUse> port_uses;
};

}  // namespace gridcast::network
