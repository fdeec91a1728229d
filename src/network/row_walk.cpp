#include "row_walk.h"

#include <algorithm>
#include <numeric>

namespace gridcast::network {

RowWalk::RowWalk(FoldedEnds& ends, std::span<const NetworkLevel> levels, std::int64_t part,
                 std::int64_t reach, double base, std::span<const double> taken)
    : ends_(&ends),
      base_(base),
      reach_(reach),
      row_(ends.row_length()),
      part_(part),
      phase_period_(part / std::gcd(part, row_)),
      lines_(levels.size()) {
  for (std::size_t level = 0; level < levels.size(); ++level) {
    lines_[level].reset(levels[level].network.channels);
  }
  top_line().reset(levels.back().network.channels, taken);
  top_.fill(std::vector<double>(static_cast<std::size_t>(row_), 0.0));
  if (levels.size() > 1) {
    low_ = top_;
  }
}

void RowWalk::walk(std::int64_t lo, std::int64_t hi, const PlaceRow& place_row) {
  search_ = {};
  for (std::int64_t y = lo; y < hi; ++y) {
    look_for_period(y, lo, hi);
    place_row(y);
    if (y >= reach_) {
      keep(y - reach_);
    }
    move_on(top_);
    if (lines_.size() > 1) {
      move_on(low_);
    }
  }
}

void RowWalk::move_on(Window& window) {
  std::rotate(window.begin(), window.begin() + 1, window.end());
  std::fill(window.back().begin(), window.back().end(), 0.0);
}

void RowWalk::finish(double below) {
  if (reach_ > 0) {
    keep(ends_->rows());
  }
  ends_->set_channels(top_line().times(), below);
}

void RowWalk::keep(std::int64_t y) {
  ends_->add_band(1, 1);
  const std::span<double> row = ends_->row(ends_->last_band(), 0);
  const std::span<double> moves = ends_->steps(ends_->last_band(), 0);
  const auto at = static_cast<std::size_t>(1 - reach_);
  const double* const top = top_[at].data();
  for (std::size_t x = 0; x < row.size(); ++x) {
    row[x] = base_ + top[x];
    moves[x] = top[x] > 0.0 ? 1.0 : 0.0;  // for fold()
  }
  if (lines_.size() == 1) {
    return;
  }
  const double* const low = low_[at].data();
  bool below_later = false;
  for (std::size_t x = 0; x < row.size(); ++x) {
    below_later |= (top[x] > 0.0) & (top[x] < low[x]);
    row[x] = std::max(row[x], base_ + low[x]);
  }
  mixed_ = below_later ? y : mixed_;
}

void RowWalk::look_for_period(std::int64_t& y, std::int64_t lo, std::int64_t hi) {
  if (search_.done || hi - lo < 4) {
    return;
  }
  if (search_.jump < 0 && search_.armed && (y - search_.since) % phase_period_ == 0 &&
      top_line().same_but_later(search_.line)) {
    search_.period = y - search_.since;
    search_.work = top_line().work() - search_.line.work();
    search_.later =
        top_line().unused() > 0 ? 0.0 : search_.work / static_cast<double>(top_line().channels());
    // The rows of the period have all their messages when the rows around them are placed.
    search_.jump = y + 2 * reach_;
  }
  if (search_.jump >= 0) {
    if (y == search_.jump) {
      leave_out(y, hi);
    }
    return;
  }
  // The part that the row begins in lies in the run.
  const bool inside = y * row_ - y * row_ % part_ >= lo * row_;
  if (y - lo >= search_.next && inside) {
    search_.armed = true;
    search_.since = y;
    search_.line = top_line();
    search_.next = 2 * (y - lo) + phase_period_;
  }
}

void RowWalk::leave_out(std::int64_t& y, std::int64_t hi) {
  search_.jump = -1;
  if (mixed_ >= search_.since + reach_) {
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
  fold(search_.period, times);
  const double later = static_cast<double>(times) * search_.later;
  top_line().shift(later, static_cast<double>(times) * search_.work);
  y += times * search_.period;
  for (std::vector<double>& row : top_) {
    for (double& end : row) {
      end += end > 0.0 ? later : 0.0;
    }
  }
}

void RowWalk::fold(std::int64_t period, std::int64_t times) {
  const std::span<const FoldedEnds::Band> bands = ends_->bands();
  for (const FoldedEnds::Band& band : bands.last(static_cast<std::size_t>(period))) {
    for (double& step : ends_->steps(band, 0)) {
      step = step > 0.0 ? search_.later : 0.0;
    }
  }
  ends_->repeat_last(period, period * (times + 1));
}

}  // namespace gridcast::network
