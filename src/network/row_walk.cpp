/// How the messages of a row are placed.

#include "row_walk.h"

#include <algorithm>
#include <numeric>

namespace gridcast::network {
namespace {

/// Processors of a part from which on many next to each other send over the same networks.
constexpr std::int64_t large_part = 8;

}  // namespace

RowWalk::RowWalk(FoldedEnds& ends, const ClassExchange& exchange,
                 std::span<const NetworkLevel> levels)
    : ends_(&ends),
      classes_(&ends.classes()),
      row_(ends.row_length()),
      messages_(ends, exchange, levels),
      top_level_(levels.size() - 1) {
  const std::int64_t channels = levels.back().network.channels;
  line_.reset(channels);
  for (std::vector<double>& row : top_) {
    row.assign(row_size(), 0.0);
  }
  if (levels.size() > 1) {
    parts_.emplace(ends, messages_, levels);
    part_ = parts_->size();
    low_.resize(row_size());
    single_ = part_ < large_part && channels == 1;
    // Rows can only repeat if they begin at the same place below the top network.
    phase_period_ = part_ / std::gcd(part_, row_);
  }
}

void RowWalk::run() {
  const std::span<const std::int64_t> starts = classes_->starts(ends_->along());
  for (std::size_t run = 0; run + 1 < starts.size(); ++run) {
    search_ = {};
    for (std::int64_t y = starts[run]; y < starts[run + 1]; ++y) {
      look_for_period(y, starts[run], starts[run + 1]);
      place_row(run, y);
      if (y > 0) {
        keep(y - 1);
      }
    }
  }
  keep(classes_->extent(ends_->along()) - 1);
  ends_->set_channels(line_.times(), flat() ? -1.0 : parts_->first_until());
}

void RowWalk::place_row(std::size_t run, std::int64_t y) {
  std::fill(top_[slot(y + 1)].begin(), top_[slot(y + 1)].end(), 0.0);
  for (std::int64_t rows = -1; rows <= 1; ++rows) {
    rows_at_[static_cast<std::size_t>(rows + 1)] = top_[slot(y + rows)].data();
  }
  std::int64_t place = flat() ? 0 : y * row_ % part_;
  for (const FoldedEnds::Segment& segment : ends_->segments()) {
    const std::span<const Message> messages = messages_.of(ends_->first_class(run) + segment.which);
    if (single_) {
      place_singly(messages, y, segment.begin, segment.end);
      continue;
    }
    for (std::int64_t x = segment.begin; x < segment.end;) {
      std::int64_t count = std::min(segment.end - x, staying(messages, place));
      if (count == 0) {
        const std::int64_t alike = flat() ? row_ : TreeMessages::alike(messages, place, part_);
        count = std::min(segment.end - x, alike);
        place_group(messages, place, x, count);
      }
      x += count;
      place += count;
      place = place < part_ || flat() ? place : place % part_;
    }
  }
}

void RowWalk::place_group(std::span<const Message> messages, std::int64_t place, std::int64_t x,
                          std::int64_t count) {
  group_.clear();
  for (const Message& message : messages) {
    if (leaves(place, message)) {
      group_.add(messages_.length(message, top_level_),
                 row_of(message.rows) + x + message.position);
    }
  }
  group_.place(line_, row_of(0) + x, count);
}

void RowWalk::place_singly(std::span<const Message> messages, std::int64_t y, std::int64_t begin,
                           std::int64_t end) {
  singles_.clear();
  for (std::int64_t place = 0; place < part_; ++place) {
    for (const Message& message : messages) {
      const double length = messages_.length(message, top_level_);
      if (length > 0.0 && leaves(place, message)) {
        singles_.add(length, row_of(message.rows) + message.position);
      }
    }
    singles_.end_place();
  }
  const auto place = static_cast<std::size_t>((y * row_ + begin) % part_);
  line_.go_on(singles_.place(begin, end, place, row_of(0), line_.until()));
}

std::int64_t RowWalk::staying(std::span<const Message> messages,
                              std::int64_t place) const noexcept {
  if (messages.empty()) {
    return row_;
  }
  if (flat() || leaves(place, messages.front()) || leaves(place, messages.back())) {
    return 0;
  }
  return part_ - std::max<std::int64_t>(messages.back().offset, 0) - place;
}

void RowWalk::keep(std::int64_t y) {
  ends_->add_band(1, 1);
  const std::span<double> row = ends_->row(ends_->last_band(), 0);
  const std::vector<double>& top = top_[slot(y)];
  const std::span<double> moves = ends_->steps(ends_->last_band(), 0);
  if (flat()) {
    for (std::size_t x = 0; x < row.size(); ++x) {
      row[x] = top[x];
      moves[x] = top[x] > 0.0 ? 1.0 : 0.0;  // for fold()
    }
    return;
  }
  parts_->find_row(y, low_);
  bool below_later = false;
  for (std::size_t x = 0; x < row.size(); ++x) {
    const bool carried = top[x] > 0.0;
    below_later |= carried & (top[x] < low_[x]);
    row[x] = std::max(top[x], low_[x]);
    moves[x] = carried ? 1.0 : 0.0;
  }
  mixed_ = below_later ? y : mixed_;
}

}  // namespace gridcast::network
