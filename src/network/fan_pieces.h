#pragma once
/// Internal: when the messages of one sender to each of others arrive, over a tree of networks
/// (docs/model.md §4).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/network/network_levels.h"

namespace gridcast::network {

/// Those who get a message are counted in the order of their numbers, the sender with them if it is
/// among them. Of these, lo … hi - 1 hang under the same networks. Each ends a step after the one
/// before it, but for what the members of a group of `period` wait for each other, at most `wait`
/// for the first of them, a step less for the next, and not less than `least`.
struct FanPiece {
  std::int64_t lo = 0, hi = 0;
  double base = 0.0, step = 0.0;
  std::int64_t period = 1, phase = 0;  ///< lo is number `phase` of its group
  double wait = 0.0, least = 0.0;
  double overhead = 0.0;  ///< of each
  std::size_t level = 0;  ///< of the network; one more than there are: the sender itself

  [[nodiscard]] double end(std::int64_t number) const noexcept {
    return base + static_cast<double>(number - lo) * step + wait_of(number);
  }
  /// The place of a number in its group.
  [[nodiscard]] std::int64_t place_of(std::int64_t number) const noexcept {
    const std::int64_t rest = (number - lo + phase) % period;
    return rest < 0 ? rest + period : rest;
  }
  /// How long it waits for others of its group.
  [[nodiscard]] double wait_of(std::int64_t number) const noexcept {
    return std::max(least, wait - step * static_cast<double>(place_of(number)));
  }
  /// Σ of what the first so many of a group wait.
  [[nodiscard]] double waiting(std::int64_t count) const noexcept {
    auto some = static_cast<double>(count);
    double rest = 0.0;
    if (step > 0.0 && wait - step * (some - 1.0) < least) {
      const double more = std::clamp(std::ceil((wait - least) / step), 0.0, some);
      rest = (some - more) * least;
      some = more;
    } else if (wait < least) {
      return some * least;
    }
    return some * wait - step * some * (some - 1.0) * 0.5 + rest;
  }
  /// The same of so many that follow each other, the first of them being `number`.
  [[nodiscard]] double waiting_from(std::int64_t number, std::int64_t count) const noexcept {
    const std::int64_t first = place_of(number);
    const std::int64_t groups = (first + count) / period;
    const double whole = groups > 0 ? static_cast<double>(groups) * waiting(period) : 0.0;
    return whole + waiting(first + count - groups * period) - waiting(first);
  }
};

/// What the sender has to do with.
struct FanSender {
  double until = 0.0;     ///< when all of it has left
  double overhead = 0.0;  ///< what it costs the sender
  double busy = 0.0;      ///< the networks are free from then on
};

/// Borders of the networks above a sender, from the lowest on, by receivers: the first one under it
/// and the first one behind it; before them those of the sender itself (nothing, if it gets none).
struct FanBorders {
  std::vector<std::int64_t> lo, hi;
};

/// The pieces in ascending order, without the sender. All begins at time 0.
FanSender channel_pieces(std::span<const NetworkLevel> levels, double bytes,
                         const FanBorders& borders, std::vector<FanPiece>& pieces);
/// The same over ports. `first`: the lowest processor that receives, if all from there on up to the
/// highest do; negative if not: then no piece is found where it matters how many do in each member
/// of a network.
FanSender port_pieces(std::span<const NetworkLevel> levels, double bytes, const FanBorders& borders,
                      std::int64_t first, std::vector<FanPiece>& pieces);

/// One message to the root from each of so many under each network over ports, all at time 0.
FanSender gather_over_ports(std::span<const NetworkLevel> levels, double bytes,
                            std::span<const std::int64_t> senders);

}  // namespace gridcast::network
