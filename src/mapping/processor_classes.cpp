#include "gridcast/mapping/processor_classes.h"

#include <algorithm>
#include <utility>

namespace gridcast::mapping {

void ProcessorClasses::assign(
    const machine::Grid& grid,
    std::array<std::vector<std::int64_t>, machine::max_grid_rank>& borders,
    const Indices& periods) {
  rank_ = grid.rank();
  processors_ = grid.processors();
  periods_ = periods;
  std::int64_t stride = 1;
  for (int dim = rank_; dim-- > 0;) {
    extents_[index(dim)] = grid.extent(dim);
    strides_[index(dim)] = stride;
    stride *= grid.extent(dim);
  }
  cut(borders);
}

void ProcessorClasses::assign_finer(
    const ProcessorClasses& other,
    std::array<std::vector<std::int64_t>, machine::max_grid_rank>& borders) {
  copy_grid(other);
  cut(borders);
}

void ProcessorClasses::assign_whole(const ProcessorClasses& other) {
  copy_grid(other);
  periods_ = {1, 1, 1, 1};
  std::array<std::vector<std::int64_t>, machine::max_grid_rank> none;
  cut(none);
}

void ProcessorClasses::copy_grid(const ProcessorClasses& other) {
  rank_ = other.rank_;
  processors_ = other.processors_;
  extents_ = other.extents_;
  strides_ = other.strides_;
  periods_ = other.periods_;
}

void ProcessorClasses::cut(std::array<std::vector<std::int64_t>, machine::max_grid_rank>& borders) {
  std::size_t class_stride = 1;
  for (int dim = rank_; dim-- > 0;) {
    class_strides_[index(dim)] = class_stride;
    std::vector<std::int64_t>& cuts = borders[index(dim)];
    std::sort(cuts.begin(), cuts.end());
    std::vector<std::int64_t>& starts = starts_[index(dim)];
    starts.assign(1, 0);
    for (const std::int64_t cut : cuts) {
      if (cut > starts.back() && cut < extent(dim)) {
        starts.push_back(cut);
      }
    }
    starts.push_back(extent(dim));
    find_runs(dim);
    class_stride *= runs(dim);
  }
  members_.assign(class_stride, 1.0);
  std::size_t filled = 1;
  for (int dim = 0; dim < rank_; ++dim) {
    multiply_out(members_, filled, runs(dim), [&](std::size_t run) {
      return static_cast<double>(runs_[index(dim)][run].count);
    });
    filled *= runs(dim);
  }
}

void ProcessorClasses::find_runs(int dim) {
  const std::vector<std::int64_t>& starts = starts_[index(dim)];
  const std::int64_t period = periods_[index(dim)];
  std::vector<std::size_t>& first_runs = first_runs_[index(dim)];
  std::vector<Run>& runs = runs_[index(dim)];
  first_runs.clear();
  runs.clear();
  std::size_t below = nowhere;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const std::size_t first = runs.size();
    first_runs.push_back(first);
    const std::int64_t length = starts[i + 1] - starts[i];
    for (std::int64_t k = 0; k < std::min(period, length); ++k) {
      const std::size_t own = runs.size();
      const bool repeats = k + 1 == period && period < length;
      runs.push_back({starts[i] + k, period == 1 ? length : (length - k + period - 1) / period,
                      period, std::exchange(below, own), repeats ? first : own + 1});
    }
    below = period == 1 ? first : first + static_cast<std::size_t>((length - 1) % period);
  }
  runs.back().above = runs.back().above < runs.size() ? runs.back().above : nowhere;
}

}  // namespace gridcast::mapping
