/// Waits, row by row; where both the clocks and the ends repeat from row to row, so does what comes
/// of it, as long as the same is later.

#include "folded_wait.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gridcast/base/floor_sums.h"

namespace gridcast::model {

/// Rows first … first + period · times - 1: `times` periods of the band of the ends and that of the
/// clocks.
struct FoldedWait::Block {
  const Band* ends = nullptr;
  const Band* clocks = nullptr;  ///< null if there are none
  std::size_t run = 0;
  std::int64_t first = 0, period = 1, times = 1;
};

namespace {

/// A clock and the end of what its processor waits for, and what they grow by from one repetition
/// to the next.
struct Entry {
  double clock = 0.0, step = 0.0;
  double end = 0.0, end_step = 0.0;

  [[nodiscard]] bool waits() const noexcept { return end > clock; }
};

/// A row of a band, at one moment of its repetition.
struct RowOf {
  std::span<const double> values, steps;
  double done = 0.0;   ///< steps so far
  double ahead = 0.0;  ///< steps per period of the block

  RowOf(const FoldedEnds& rows, const FoldedEnds::Band& band, std::int64_t y, std::int64_t period) {
    const std::int64_t i = (y - band.first) % band.period;
    values = rows.row(band, i);
    steps = rows.steps(band, i);
    const bool repeats = band.count > band.period;
    done = repeats ? whole_quotient(y - band.first, band.period) : 0.0;
    ahead = repeats ? whole_quotient(period, band.period) : 0.0;
  }
  [[nodiscard]] double value(std::size_t x) const noexcept { return values[x] + done * steps[x]; }
  [[nodiscard]] double step(std::size_t x) const noexcept { return ahead * steps[x]; }
};

}  // namespace

template <class F>
bool FoldedWait::for_each_entry(const Block& block, F&& f) const {
  for (std::int64_t i = 0; i < block.period; ++i) {
    const RowOf ends(*ends_, *block.ends, block.first + i, block.period);
    const RowOf clocks =
        clocks_ == nullptr ? ends : RowOf(*clocks_, *block.clocks, block.first + i, block.period);
    for (const Segment& segment : ends_->segments()) {
      const std::size_t which = ends_->first_class(block.run) + segment.which;
      const ClockBefore& before = before_[which];
      const bool waits = which > 0 || !without_first_;
      for (auto x = static_cast<std::size_t>(segment.begin);
           x < static_cast<std::size_t>(segment.end); ++x) {
        double clock = before.offset;
        double step = 0.0;
        if (before.moves) {
          const double end = clocks.value(x);
          clock += std::max(end, before.limit);
          step = end >= before.limit ? clocks.step(x) : 0.0;
        }
        const Entry entry{clock, step, ends.value(x), ends.step(x)};
        if (!f(i, x, which, entry, waits)) {
          return false;
        }
      }
    }
  }
  return true;
}

bool FoldedWait::alike(const Block& block) const {
  const auto more = static_cast<double>(block.times - 1);
  for (std::size_t which = ends_->first_class(block.run); which < ends_->first_class(block.run + 1);
       ++which) {
    if (before_[which].moves && before_[which].limit > -HUGE_VAL) {
      return false;  // the limit may be passed on the way
    }
  }
  return for_each_entry(block, [&](std::int64_t, std::size_t, std::size_t, const Entry& entry,
                                   bool waits) {
    Entry last = entry;
    last.clock += more * entry.step;
    last.end += more * entry.end_step;
    return !waits || (entry.waits() == last.waits() && (entry.clock > 0.0) == (last.clock > 0.0) &&
                      (entry.end > 0.0) == (last.end > 0.0));
  });
}

void FoldedWait::add(const Block& block) {
  add_band(block.period * block.times, block.period);
  const auto times = static_cast<double>(block.times);
  const double pairs = times * (times - 1.0) * 0.5;
  const Band band = last_band();
  for_each_entry(
      block, [&](std::int64_t i, std::size_t x, std::size_t, const Entry& entry, bool waits) {
        const bool raised = waits && entry.waits();
        row(band, i)[x] = raised ? entry.end : entry.clock;
        steps(band, i)[x] = raised ? entry.end_step : entry.step;
        const double clocks = times * entry.clock + pairs * entry.step;
        if (waits) {
          const double ends = times * entry.end + pairs * entry.end_step;
          waited_.waiting += raised ? ends - clocks : 0.0;
          waited_.late += raised && entry.clock < 0.0 ? -clocks : 0.0;
          waited_.overlap += raised ? (entry.clock > 0.0 ? clocks : 0.0) : std::max(ends, 0.0);
        }
        return true;
      });
}

bool FoldedWait::take(const Block& block, std::size_t most) {
  if (entries() > most) {
    return false;
  }
  if (block.times == 1 || alike(block)) {
    add(block);
    return true;
  }
  Block half = block;
  half.times = block.times / 2;
  if (!take(half, most)) {
    return false;
  }
  half.first += half.times * half.period;
  half.times = block.times - half.times;
  return take(half, most);
}

FoldedWait::Block FoldedWait::next_block(const Band& ends, const Band* clocks) const {
  Block block;
  block.first = rows();
  block.ends = &ends;
  block.run = ends.run;
  std::int64_t until = ends.first + ends.count;
  block.period = ends.period;  // of all its rows, if they do not repeat
  if (clocks != nullptr) {
    block.clocks = clocks;
    until = std::min(until, clocks->first + clocks->count);
    block.period = std::lcm(block.period, clocks->period);
  }
  const std::int64_t count = until - block.first;
  block.times = count / block.period;
  if (block.times < 2) {
    block.times = 1;
    block.period = count;
  }
  return block;
}

bool FoldedWait::work_out(const FoldedEnds& ends, const FoldedEnds* clocks,
                          std::span<const ClockBefore> before, bool without_first,
                          std::size_t most) {
  ends_ = &ends;
  clocks_ = clocks;
  before_ = before;
  without_first_ = without_first;
  waited_ = {};
  begin(ends.classes());
  std::size_t e = 0;
  std::size_t c = 0;
  const std::int64_t all = ends.classes().extent(ends.along());
  const auto passed = [&](const Band& band) { return band.first + band.count <= rows(); };
  while (rows() < all) {
    for (; passed(ends.bands()[e]); ++e) {
    }
    for (; clocks != nullptr && passed(clocks->bands()[c]); ++c) {
    }
    const Band* const of_clocks = clocks == nullptr ? nullptr : &clocks->bands()[c];
    if (!take(next_block(ends.bands()[e], of_clocks), most)) {
      return false;
    }
  }
  finish();
  return true;
}

}  // namespace gridcast::model
