#pragma once
/// Internal: ends of the messages of an exchange that stay below the top network of a tree.

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "channel_line.h"
#include "tree_messages.h"

namespace gridcast::network {

/// The parts of the machine below its top network. What is sent in a part depends on nothing
/// outside, and in rows alike it is the same wherever a part begins at the same place of a row, or
/// lies inside a segment: it is worked out once.
class PartEnds {
public:
  /// What it is given must outlive it; at least two levels.
  PartEnds(const FoldedEnds& ends, const TreeMessages& messages,
           std::span<const NetworkLevel> levels);

  /// Processors of a part.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  /// The latest end of each processor of the row y; 0 if it has none.
  void find_row(std::int64_t y, std::span<double> row);
  /// Until when the first part's networks are busy.
  [[nodiscard]] double first_until();

private:
  /// Ends of the part that begins with processor `start`; valid until the next call.
  std::span<const double> part(std::int64_t start);
  /// What tells the part from those that differ; -1 if no other is like it.
  [[nodiscard]] std::int64_t kind(std::int64_t start) const;
  [[nodiscard]] std::int64_t end_of(std::int64_t start) const;
  void work_out(std::int64_t start, std::vector<double>& ends);
  /// What the processors from `first` up to `behind` of a row send, all in one segment.
  void place(std::span<const TreeMessages::Message> messages, std::int64_t first,
             std::int64_t behind, std::vector<double>& ends);
  [[nodiscard]] std::size_t level_of(std::int64_t place, std::int64_t offset) const noexcept;

  const FoldedEnds* rows_;
  const TreeMessages* messages_;
  std::span<const NetworkLevel> levels_;  // but the top
  std::int64_t size_;
  std::vector<ChannelLine> lines_;
  SenderGroup group_;
  std::unordered_map<std::int64_t, std::vector<double>> known_;  // by kind
  std::int64_t latest_start_ = -1;
  std::span<const double> latest_;  // of the part that begins there
};

}  // namespace gridcast::network
