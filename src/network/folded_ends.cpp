#include "gridcast/network/folded_ends.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gridcast/mapping/index_range.h"

namespace gridcast::network {

namespace {

/// Numbers from which on bands are not summed up together with the next one.
constexpr std::size_t stack_size = 256;

}  // namespace

double FoldedEnds::Band::times(std::int64_t i) const noexcept {
  return count == period ? 1.0 : mapping::whole_quotient(count - i + period - 1, period);
}

void RowShape::assign(const ProcessorClasses& classes, int along, bool ascending,
                      std::span<const std::uint8_t> single) {
  classes_ = &classes;
  along_ = along;
  ascending_ = ascending;
  std::size_t count = 1;
  for (int dim = classes.rank(); dim-- > 0;) {
    const auto at = static_cast<std::size_t>(dim);
    single_[at] = single[at] != 0;
    if (dim != along) {
      strides_[at] = count;
      count *= single_[at] ? static_cast<std::size_t>(classes.extent(dim)) : classes.runs(dim);
    }
  }
  cells_.clear();
  cells_.reserve(count);
  Cell cell;
  ProcessorClasses::Indices run{};
  while (cells_.size() < count) {
    cell.members = 1.0;
    for (int dim = 0; dim < classes.rank(); ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      const auto here = static_cast<std::size_t>(run[at]);
      if (dim != along && !single_[at]) {
        cell.members *=
            static_cast<double>(classes.starts(dim)[here + 1] - classes.starts(dim)[here]);
      }
    }
    cells_.push_back(cell);
    // To the next one: the last dimension runs fastest.
    bool carry = true;
    for (int dim = classes.rank() - 1; carry && dim >= 0; --dim) {
      const auto at = static_cast<std::size_t>(dim);
      if (dim == along) {
        continue;
      }
      const std::size_t stride = classes.class_stride(dim);
      const std::span<const std::int64_t> starts = classes.starts(dim);
      ++cell.at[at];
      if (!single_[at] || cell.at[at] == starts[static_cast<std::size_t>(run[at]) + 1]) {
        ++run[at];
        cell.part += stride;
      }
      carry = run[at] + 1 == std::ssize(starts);
      if (carry) {
        cell.part -= static_cast<std::size_t>(run[at]) * stride;
        cell.at[at] = run[at] = 0;
      }
    }
  }
}

std::size_t RowShape::cell_of(std::size_t which,
                              const ProcessorClasses::Indices& at) const noexcept {
  std::size_t cell = 0;
  for (int dim = 0; dim < classes().rank(); ++dim) {
    const auto d = static_cast<std::size_t>(dim);
    if (dim != along_) {
      cell +=
          strides_[d] * (single_[d] ? static_cast<std::size_t>(at[d]) : classes().run(which, dim));
    }
  }
  return cell;
}

void FoldedEnds::begin(const ProcessorClasses& classes) {
  int along = 0;
  while (along + 1 < classes.rank() && classes.extent(along) == 1) {
    ++along;
  }
  std::array<std::uint8_t, machine::max_grid_rank> single{};
  single.fill(1);
  shape_.assign(classes, along, true, single);
  begin_rows();
}

void FoldedEnds::begin(const RowShape& shape) {
  shape_ = shape;
  begin_rows();
}

void FoldedEnds::begin_rows() {
  start(classes().size());
  row_ = static_cast<std::int64_t>(shape_.cells().size());
  next_ = 0;
  bands_.clear();
  used_ = 0;
  segments_.clear();
  for (std::int64_t x = 0; x < row_; ++x) {
    const RowShape::Cell& cell = shape_.cells()[static_cast<std::size_t>(x)];
    if (segments_.empty() || segments_.back().which != cell.part) {
      segments_.push_back({x, x, cell.part, cell.members});
    }
    segments_.back().end = x + 1;
  }
}

void FoldedEnds::add_band(std::int64_t count, std::int64_t period) {
  bands_.push_back({next_, count, period, classes().run_of(along(), shape_.across(next_)), used_});
  next_ += count;
  used_ += static_cast<std::size_t>(period * row_);
  ends_.resize(std::max(ends_.size(), used_));
  beside_.resize(ends_.size());
}

void FoldedEnds::repeat_last(std::int64_t period, std::int64_t count) {
  bands_.resize(bands_.size() - static_cast<std::size_t>(period) + 1);
  bands_.back().count = count;
  bands_.back().period = period;
  next_ += count - period;
}

void FoldedEnds::Summary::add(std::span<const double> values, std::span<const double> steps,
                              double times, double members) {
  double once = 0.0;
  double later = 0.0;
  for (std::size_t x = 0; x < values.size(); ++x) {
    least = std::min(least, values[x]);
    most = std::max(most, values[x] + (times - 1.0) * steps[x]);
    once += values[x];
    later += steps[x];
  }
  sum += members * (times * once + later * times * (times - 1.0) * 0.5);
  count += members * times * static_cast<double>(values.size());
}

void FoldedEnds::sum_up(const Band& band, std::span<Summary> classes) const {
  for (std::int64_t i = 0; i < band.period; ++i) {
    const double times = band.times(i);
    for (const Segment& segment : segments_) {
      const auto begin = static_cast<std::size_t>(segment.begin);
      const auto count = static_cast<std::size_t>(segment.end - segment.begin);
      classes[segment.which].add(row(band, i).subspan(begin, count),
                                 steps(band, i).subspan(begin, count), times, segment.members);
    }
  }
}

void FoldedEnds::finish() {
  std::fill(least_.begin(), least_.end(), HUGE_VAL);
  std::fill(most_.begin(), most_.end(), -HUGE_VAL);
  std::fill(sums_.begin(), sums_.end(), 0.0);
  const std::size_t per_run = shape_.cells().back().part + 1;
  stacks_.clear();
  summaries_.clear();
  for (std::size_t b = 0; b < bands_.size(); ++b) {
    const Band& band = bands_[b];
    const bool repeats = band.count > band.period;
    if (repeats || stacks_.empty() || stacks_.back().repeats || stacks_.back().run != band.run ||
        band.at - bands_[stacks_.back().first].at >= stack_size) {
      stacks_.push_back({b, b, band.run, repeats});
      summaries_.resize(summaries_.size() + per_run);
    }
    stacks_.back().end = b + 1;
    sum_up(band, std::span(summaries_).last(per_run));
  }
  for (std::size_t i = 0; i < summaries_.size(); ++i) {
    const std::size_t which = first_class(stacks_[i / per_run].run) + i % per_run;
    least_[which] = std::min(least_[which], summaries_[i].least);
    most_[which] = std::max(most_[which], summaries_[i].most);
    sums_[which] += summaries_[i].sum;
  }
  total_ = std::accumulate(sums_.begin(), sums_.end(), 0.0);
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

double FoldedEnds::end_of(std::size_t which, const ProcessorClasses::Indices& at,
                          std::int64_t) const {
  bring_back();
  const std::int64_t y = shape_.across(at[static_cast<std::size_t>(along())]);
  const auto [band, i] = find(y);
  const auto times = mapping::whole_quotient(y - band.first, band.period);
  const std::size_t cell = shape_.cell_of(which, at);
  // What does not repeat has no steps.
  return times > 0.0 ? row(band, i)[cell] + times * steps(band, i)[cell] : row(band, i)[cell];
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
  const double* const values = ends_.data() + first.at;
  // Rows that are kept follow each other without a gap.
  const auto rows = static_cast<std::size_t>(last.first + last.period - first.first);
  for (const Segment& segment : segments_) {
    if (segment.which != in_row) {
      continue;
    }
    EndsBelow cells;
    const auto begin = static_cast<std::size_t>(segment.begin);
    const auto count = static_cast<std::size_t>(segment.end - segment.begin);
    if (stack.repeats) {
      add_repeats_below(first, segment, limit, cells);
    } else if (count < rows) {
      for (std::size_t x = begin; x < begin + count; ++x) {
        add_once(values + x, rows, row_size(), limit, cells);
      }
    } else {
      for (std::size_t y = 0; y < rows; ++y) {
        add_once(values + y * row_size() + begin, count, 1, limit, cells);
      }
    }
    result.count += segment.members * cells.count;
    result.sum += segment.members * cells.sum;
  }
}

EndsBelow FoldedEnds::below(std::size_t which, double limit) const {
  bring_back();
  EndsBelow result;
  const std::size_t run = classes().run(which, along());
  const std::size_t in_row = which - first_class(run);
  const std::size_t per_run = shape_.cells().back().part + 1;
  for (std::size_t i = 0; i < stacks_.size(); ++i) {
    const Stack& stack = stacks_[i];
    const Summary& all = summaries_[i * per_run + in_row];
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
