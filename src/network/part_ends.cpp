#include "part_ends.h"

#include <algorithm>

namespace gridcast::network {

PartEnds::PartEnds(const FoldedEnds& ends, const TreeMessages& messages,
                   std::span<const NetworkLevel> levels)
    : rows_(&ends),
      messages_(&messages),
      levels_(levels.first(levels.size() - 1)),
      size_(levels_.back().size),
      lines_(levels_.size()) {}

void PartEnds::find_row(std::int64_t y, std::span<double> row) {
  const std::int64_t first = y * rows_->row_length();
  std::int64_t place = first % size_;
  for (const FoldedEnds::Segment& segment : rows_->segments()) {
    for (std::int64_t x = segment.begin; x < segment.end;) {
      const double* const ends = part(first + x - place).data();
      const std::int64_t count = std::min(size_ - place, segment.end - x);
      std::copy(ends + place, ends + place + count, row.begin() + x);
      x += count;
      place = place + count < size_ ? place + count : 0;
      if (count == size_) {  // so are those behind it that lie in the segment
        for (; x + size_ <= segment.end; x += size_) {
          std::copy(ends, ends + size_, row.begin() + x);
        }
      }
    }
  }
}

double PartEnds::first_until() {
  const std::span<const double> ends = part(0);
  return *std::max_element(ends.begin(), ends.end());
}

std::int64_t PartEnds::end_of(std::int64_t start) const {
  return std::min(start + size_, rows_->classes().processors());
}

std::int64_t PartEnds::kind(std::int64_t start) const {
  const ProcessorClasses& classes = rows_->classes();
  const std::int64_t length = rows_->row_length();
  const std::int64_t y = start / length;
  const std::int64_t x = start - y * length;
  const std::size_t run = classes.run_of(rows_->along(), y);
  const std::span<const std::int64_t> starts = classes.starts(rows_->along());
  const std::int64_t end = end_of(start);
  if (end != start + size_ || end > starts[run + 1] * length) {
    return -1;
  }
  const std::span<const FoldedEnds::Segment> segments = rows_->segments();
  const auto kinds = length + static_cast<std::int64_t>(segments.size());
  const auto first = static_cast<std::int64_t>(run) * kinds;
  const auto above = std::upper_bound(
      segments.begin(), segments.end(), x,
      [](std::int64_t at, const FoldedEnds::Segment& each) { return at < each.begin; });
  if (x + size_ <= (above - 1)->end) {
    return first + length + (above - 1 - segments.begin());
  }
  return first + x;
}

std::span<const double> PartEnds::part(std::int64_t start) {
  if (start == latest_start_) {
    return latest_;
  }
  latest_start_ = start;
  const std::int64_t kind = this->kind(start);
  const auto [at, added] = known_.try_emplace(kind);
  if (added || kind < 0) {
    work_out(start, at->second);
  }
  latest_ = at->second;
  return latest_;
}

void PartEnds::work_out(std::int64_t start, std::vector<double>& ends) {
  ends.assign(static_cast<std::size_t>(end_of(start) - start), 0.0);
  const ProcessorClasses& classes = rows_->classes();
  const std::int64_t length = rows_->row_length();
  for (std::int64_t number = start; number < end_of(start);) {
    const std::int64_t y = number / length;
    const std::int64_t row = y * length;
    const std::int64_t row_end = std::min(end_of(start), row + length);
    const std::size_t first_class = rows_->first_class(classes.run_of(rows_->along(), y));
    for (const FoldedEnds::Segment& segment : rows_->segments()) {
      const std::int64_t first = std::max(number, row + segment.begin);
      const std::int64_t behind = std::min(row_end, row + segment.end);
      place(messages_->of(first_class + segment.which), first - start, behind - start, ends);
    }
    number = row_end;
  }
}

void PartEnds::place(std::span<const TreeMessages::Message> messages, std::int64_t first,
                     std::int64_t behind, std::vector<double>& ends) {
  for (std::int64_t place = first; place < behind;) {
    std::int64_t count = behind - place;
    for (const NetworkLevel& level : levels_) {
      count = std::min(count, TreeMessages::alike(messages, place % level.size, level.size));
    }
    double* const own = ends.data() + place;
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      if (place % levels_[level].size == 0) {
        lines_[level].reset(levels_[level].network.channels);
      }
      group_.clear();
      for (const TreeMessages::Message& message : messages) {
        if (level_of(place, message.offset) == level) {
          group_.add(messages_->length(message, level), own + message.offset);
        }
      }
      group_.place(lines_[level], own, count);
    }
    place += count;
  }
}

std::size_t PartEnds::level_of(std::int64_t place, std::int64_t offset) const noexcept {
  std::size_t level = 0;
  for (; level < levels_.size(); ++level) {
    const std::int64_t there = place % levels_[level].size + offset;
    if (there >= 0 && there < levels_[level].size) {
      break;
    }
  }
  return level;
}

}  // namespace gridcast::network
