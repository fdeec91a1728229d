#include "gridcast/mapping/processor_classes.h"

#include <algorithm>

namespace gridcast::mapping {

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
    multiply_out(members_, filled, runs(dim), [&](std::size_t run) {
      return static_cast<double>(starts[run + 1] - starts[run]);
    });
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

}  // namespace gridcast::mapping
