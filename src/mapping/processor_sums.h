#pragma once
/// What all processors of a grid have of something, added up from classes that change with time:
/// kept as differences along each dimension, so that a class costs its corners.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "gridcast/mapping/processor_classes.h"

namespace gridcast::mapping {

/// Sums per processor.
class ProcessorSums {
public:
  /// Nothing for anybody on the grid that these classes divide.
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

  /// `values`: for each processor of a class.
  void add(const ProcessorClasses& classes, std::span<const double> values) {
    for (std::size_t which = 0; which < values.size(); ++which) {
      if (values[which] != 0.0) {
        add_box(classes, which, values[which]);
      }
    }
  }

  /// Adds what each processor has to `result`.
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
    for (double& value : result) {
      std::size_t place = 0;
      for (int dim = 0; dim < rank_; ++dim) {
        const auto at = static_cast<std::size_t>(dim);
        place += static_cast<std::size_t>(x[at]) * strides_[at];
      }
      value += sums[place];
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
  void add_box(const ProcessorClasses& classes, std::size_t which, double value) {
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
      differences_[place] += sign * value;
    }
  }

  int rank_ = 1;
  ProcessorClasses::Indices extents_{1, 1, 1, 1};
  std::array<std::size_t, machine::max_grid_rank> strides_{};
  std::vector<double> differences_;  // one more per dimension than coordinates
};

}  // namespace gridcast::mapping
