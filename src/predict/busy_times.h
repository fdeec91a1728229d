#pragma once
/// Internal: computing times of all processors, added up from classes that change with time: as
/// differences along each dimension, so that a class costs its corners.

#include <span>
#include <vector>

#include "processor_classes.h"

namespace gridcast::model {

class BusyTimes {
public:
  void reset(const ProcessorClasses& grid) {
    rank_ = grid.rank();
    std::size_t size = 1;
    for (int dim = rank_; dim-- > 0;) {
      const auto at = static_cast<std::size_t>(dim);
      extents_[at] = grid.extent(dim);
      strides_[at] = size;
      size *= static_cast<std::size_t>(grid.extent(dim)) + 1;
    }
    differences_.assign(size, 0.0);
  }

  /// `seconds` per processor of each class.
  void add(const ProcessorClasses& classes, std::span<const double> seconds) {
    for (std::size_t which = 0; which < seconds.size(); ++which) {
      if (seconds[which] != 0.0) {
        add_box(classes, which, seconds[which]);
      }
    }
  }

  /// Adds what each processor has.
  void list(std::vector<double>& result) const {
    std::vector<double> sums = differences_;
    for (int dim = 0; dim < rank_; ++dim) {
      const auto at = static_cast<std::size_t>(dim);
      const std::size_t line = strides_[at] * static_cast<std::size_t>(extents_[at] + 1);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += i % line >= strides_[at] ? sums[i - strides_[at]] : 0.0;
      }
    }
    ProcessorClasses::Indices x{};
    for (double& seconds : result) {
      std::size_t place = 0;
      for (int dim = 0; dim < rank_; ++dim) {
        const auto at = static_cast<std::size_t>(dim);
        place += static_cast<std::size_t>(x[at]) * strides_[at];
      }
      seconds += sums[place];
      for (int dim = rank_; dim-- > 0;) {
        const auto at = static_cast<std::size_t>(dim);
        if (++x[at] < extents_[at]) {
          break;
        }
        x[at] = 0;
      }
    }
  }

private:
  void add_box(const ProcessorClasses& classes, std::size_t which, double seconds) {
    for (unsigned corner = 0; corner < 1U << rank_; ++corner) {
      std::size_t place = 0;
      double sign = 1.0;
      for (int dim = 0; dim < rank_; ++dim) {
        const std::size_t run = classes.run(which, dim);
        const bool end = (corner >> dim & 1U) != 0;
        place += static_cast<std::size_t>(classes.starts(dim)[end ? run + 1 : run]) *
                 strides_[static_cast<std::size_t>(dim)];
        sign = end ? -sign : sign;
      }
      differences_[place] += sign * seconds;
    }
  }

  int rank_ = 1;
  ProcessorClasses::Indices extents_{1, 1, 1, 1};
  std::array<std::size_t, machine::max_grid_rank> strides_{};
  std::vector<double> differences_;  // one more per dimension than coordinates
};

}  // namespace gridcast::model
