/// Waits, row by row; where both the clocks and the ends repeat from row to row, so does what comes
/// of it, as long as the same is later.

#include "folded_wait.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "floor_sums.h"

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
        if (!f(i, x, clock, step, ends.value(x), ends.step(x), waits)) {
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
  return for_each_entry(block, [&](std::int64_t, std::size_t, double clock, double step, double end,
                                   double end_step, bool waits) {
    const double clock_last = clock + more * step;
    const double end_last = end + more * end_step;
    return !waits ||
           ((end > clock) == (end_last > clock_last) && (clock > 0.0) == (clock_last > 0.0));
  });
}

void FoldedWait::add(const Block& block) {
  add_band(block.period * block.times, block.period);
  const auto times = static_cast<double>(block.times);
  const double pairs = times * (times - 1.0) * 0.5;
  const Band band = last_band();
  for_each_entry(block, [&](std::int64_t i, std::size_t x, double clock, double step, double end,
                            double end_step, bool waits) {
    const bool raised = waits && end > clock;
    row(band, i)[x] = raised ? end : clock;
    steps(band, i)[x] = raised ? end_step : step;
    if (waits) {
      const double clocks = times * clock + pairs * step;
      const double ends = times * end + pairs * end_step;
      waited_.waiting += raised ? ends - clocks : 0.0;
      waited_.late += raised && clock < 0.0 ? -clocks : 0.0;
      waited_.overlap += !raised ? ends : clock > 0.0 ? clocks : 0.0;
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
  while (rows() < all) {
    Block block;
    block.first = rows();
    const auto behind = [&](const Band& band) { return band.first + band.count; };
    for (; behind(ends.bands()[e]) <= block.first; ++e) {
    }
    block.ends = &ends.bands()[e];
    block.run = block.ends->run;
    std::int64_t until = behind(*block.ends);
    block.period = block.ends->count > block.ends->period ? block.ends->period : 1;
    if (clocks != nullptr) {
      for (; behind(clocks->bands()[c]) <= block.first; ++c) {
      }
      block.clocks = &clocks->bands()[c];
      until = std::min(until, behind(*block.clocks));
      if (block.clocks->count > block.clocks->period) {
        block.period = std::lcm(block.period, block.clocks->period);
      }
    }
    const std::int64_t count = until - block.first;
    block.times = count / block.period;
    if (block.times < 2) {
      block.times = 1;
      block.period = count;
    }
    if (!take(block, most)) {
      return false;
    }
  }
  finish();
  return true;
}

}  // namespace gridcast::model
