#include "processor_classes.h"

#include <algorithm>

namespace gridcast::model {

void ProcessorClasses::assign(
    const machine::Grid& grid,
    std::array<std::vector<std::int64_t>, machine::max_grid_rank>& borders) {
  rank_ = grid.rank();
  processors_ = grid.processors();
  std::int64_t stride = 1;
  std::size_t class_stride = 1;
  for (int dim = rank_; dim-- > 0;) {
    extents_[index(dim)] = grid.extent(dim);
    strides_[index(dim)] = stride;
    class_strides_[index(dim)] = class_stride;
    stride *= grid.extent(dim);
    std::vector<std::int64_t>& cuts = borders[index(dim)];
    std::sort(cuts.begin(), cuts.end());
    std::vector<std::int64_t>& starts = starts_[index(dim)];
    starts.assign(1, 0);
    for (const std::int64_t cut : cuts) {
      if (cut > starts.back() && cut < grid.extent(dim)) {
        starts.push_back(cut);
      }
    }
    starts.push_back(grid.extent(dim));
    class_stride *= runs(dim);
  }
  members_.assign(class_stride, 1.0);
  std::size_t filled = 1;
  for (int dim = 0; dim < rank_; ++dim) {
    const std::span<const std::int64_t> starts = this->starts(dim);
    for (std::size_t i = filled; i-- > 0;) {
      const double so_far = members_[i];
      for (std::size_t k = runs(dim); k-- > 0;) {
        members_[i * runs(dim) + k] = so_far * static_cast<double>(starts[k + 1] - starts[k]);
      }
    }
    filled *= runs(dim);
  }
}

void ProcessorClasses::assign_whole(const ProcessorClasses& other) {
  *this = other;
  for (int dim = 0; dim < rank_; ++dim) {
    starts_[index(dim)].assign({0, extent(dim)});
    class_strides_[index(dim)] = 1;
  }
  members_.assign(1, static_cast<double>(processors_));
}

std::size_t ProcessorClasses::run_of(int dim, std::int64_t coordinate) const noexcept {
  const std::vector<std::int64_t>& starts = starts_[index(dim)];
  const auto above = std::upper_bound(starts.begin(), starts.end() - 1, coordinate);
  return static_cast<std::size_t>(above - starts.begin()) - 1;
}

std::size_t ProcessorClasses::class_of(std::int64_t processor) const noexcept {
  std::size_t which = 0;
  for (int dim = 0; dim < rank_; ++dim) {
    which += run_of(dim, processor / stride(dim) % extent(dim)) * class_stride(dim);
  }
  return which;
}

}  // namespace gridcast::model
