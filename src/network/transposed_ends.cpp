#include "transposed_ends.h"

#include <algorithm>
#include <numeric>

namespace gridcast::network {

void TransposedEnds::find_bytes(const Transposition& transposition) {
  bytes_.clear();
  bytes_of_.clear();
  for (std::size_t which = 0; which < classes_->size(); ++which) {
    const double bytes = transposition.bytes(*classes_, which);
    const auto known = std::find(bytes_.begin(), bytes_.end(), bytes);
    bytes_of_.push_back(bytes > 0.0 ? static_cast<std::uint32_t>(known - bytes_.begin()) : none);
    if (bytes > 0.0 && known == bytes_.end()) {
      bytes_.push_back(bytes);
    }
  }
}

/// Lines are numbered as their first processors are.
void TransposedEnds::find_groups(std::span<const NetworkLevel> levels) {
  const std::int64_t stride = classes_->stride(along_);
  const std::int64_t row = stride * classes_->extent(along_);
  group_ = block_ = classes_->processors() / classes_->extent(along_);
  if (levels.size() == 1) {
    return;
  }
  const std::int64_t lowest = levels.front().size;
  const std::int64_t highest = levels[levels.size() - 2].size;
  group_ = lowest % row == 0                           ? lowest / row * stride
           : lowest % stride == 0 && row % lowest == 0 ? stride
                                                       : std::gcd(stride, lowest);
  // As many processors as both rows and members make up without rest.
  block_ =
      stride % highest == 0 ? highest : std::min(block_, std::lcm(row, highest) / row * stride);
}

void TransposedEnds::cut(std::int64_t begin, std::int64_t end, Block& block) {
  pieces_.clear();
  block.lines.clear();
  block.line_of.clear();
  int fast = classes_->rank() - 1;
  fast -= fast > 0 && fast == along_ ? 1 : 0;
  for (std::int64_t line = begin; line < end;) {
    if (line % group_ == 0 || line == begin) {
      block.line_of.resize(block.line_of.size() + bytes_.size(), none);
    }
    const std::size_t which = classes_->class_of(first_of(line));
    std::int64_t until = std::min(end, (line / group_ + 1) * group_);
    if (fast != along_) {
      const std::int64_t x = line % classes_->extent(fast);
      until = std::min(until, line + classes_->starts(fast)[classes_->run(which, fast) + 1] - x);
    }
    const auto count = static_cast<double>(until - line);
    std::uint32_t at = none;
    if (const std::uint32_t bytes = bytes_of_[which]; bytes != none) {
      std::uint32_t& known = block.line_of[block.line_of.size() - bytes_.size() + bytes];
      if (known == none) {
        known = static_cast<std::uint32_t>(block.lines.size());
        block.lines.push_back({first_of(line), bytes, 0.0});
      }
      at = known;
      block.lines[at].count += count;
    }
    pieces_.push_back({which, at, count});
    line = until;
  }
}

std::uint32_t TransposedEnds::number_of(Block& block) {
  const auto known = std::find_if(blocks_.begin(), blocks_.end(), [&](const Block& other) {
    return other.line_of == block.line_of &&
           std::equal(other.lines.begin(), other.lines.end(), block.lines.begin(),
                      block.lines.end(), [](const auto& a, const auto& b) {
                        return a.bytes == b.bytes && a.count == b.count;
                      });
  });
  const auto number = static_cast<std::uint32_t>(known - blocks_.begin());
  if (known == blocks_.end()) {
    block.first = static_cast<std::uint32_t>(ends_.size() / static_cast<std::size_t>(end_));
    lines_.work_out(block.lines, ends_, beside_);
    blocks_.push_back(std::move(block));
  }
  return number;
}

void TransposedEnds::work_out(const ProcessorClasses& classes, const Transposition& transposition,
                              std::span<const NetworkLevel> levels, double copy_time) {
  start(classes.size());
  classes_ = &classes;
  along_ = transposition.along();
  const std::span<const std::int64_t> starts = classes.starts(along_);
  end_ = *std::lower_bound(starts.begin(), starts.end(), transposition.end(classes));
  find_bytes(transposition);
  find_groups(levels);
  lines_.reset(transposition, end_, classes.stride(along_), bytes_, levels, copy_time);
  ends_.clear();
  beside_.clear();
  blocks_.clear();
  block_of_.clear();
  alike_.resize(std::max(alike_.size(), classes.size()));
  for (std::vector<Alike>& alike : alike_) {
    alike.clear();
  }
  const std::int64_t lines = classes.processors() / classes.extent(along_);
  Block block;
  for (std::int64_t line = 0; line < lines; line += block_) {
    cut(line, std::min(line + block_, lines), block);
    block_of_.push_back(number_of(block));
    const std::uint32_t first = blocks_[block_of_.back()].first;
    for (const Piece& piece : pieces_) {
      if (piece.line == none) {
        continue;
      }
      std::vector<Alike>& alike = alike_[piece.which];
      const std::uint32_t at = first + piece.line;
      const auto known = std::find_if(alike.rbegin(), alike.rend(),
                                      [at](const Alike& each) { return each.line == at; });
      if (known == alike.rend()) {
        alike.push_back({at, piece.count});
      } else {
        known->count += piece.count;
      }
    }
  }
  sum_up();
}

void TransposedEnds::sum_up() {
  total_ = 0.0;
  std::vector<ClassOverheads> overheads(classes_->size());
  for (std::size_t which = 0; which < classes_->size(); ++which) {
    double& least = least_[which] = HUGE_VAL;
    double& most = most_[which];
    double sum = 0.0;
    for_each_end(which, [&](double end, double overhead, double count) {
      least = std::min(least, end);
      most = std::max(most, end);
      sum += end * count;
      overheads[which].add(end, end, overhead);
    });
    sums_[which] = sum;
    total_ += sum;
  }
  busy_ = lines_.busy();
  find_last();
  silent_ = !(busy() > 0.0);
  set_overheads(overheads);
}

template <class F>
void TransposedEnds::for_each_end(std::size_t which, F&& f) const {
  bring_back();
  const std::span<const std::int64_t> starts = classes_->starts(along_);
  const std::size_t run = classes_->run(which, along_);
  const std::vector<Alike>& alike = alike_[lines_of(which)];
  if (starts[run] >= end_ || alike.empty()) {
    f(0.0, 0.0, classes_->members()[which]);
    return;
  }
  for (const Alike& lines : alike) {
    const std::int64_t line = static_cast<std::int64_t>(lines.line) * end_;
    for (std::int64_t x = starts[run]; x < starts[run + 1]; ++x) {
      const auto at = static_cast<std::size_t>(line + x);
      f(ends_[at], beside_[at], lines.count);
    }
  }
}

EndsBelow TransposedEnds::below(std::size_t which, double limit) const {
  EndsBelow result;
  for_each_end(which, [&](double end, double /*overhead*/, double count) {
    result.count += end < limit ? count : 0.0;
    result.sum += end < limit ? end * count : 0.0;
  });
  return result;
}

double TransposedEnds::number_at(const std::vector<double>& numbers, std::size_t which,
                                 std::int64_t number) const {
  const std::int64_t stride = classes_->stride(along_);
  const std::int64_t x = number / stride % classes_->extent(along_);
  const std::uint32_t bytes = bytes_of_[which];
  if (x >= end_ || bytes == none) {
    return 0.0;
  }
  bring_back();
  const std::int64_t line = number / (stride * classes_->extent(along_)) * stride + number % stride;
  const Block& block = blocks_[block_of_[static_cast<std::size_t>(line / block_)]];
  const auto group = static_cast<std::size_t>(line % block_ / group_);
  const std::uint32_t at = block.first + block.line_of[group * bytes_.size() + bytes];
  return numbers[static_cast<std::size_t>(static_cast<std::int64_t>(at) * end_ + x)];
}

}  // namespace gridcast::network
