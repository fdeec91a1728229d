#include "gridcast/network/rowed_ends.h"

#include <algorithm>
#include <cmath>

namespace gridcast::network {

void RowShape::assign(const ProcessorClasses& classes, int along, bool ascending,
                      std::span<const std::uint8_t> single) {
  classes_ = &classes;
  along_ = along;
  ascending_ = ascending;
  cells_.assign(1, Cell{});
  for (int dim = classes.rank() - 1; dim >= 0; --dim) {
    const auto at = static_cast<std::size_t>(dim);
    strides_[at] = cells_.size();
    single_[at] = single[at] != 0;
    if (dim == along) {
      continue;
    }
    const std::vector<Cell> before = std::move(cells_);
    cells_.clear();
    const std::span<const std::int64_t> starts = classes.starts(dim);
    for (std::size_t run = 0; run + 1 < starts.size(); ++run) {
      const std::int64_t length = starts[run + 1] - starts[run];
      for (std::int64_t x = 0; x < (single_[at] ? length : 1); ++x) {
        for (Cell cell : before) {
          cell.part += run * classes.class_stride(dim);
          cell.members *= single_[at] ? 1.0 : static_cast<double>(length);
          cell.at[at] = single_[at] ? starts[run] + x : static_cast<std::int64_t>(run);
          cells_.push_back(cell);
        }
      }
    }
  }
}

std::size_t RowShape::cell_of(std::size_t which,
                              const ProcessorClasses::Indices& at) const noexcept {
  std::size_t cell = 0;
  for (int dim = 0; dim < classes_->rank(); ++dim) {
    const auto d = static_cast<std::size_t>(dim);
    if (dim != along_) {
      cell +=
          strides_[d] * (single_[d] ? static_cast<std::size_t>(at[d]) : classes_->run(which, dim));
    }
  }
  return cell;
}

void RowedEnds::reset(const RowShape& shape) {
  shape_ = shape;
  start(shape.classes().size());
  silent_ = false;
  groups_.clear();
  ends_.clear();
  rates_.clear();
  class_sums_.assign(shape.classes().size(), 0.0);
  std::fill(least_.begin(), least_.end(), HUGE_VAL);
  std::fill(most_.begin(), most_.end(), -HUGE_VAL);
  total_ = 0.0;
}

void RowedEnds::add(std::size_t run, std::int64_t count, std::span<const double> ends,
                    std::span<const double> rates) {
  const std::int64_t first = groups_.empty() ? 0 : groups_.back().first + groups_.back().count;
  groups_.push_back({first, count, run, ends_.size()});
  ends_.insert(ends_.end(), ends.begin(), ends.end());
  rates_.insert(rates_.end(), rates.begin(), rates.end());
  const std::size_t part = run * shape_.classes().class_stride(shape_.along());
  const auto rows = static_cast<double>(count);
  for (std::size_t c = 0; c < ends.size(); ++c) {
    const RowShape::Cell& cell = shape_.cells()[c];
    const std::size_t which = cell.part + part;
    const double last = ends[c] + (rows - 1.0) * rates[c];
    least_[which] = std::min(least_[which], std::min(ends[c], last));
    most_[which] = std::max(most_[which], std::max(ends[c], last));
    const double sum = cell.members * rows * 0.5 * (ends[c] + last);
    class_sums_[which] += sum;
    total_ += sum;
  }
}

EndsBelow RowedEnds::below(std::size_t which, double limit) const {
  EndsBelow result;
  const ProcessorClasses& classes = shape_.classes();
  const std::size_t run = classes.run(which, shape_.along());
  const std::size_t part = which - run * classes.class_stride(shape_.along());
  for (const Group& group : groups_) {
    for (std::size_t c = 0; group.run == run && c < shape_.cells().size(); ++c) {
      const RowShape::Cell& cell = shape_.cells()[c];
      const double end = ends_[group.cells + c];
      const double rate = rates_[group.cells + c];
      if (cell.part != part || !(end < limit)) {
        continue;
      }
      const auto all = static_cast<double>(group.count);
      const double rows = rate > 0.0 ? std::min(std::ceil((limit - end) / rate), all) : all;
      result.count += cell.members * rows;
      result.sum += cell.members * rows * (end + 0.5 * (rows - 1.0) * rate);
    }
  }
  return result;
}

double RowedEnds::end_of(std::size_t which, const ProcessorClasses::Indices& at,
                         std::int64_t) const {
  const std::int64_t x = at[static_cast<std::size_t>(shape_.along())];
  const std::int64_t row = shape_.ascending() ? x : shape_.classes().extent(shape_.along()) - 1 - x;
  const auto behind =
      std::upper_bound(groups_.begin(), groups_.end(), row,
                       [](std::int64_t r, const Group& group) { return r < group.first; });
  const Group& group = *(behind - 1);
  const std::size_t cell = group.cells + shape_.cell_of(which, at);
  return ends_[cell] + static_cast<double>(row - group.first) * rates_[cell];
}

}  // namespace gridcast::network
