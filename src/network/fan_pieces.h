#pragma once
/// Internal: when the messages of one sender to each of others arrive, over a tree of networks
/// (docs/model.md §4).

#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/base/floor_sums.h"
#include "gridcast/network/network_levels.h"

namespace gridcast::network {

/// Those who get a message are counted in the order of their numbers, the sender with them if it is
/// among them. Of these, lo … hi - 1 hang under the same networks.
struct FanPiece {
  std::int64_t lo = 0, hi = 0;
  double base = 0.0, length = 0.0;
  std::int64_t first = 0;  ///< number of the message to lo, in turns of `channels`
  std::int64_t channels = 1;
  double overhead = 0.0;  ///< of each
  std::size_t level = 0;  ///< of the network; one more than there are: the sender itself

  [[nodiscard]] double end(std::int64_t number) const noexcept {
    return base + whole_quotient(number - lo + first + channels - 1, channels) * length;
  }
  /// Σ of how many messages follow each other up to that with number, number + step, …
  [[nodiscard]] double rounds(std::int64_t number, std::int64_t count, std::int64_t step) const {
    return floor_sum(count, number - lo + first + channels - 1, step, channels);
  }
};

/// What the sender has to do with.
struct FanSender {
  double until = 0.0;     ///< when all of it has left
  double overhead = 0.0;  ///< what it costs the sender
};

/// Borders of the networks above a sender, from the lowest on, by receivers: the first one under it
/// and the first one behind it; before them those of the sender itself (nothing, if it gets none).
struct FanBorders {
  std::vector<std::int64_t> lo, hi;

  /// `number_of`: how many receivers there are before a processor.
  template <class F>
  void assign(std::span<const NetworkLevel> levels, std::int64_t sender, std::int64_t processors,
              F&& number_of);
};

/// The pieces in ascending order, without the sender. All begins at time 0.
FanSender channel_pieces(std::span<const NetworkLevel> levels, double bytes,
                         const FanBorders& borders, std::vector<FanPiece>& pieces);
FanSender port_pieces(std::span<const NetworkLevel> levels, double bytes, const FanBorders& borders,
                      std::vector<FanPiece>& pieces);

template <class F>
void FanBorders::assign(std::span<const NetworkLevel> levels, std::int64_t sender,
                        std::int64_t processors, F&& number_of) {
  lo.assign(1, number_of(sender));
  hi.assign(1, number_of(sender + 1));
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const bool top = level + 1 == levels.size();
    const std::int64_t first = top ? 0 : sender / levels[level].size * levels[level].size;
    const std::int64_t behind = top ? processors : first + levels[level].size;
    lo.push_back(number_of(first));
    hi.push_back(number_of(behind < processors ? behind : processors));
  }
}

}  // namespace gridcast::network
