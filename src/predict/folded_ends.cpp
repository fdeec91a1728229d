#include "folded_ends.h"

#include <algorithm>
#include <cmath>

#include "floor_sums.h"

namespace gridcast::model {

void FoldedEnds::begin(const ProcessorClasses& classes) {
  start(classes.size());
  classes_ = &classes;
  along_ = 0;
  while (along_ + 1 < classes.rank() && classes.extent(along_) == 1) {
    ++along_;
  }
  row_ = classes.stride(along_);
  next_ = 0;
  run_ = 0;
  bands_.clear();
  values_.clear();
  steps_.clear();
  channels_known_ = false;
  segments_.clear();
  // Lines of the last dimension are cut in the same way everywhere.
  const int last = classes.rank() - 1;
  const std::span<const std::int64_t> starts = classes.starts(last);
  const std::int64_t line = along_ == last ? 1 : classes.extent(last);
  for (std::int64_t x = 0; x < row_; x += line) {
    const std::size_t first = along_ == last ? 0 : classes.class_of(x);
    for (std::size_t run = 0; along_ != last && run + 1 < starts.size(); ++run) {
      segments_.push_back({x + starts[run], x + starts[run + 1], first + run});
    }
  }
  if (along_ == last) {
    segments_.push_back({0, 1, 0});
  }
}

void FoldedEnds::add_band(std::int64_t count, std::int64_t period) {
  while (next_ >= classes_->starts(along_)[run_ + 1]) {
    ++run_;
  }
  bands_.push_back({next_, count, period, run_, values_.size()});
  next_ += count;
  values_.resize(values_.size() + static_cast<std::size_t>(period * row_), 0.0);
  steps_.resize(values_.size(), 0.0);
}

void FoldedEnds::repeat_last(std::int64_t period, std::int64_t count) {
  bands_.resize(bands_.size() - static_cast<std::size_t>(period) + 1);
  bands_.back().count = count;
  bands_.back().period = period;
  next_ += count - period;
}

void FoldedEnds::finish() {
  std::fill(least_.begin(), least_.end(), HUGE_VAL);
  std::fill(most_.begin(), most_.end(), -HUGE_VAL);
  class_sums_.assign(classes_->size(), 0.0);
  for (const Band& band : bands_) {
    const std::size_t first = first_class(band.run);
    for (std::int64_t i = 0; i < band.period; ++i) {
      const std::span<const double> values = row(band, i);
      const std::span<const double> later = steps(band, i);
      const auto times = whole_quotient(band.count - i + band.period - 1, band.period);
      const double pairs = times * (times - 1.0) * 0.5;
      for (const Segment& segment : segments_) {
        double least = least_[first + segment.which];
        double most = most_[first + segment.which];
        double sum = 0.0;
        double steps = 0.0;
        for (auto x = static_cast<std::size_t>(segment.begin);
             x < static_cast<std::size_t>(segment.end); ++x) {
          least = std::min(least, values[x]);
          most = std::max(most, values[x] + (times - 1.0) * later[x]);
          sum += values[x];
          steps += later[x];
        }
        least_[first + segment.which] = least;
        most_[first + segment.which] = most;
        class_sums_[first + segment.which] += times * sum + pairs * steps;
      }
    }
  }
  total_ = 0.0;
  for (const double sum : class_sums_) {
    total_ += sum;
  }
  find_last();
}

void FoldedEnds::set_channels(std::span<const double> ends, double below) {
  channels_.assign(ends.begin(), ends.end());
  below_until_ = below;
  channels_known_ = true;
}

bool FoldedEnds::channel_ends(std::vector<double>& ends) const {
  ends = channels_;
  return channels_known_ && below_until_ < 0.0;
}

double FoldedEnds::end_of(std::size_t, const ProcessorClasses::Indices&,
                          std::int64_t number) const {
  const std::int64_t y = number / row_;
  const auto above =
      std::upper_bound(bands_.begin(), bands_.end(), y,
                       [](std::int64_t wanted, const Band& band) { return wanted < band.first; });
  const Band& band = *(above - 1);
  const std::int64_t i = (y - band.first) % band.period;
  const auto times = whole_quotient(y - band.first, band.period);
  const std::size_t at = band.at + static_cast<std::size_t>(i * row_ + number % row_);
  return values_[at] + times * steps_[at];
}

namespace {

/// How many of value, value + step, … (`times` of them) lie below the limit; step >= 0.
double repeats_below(double value, double step, double times, double limit) {
  if (!(value < limit)) {
    return 0.0;
  }
  if (!(value + (times - 1.0) * step >= limit)) {
    return times;
  }
  double count = std::clamp(std::ceil((limit - value) / step), 1.0, times);
  for (; count > 1.0 && value + (count - 1.0) * step >= limit; count -= 1.0) {
  }
  for (; count < times && value + count * step < limit; count += 1.0) {
  }
  return count;
}

}  // namespace

EndsBelow FoldedEnds::below(std::size_t which, double limit) const {
  EndsBelow result;
  const std::size_t run = classes_->run(which, along_);
  const std::size_t in_row = which - first_class(run);
  for (const Band& band : bands_) {
    if (band.run != run) {
      continue;
    }
    for (std::int64_t i = 0; i < band.period; ++i) {
      const std::span<const double> values = row(band, i);
      const std::span<const double> later = steps(band, i);
      const auto times = whole_quotient(band.count - i + band.period - 1, band.period);
      for (const Segment& segment : segments_) {
        if (segment.which != in_row) {
          continue;
        }
        for (auto x = static_cast<std::size_t>(segment.begin);
             x < static_cast<std::size_t>(segment.end); ++x) {
          const double count = repeats_below(values[x], later[x], times, limit);
          result.count += count;
          result.sum += count * values[x] + later[x] * count * (count - 1.0) * 0.5;
        }
      }
    }
  }
  return result;
}

}  // namespace gridcast::model
