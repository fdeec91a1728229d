#pragma once
/// Internal: messages over a tree of networks with channels, or one such network, row after row of
/// the grid until rows repeat.
///
/// All messages are ready at the start, and a network's messages follow the order of the rows. So
/// within each tier one network at a time is in use, those below the top begin anew with each part
/// of the machine, and what follows a row depends only on when channels become free: those of the
/// top network seen from the first of them, those of the networks under which the row begins.

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gridcast/network/channel_line.h"
#include "gridcast/network/folded_ends.h"
#include "gridcast/network/network_levels.h"

namespace gridcast::network {

/// Hands the ends of each row to FoldedEnds, or leaves it out if it repeats others.
class RowWalk {
public:
  /// Places all that the processors of a row send.
  using PlaceRow = std::function<void(std::int64_t y)>;

  /// `ends`: after begin(). `part`: rows repeat only if they begin at the same place of `part`
  /// processors. `reach`: messages go to rows that are so far away at most, 0 or 1. All begins at
  /// `base`; channels of the top network are taken until `taken`, after that.
  RowWalk(FoldedEnds& ends, std::span<const NetworkLevel> levels, std::int64_t part,
          std::int64_t reach, double base = 0.0, std::span<const double> taken = {});

  /// The next rows, lo … hi - 1, all in one run, whose processors send alike.
  void walk(std::int64_t lo, std::int64_t hi, const PlaceRow& place_row);
  /// After all rows. `below`: the networks above processor 0 but for the top one are free from then
  /// on; less than 0 if there are none.
  void finish(double below);

  /// The channels of a network of the level, the one that the row comes to.
  [[nodiscard]] ChannelLine& line(std::size_t level) noexcept { return lines_[level]; }
  /// The latest ends of messages over networks of the level, for the processors of the row `rows`
  /// (-1, 0, 1) after the one that is placed.
  [[nodiscard]] double* ends_over(std::size_t level, std::int64_t rows) noexcept {
    Window& window = level + 1 == lines_.size() ? top_ : low_;
    return window[static_cast<std::size_t>(rows + 1)].data();
  }

private:
  using Window = std::array<std::vector<double>, 3>;
  /// What the search for a period knows in a run of rows.
  struct Search {
    bool armed = false, done = false;
    std::int64_t since = 0, next = 0;
    std::int64_t period = 0, jump = -1;
    double later = 0.0, work = 0.0;
    ChannelLine line;
  };

  [[nodiscard]] ChannelLine& top_line() noexcept { return lines_.back(); }
  /// To the next row.
  static void move_on(Window& window);
  /// The row y, `reach_` before the one that is placed, is complete.
  void keep(std::int64_t y);
  /// Before row y of the rows from `lo` up to `hi`, which are alike; goes on to the row behind
  /// those that can be left out.
  void look_for_period(std::int64_t& y, std::int64_t lo, std::int64_t hi);
  /// Rows since + reach … since + reach + period - 1 repeat as long as the row behind is one of the
  /// run.
  void leave_out(std::int64_t& y, std::int64_t hi);
  void fold(std::int64_t period, std::int64_t times);

  FoldedEnds* ends_;
  double base_;
  std::int64_t reach_, row_, part_, phase_period_;
  std::vector<ChannelLine> lines_;  // per level
  // The rows around the one that is placed. Ends over the top network move from row to row, those
  // below it do not.
  Window top_, low_;
  std::int64_t mixed_ = -1;  // the last row with a later end below the top network
  Search search_;
};

}  // namespace gridcast::network
