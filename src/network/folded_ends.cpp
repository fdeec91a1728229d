#include "folded_ends.h"

#include <algorithm>
#include <cmath>

#include "gridcast/base/floor_sums.h"

namespace gridcast::network {

namespace {

/// Shorter lists than this stay.
constexpr std::size_t few_entries = 4096;
/// Numbers from which on bands are not summed up together with the next one.
constexpr std::size_t stack_size = 256;

}  // namespace

double FoldedEnds::Band::times(std::int64_t i) const noexcept {
  return count == period ? 1.0 : whole_quotient(count - i + period - 1, period);
}

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
  used_ = 0;
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
  bands_.push_back({next_, count, period, run_, used_});
  next_ += count;
  used_ += static_cast<std::size_t>(period * row_);
  values_.resize(std::max(values_.size(), used_));
  steps_.resize(values_.size());
}

std::size_t FoldedEnds::kept() const noexcept {
  const std::size_t all = values_.size() + steps_.size();
  return all <= few_entries ? 0 : all;
}

void FoldedEnds::release() {
  if (kept() > 0) {
    values_ = std::vector<double>();  // {} would keep the memory
    steps_ = std::vector<double>();
  }
}

void FoldedEnds::repeat_last(std::int64_t period, std::int64_t count) {
  bands_.resize(bands_.size() - static_cast<std::size_t>(period) + 1);
  bands_.back().count = count;
  bands_.back().period = period;
  next_ += count - period;
}

void FoldedEnds::Summary::add(std::span<const double> values, std::span<const double> steps,
                              double times) {
  double once = 0.0;
  double later = 0.0;
  for (std::size_t x = 0; x < values.size(); ++x) {
    least = std::min(least, values[x]);
    most = std::max(most, values[x] + (times - 1.0) * steps[x]);
    once += values[x];
    later += steps[x];
  }
  sum += times * once + later * times * (times - 1.0) * 0.5;
  count += times * static_cast<double>(values.size());
}

void FoldedEnds::sum_up(const Band& band, std::span<Summary> classes) const {
  for (std::int64_t i = 0; i < band.period; ++i) {
    const double times = band.times(i);
    for (const Segment& segment : segments_) {
      const auto begin = static_cast<std::size_t>(segment.begin);
      const auto count = static_cast<std::size_t>(segment.end - segment.begin);
      classes[segment.which].add(row(band, i).subspan(begin, count),
                                 steps(band, i).subspan(begin, count), times);
    }
  }
}

void FoldedEnds::finish() {
  std::fill(least_.begin(), least_.end(), HUGE_VAL);
  std::fill(most_.begin(), most_.end(), -HUGE_VAL);
  class_sums_.assign(classes_->size(), 0.0);
  const std::size_t classes = classes_->class_stride(along_);
  stacks_.clear();
  summaries_.clear();
  for (std::size_t b = 0; b < bands_.size(); ++b) {
    const Band& band = bands_[b];
    const bool repeats = band.count > band.period;
    if (repeats || stacks_.empty() || stacks_.back().repeats || stacks_.back().run != band.run ||
        band.at - bands_[stacks_.back().first].at >= stack_size) {
      stacks_.push_back({b, b, band.run, repeats});
      summaries_.resize(summaries_.size() + classes);
    }
    stacks_.back().end = b + 1;
    sum_up(band, std::span(summaries_).last(classes));
  }
  for (std::size_t i = 0; i < summaries_.size(); ++i) {
    const std::size_t which = first_class(stacks_[i / classes].run) + i % classes;
    least_[which] = std::min(least_[which], summaries_[i].least);
    most_[which] = std::max(most_[which], summaries_[i].most);
    class_sums_[which] += summaries_[i].sum;
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
}

bool FoldedEnds::channel_ends(std::vector<double>& ends, double from) const {
  ends = channels_;
  return below_until_ <= from;
}

std::pair<const FoldedEnds::Band&, std::int64_t> FoldedEnds::find(std::int64_t y) const noexcept {
  const auto above =
      std::upper_bound(bands_.begin(), bands_.end(), y,
                       [](std::int64_t wanted, const Band& band) { return wanted < band.first; });
  const Band& band = *(above - 1);
  return {band, (y - band.first) % band.period};
}

double FoldedEnds::end_of(std::size_t, const ProcessorClasses::Indices&,
                          std::int64_t number) const {
  bring_back();
  const std::int64_t y = number / row_;
  const auto [band, i] = find(y);
  const auto times = whole_quotient(y - band.first, band.period);
  const std::size_t at = band.at + static_cast<std::size_t>(i * row_ + number % row_);
  // What does not repeat has no steps.
  return times > 0.0 ? values_[at] + times * steps_[at] : values_[at];
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

/// Adds those of `count` values, `step` apart, that lie below the limit.
void add_once(const double* values, std::size_t count, std::size_t step, double limit,
              EndsBelow& result) {
  for (std::size_t i = 0; i < count; ++i) {
    const double value = values[i * step];
    result.count += value < limit ? 1.0 : 0.0;
    result.sum += value < limit ? value : 0.0;
  }
}

}  // namespace

void FoldedEnds::add_repeats_below(const Band& band, const Segment& segment, double limit,
                                   EndsBelow& result) const {
  for (std::int64_t i = 0; i < band.period; ++i) {
    const std::span<const double> values = row(band, i);
    const std::span<const double> later = steps(band, i);
    const double times = band.times(i);
    for (auto x = static_cast<std::size_t>(segment.begin);
         x < static_cast<std::size_t>(segment.end); ++x) {
      const double count = repeats_below(values[x], later[x], times, limit);
      result.count += count;
      result.sum += count * values[x] + later[x] * count * (count - 1.0) * 0.5;
    }
  }
}

void FoldedEnds::add_below(const Stack& stack, std::size_t in_row, double limit,
                           EndsBelow& result) const {
  const Band& first = bands_[stack.first];
  const Band& last = bands_[stack.end - 1];
  const double* const values = values_.data() + first.at;
  // Rows that are kept follow each other without a gap.
  const auto rows = static_cast<std::size_t>(last.first + last.period - first.first);
  for (const Segment& segment : segments_) {
    if (segment.which != in_row) {
      continue;
    }
    if (stack.repeats) {
      add_repeats_below(first, segment, limit, result);
      continue;
    }
    const auto begin = static_cast<std::size_t>(segment.begin);
    const auto count = static_cast<std::size_t>(segment.end - segment.begin);
    if (count < rows) {
      for (std::size_t x = begin; x < begin + count; ++x) {
        add_once(values + x, rows, row_size(), limit, result);
      }
    } else {
      for (std::size_t y = 0; y < rows; ++y) {
        add_once(values + y * row_size() + begin, count, 1, limit, result);
      }
    }
  }
}

EndsBelow FoldedEnds::below(std::size_t which, double limit) const {
  bring_back();
  EndsBelow result;
  const std::size_t run = classes_->run(which, along_);
  const std::size_t in_row = which - first_class(run);
  const std::size_t classes = classes_->class_stride(along_);
  for (std::size_t i = 0; i < stacks_.size(); ++i) {
    const Stack& stack = stacks_[i];
    const Summary& all = summaries_[i * classes + in_row];
    if (stack.run != run || all.least >= limit) {
      continue;
    }
    if (all.most < limit) {
      result.count += all.count;
      result.sum += all.sum;
      continue;
    }
    add_below(stack, in_row, limit, result);
  }
  return result;
}

}  // namespace gridcast::network
