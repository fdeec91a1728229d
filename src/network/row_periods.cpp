/// When rows repeat, and what comes of those that are left out.

#include <algorithm>
#include <utility>

#include "row_walk.h"

namespace gridcast::network {
namespace {

/// Times that differ by less than this part of themselves differ by rounding only.
constexpr double equal_but_for = 4e-15;

}  // namespace

void RowWalk::arm(std::int64_t y) {
  search_.armed = true;
  search_.since = y;
  search_.line = line_;
}

void RowWalk::look_for_period(std::int64_t& y, std::int64_t lo, std::int64_t hi) {
  if (search_.done || hi - lo < 4) {
    return;
  }
  if (search_.jump >= 0) {
    if (y == search_.jump) {
      leave_out(y, hi);
    }
    return;
  }
  if (search_.armed && (y - search_.since) % phase_period_ == 0 &&
      line_.same_but_later(search_.line, equal_but_for)) {
    search_.period = y - search_.since;
    search_.work = line_.work() - search_.line.work();
    search_.later = line_.unused() > 0 ? 0.0 : search_.work / static_cast<double>(line_.channels());
    // The rows of the period have all their messages two rows later.
    search_.jump = y + 2;
    return;
  }
  // The part that the row begins in lies in the run.
  const bool inside = flat() || y * row_ - y * row_ % part_ >= lo * row_;
  if (y - lo >= search_.next && inside) {
    arm(y);
    search_.next = 2 * (y - lo) + phase_period_;
  }
}

void RowWalk::leave_out(std::int64_t& y, std::int64_t hi) {
  search_.jump = -1;
  if (mixed_ > search_.since) {
    // An end below the top network, which does not move, will not be the latest for long.
    search_.armed = false;
    search_.next = 0;
    return;
  }
  search_.done = true;
  const std::int64_t times = (hi - 1 - y) / search_.period;
  if (times < 1) {
    return;
  }
  const std::int64_t period = search_.period;
  fold(period, times);
  const double later = static_cast<double>(times) * search_.later;
  line_.shift(later, static_cast<double>(times) * search_.work);
  y += times * period;
  move_window(y - times * period, y, later);
}

void RowWalk::fold(std::int64_t period, std::int64_t times) {
  for (std::int64_t i = 0; i < period; ++i) {
    const std::size_t band = ends_->bands().size() - static_cast<std::size_t>(period - i);
    const FoldedEnds::Band at = ends_->bands()[band];
    const std::span<double> steps = ends_->steps(at, 0);
    for (double& step : steps) {
      step = step > 0.0 ? search_.later : 0.0;
    }
  }
  ends_->repeat_last(period, period * (times + 1));
}

void RowWalk::move_window(std::int64_t from, std::int64_t to, double later) {
  std::array<std::vector<double>, window> top;
  for (std::int64_t row = -1; row <= 1; ++row) {
    top[slot(to + row)] = std::move(top_[slot(from + row)]);
    for (double& end : top[slot(to + row)]) {
      end += end > 0.0 ? later : 0.0;
    }
  }
  top_ = std::move(top);
}

}  // namespace gridcast::network
