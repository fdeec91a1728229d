#pragma once
/// Internal: messages of an exchange over a tree of networks, row after row of the grid until rows
/// repeat.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "channel_line.h"
#include "gridcast/network/class_messages.h"
#include "gridcast/network/folded_ends.h"
#include "gridcast/network/network_levels.h"
#include "single_channels.h"

namespace gridcast::network {

/// Places all messages, and hands each row to the ends.
class RowWalk {
public:
  /// What it is given must outlive it.
  RowWalk(FoldedEnds& ends, const ClassExchange& exchange, std::span<const NetworkLevel> levels);

  /// All rows.
  void run();

private:
  static constexpr std::size_t window = 3;

  struct Message {
    std::int64_t offset = 0;
    std::int64_t rows = 0;      ///< of the receiver after the sender's
    std::int64_t position = 0;  ///< of the receiver in its row after the sender's
    std::size_t lengths = 0;    ///< in lengths_, per level
  };
  /// A message of each of several senders in a row.
  struct Sent {
    double length = 0.0;
    double* other = nullptr;  ///< the end of the first one's receiver
  };
  /// What the search for a period knows in a run of rows.
  struct Search {
    bool armed = false, done = false;
    std::int64_t since = 0, next = 0;
    std::int64_t period = 0, jump = -1;
    double later = 0.0, work = 0.0;
    std::vector<ChannelLine> lines;
  };

  [[nodiscard]] std::size_t row_size() const noexcept { return static_cast<std::size_t>(row_); }

  void prepare(const ClassExchange& exchange);

  static std::size_t slot(std::int64_t y) noexcept {
    return static_cast<std::size_t>((y + static_cast<std::int64_t>(window)) %
                                    static_cast<std::int64_t>(window));
  }

  /// Ends of the row so many behind the one that is placed, over the top network or those below.
  [[nodiscard]] double* row_of(std::int64_t rows, bool top) const noexcept {
    return rows_at_[static_cast<std::size_t>(rows + 1)][top ? 1 : 0];
  }

  /// The lowest level whose network connects the processor that is next with the one so far on.
  [[nodiscard]] std::size_t level_of(std::int64_t offset) const noexcept;

  /// The row y, of a run of rows.
  void place_row(std::size_t run, std::int64_t y);

  /// What the processors of the row from `begin` on send, if both networks carry one message.
  void place_singly(std::span<const Message> messages, std::int64_t y, std::int64_t begin,
                    std::int64_t end);

  /// What the processor x of the row sends to one of its neighbours.
  void place(const Message& message, std::int64_t y, std::int64_t x);

  /// How many senders from the next one on send over the same levels, under the same networks.
  [[nodiscard]] std::int64_t alike(std::span<const Message> messages) const noexcept;

  /// What `count` senders from the processor x of the row on send over a level.
  void place(std::span<const Message> messages, std::size_t level, std::int64_t y, std::int64_t x,
             std::int64_t count);

  /// The ends of a row are known.
  void keep(std::int64_t y);

  /// Whether channels become free as when the search was armed, but later.
  [[nodiscard]] bool same_lines() const;

  void arm(std::int64_t y);

  /// Before row y of the rows from `lo` up to `hi`, which are alike; goes on to the row behind
  /// those that can be left out.
  void look_for_period(std::int64_t& y, std::int64_t lo, std::int64_t hi);

  /// Rows since + 1 … since + period repeat as long as the row behind is one of the run.
  void leave_out(std::int64_t& y, std::int64_t hi);

  void fold(std::int64_t period, std::int64_t times);

  /// The rows around y, whose ends are not all known, are now those around `to`.
  void move_window(std::int64_t from, std::int64_t to, double later);

  FoldedEnds* ends_;
  const ProcessorClasses* classes_;
  std::span<const NetworkLevel> levels_;
  std::int64_t row_;
  std::vector<Message> messages_;
  std::vector<std::size_t> first_message_;  // per class
  std::vector<double> lengths_;
  std::vector<ChannelLine> lines_;  // per level
  std::vector<Sent> sent_;
  SingleChannels singles_;
  bool single_ = false;  // two levels of small nodes with one channel each
  std::vector<std::int64_t> phases_, phases_begin_;       // per level but the top
  std::array<std::vector<double>, window> top_, low_;     // ends of the rows around the sender's;
                                                          // empty: there is nothing below
  std::array<std::array<double*, 2>, window> rows_at_{};  // see row_of()
  std::int64_t phase_period_ = 1;
  bool many_alike_ = true;   // senders next to each other that send over the same levels
  std::int64_t mixed_ = -1;  // the last row with a later end below the top network
  double below_until_ = 0.0;
  Search search_;
};

}  // namespace gridcast::network
