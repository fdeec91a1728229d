#pragma once
/// Internal: messages of an exchange over a tree of networks, row after row of the grid until rows
/// repeat.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "channel_line.h"
#include "gridcast/network/class_messages.h"
#include "gridcast/network/folded_ends.h"
#include "gridcast/network/network_levels.h"
#include "part_ends.h"
#include "single_channel.h"
#include "tree_messages.h"

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

  using Message = TreeMessages::Message;
  /// What the search for a period knows in a run of rows.
  struct Search {
    bool armed = false, done = false;
    std::int64_t since = 0, next = 0;
    std::int64_t period = 0, jump = -1;
    double later = 0.0, work = 0.0;
    ChannelLine line;
  };

  [[nodiscard]] std::size_t row_size() const noexcept { return static_cast<std::size_t>(row_); }
  [[nodiscard]] bool flat() const noexcept { return !parts_.has_value(); }

  static std::size_t slot(std::int64_t y) noexcept {
    return static_cast<std::size_t>((y + static_cast<std::int64_t>(window)) %
                                    static_cast<std::int64_t>(window));
  }

  /// Ends of the row so many behind the one that is placed.
  [[nodiscard]] double* row_of(std::int64_t rows) const noexcept {
    return rows_at_[static_cast<std::size_t>(rows + 1)];
  }

  /// Whether a message of the processor at that place of its part goes to another part.
  [[nodiscard]] bool leaves(std::int64_t place, const Message& message) const noexcept {
    const std::int64_t there = place + message.offset;
    return there < 0 || there >= part_ || flat();
  }

  /// The row y, of a run of rows.
  void place_row(std::size_t run, std::int64_t y);

  /// What the processors of the row from `begin` on send, if the top network carries one message
  /// at a time and parts are small.
  void place_singly(std::span<const Message> messages, std::int64_t y, std::int64_t begin,
                    std::int64_t end);

  /// What `count` senders from the processor x of the row on, the first at that place of its part,
  /// send to other parts.
  void place_group(std::span<const Message> messages, std::int64_t place, std::int64_t x,
                   std::int64_t count);

  /// How many senders from the one at that place of its part on send nothing to other parts.
  [[nodiscard]] std::int64_t staying(std::span<const Message> messages,
                                     std::int64_t place) const noexcept;

  /// The ends of a row are known.
  void keep(std::int64_t y);

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
  std::int64_t row_;
  TreeMessages messages_;
  std::size_t top_level_;
  std::optional<PartEnds> parts_;  // none: there is nothing below the top network
  std::int64_t part_ = 0;          // processors of one
  ChannelLine line_;               // of the top network
  SenderGroup group_;
  SingleChannel singles_;
  bool single_ = false;
  std::array<std::vector<double>, window> top_;  // ends of the rows around the sender's
  std::array<double*, window> rows_at_{};        // see row_of()
  std::vector<double> low_;                      // ends of a row below the top network
  std::int64_t phase_period_ = 1;
  std::int64_t mixed_ = -1;  // the last row with a later end below the top network
  Search search_;
};

}  // namespace gridcast::network
