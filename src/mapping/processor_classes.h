#pragma once
/// The processors of a grid in classes of equals. Along each dimension the coordinates fall into
/// runs whose members hold parts of the same size and have the same kind of neighbours; a class is
/// a product of runs.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/machine/grid.h"

namespace gridcast::mapping {

/// The first `filled` of `values` times each of `count` factors, the factors running fastest.
template <class T, class F>
void multiply_out(std::vector<T>& values, std::size_t filled, std::size_t count, F&& factor) {
  for (std::size_t i = filled; i-- > 0;) {
    const T so_far = values[i];
    for (std::size_t k = count; k-- > 0;) {
      values[i * count + k] = static_cast<T>(so_far * factor(k));
    }
  }
}

/// A partition of the processors of a grid, a product of the partitions of its dimensions. Classes
/// and processors are numbered alike: the last dimension runs fastest.
class ProcessorClasses {
public:
  /// Coordinates of a processor.
  using Indices = std::array<std::int64_t, machine::max_grid_rank>;

  /// Cuts each dimension of `grid` at the borders given for it (any order, any number, those
  /// outside do not count); sorts them.
  void assign(const machine::Grid& grid,
              std::array<std::vector<std::int64_t>, machine::max_grid_rank>& borders);

  /// All processors of the grid of `other` in one class.
  void assign_whole(const ProcessorClasses& other);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
  [[nodiscard]] std::int64_t processors() const noexcept { return processors_; }
  [[nodiscard]] std::int64_t extent(int dim) const noexcept { return extents_[index(dim)]; }
  /// Distance of processor numbers that differ by one in coordinate `dim`.
  [[nodiscard]] std::int64_t stride(int dim) const noexcept { return strides_[index(dim)]; }

  /// First coordinates of the runs of a dimension, and the extent.
  [[nodiscard]] std::span<const std::int64_t> starts(int dim) const noexcept {
    return starts_[index(dim)];
  }
  [[nodiscard]] std::size_t runs(int dim) const noexcept { return starts_[index(dim)].size() - 1; }
  /// The run that a coordinate lies in.
  [[nodiscard]] std::size_t run_of(int dim, std::int64_t coordinate) const noexcept {
    const std::vector<std::int64_t>& starts = starts_[index(dim)];
    const auto above = std::upper_bound(starts.begin(), starts.end() - 1, coordinate);
    return static_cast<std::size_t>(above - starts.begin()) - 1;
  }

  /// Processors per class.
  [[nodiscard]] std::span<const double> members() const noexcept { return members_; }

  /// The run along `dim` of a class.
  [[nodiscard]] std::size_t run(std::size_t which, int dim) const noexcept {
    return which / class_strides_[index(dim)] % runs(dim);
  }
  /// Distance of classes whose run along `dim` differs by one.
  [[nodiscard]] std::size_t class_stride(int dim) const noexcept {
    return class_strides_[index(dim)];
  }
  /// Calls f(coordinates, number) for every processor of a class, in ascending order.
  template <class F>
  void for_each_member(std::size_t which, F&& f) const;

  /// for_each_member for enough of them to see the extremes of a function that is affine over the
  /// first, the last and the other coordinates of each run.
  template <class F>
  void for_each_corner(std::size_t which, F&& f) const;

  /// The number of the processor at these coordinates.
  [[nodiscard]] std::int64_t number_of(const Indices& at) const noexcept {
    std::int64_t number = 0;
    for (int dim = 0; dim < rank_; ++dim) {
      number += at[index(dim)] * stride(dim);
    }
    return number;
  }
  /// That of the first processor of a class.
  [[nodiscard]] std::int64_t first_of(std::size_t which) const noexcept {
    Indices first{};
    for (int dim = 0; dim < rank_; ++dim) {
      first[index(dim)] = starts(dim)[run(which, dim)];
    }
    return number_of(first);
  }

  /// The class of a processor.
  [[nodiscard]] std::size_t class_of(std::int64_t processor) const noexcept {
    std::size_t which = 0;
    for (int dim = 0; dim < rank_; ++dim) {
      which += run_of(dim, processor / stride(dim) % extent(dim)) * class_stride(dim);
    }
    return which;
  }

  /// No class.
  static constexpr std::size_t nowhere = SIZE_MAX;
  /// The class of the processor at these coordinates, or nowhere if the grid has no such.
  [[nodiscard]] std::size_t class_at(const Indices& at) const noexcept {
    std::size_t which = 0;
    for (int dim = 0; dim < rank_; ++dim) {
      const std::int64_t x = at[index(dim)];
      if (x < 0 || x >= extent(dim)) {
        return nowhere;
      }
      which += run_of(dim, x) * class_stride(dim);
    }
    return which;
  }

private:
  [[nodiscard]] static std::size_t index(int dim) noexcept { return static_cast<std::size_t>(dim); }

  template <class F, class Next>
  void visit(std::size_t which, F&& f, Next&& next) const;

  int rank_ = 1;
  std::int64_t processors_ = 1;
  Indices extents_{1, 1, 1, 1};
  Indices strides_{1, 1, 1, 1};
  std::array<std::size_t, machine::max_grid_rank> class_strides_{1, 1, 1, 1};
  std::array<std::vector<std::int64_t>, machine::max_grid_rank> starts_;
  std::vector<double> members_;
};

template <class F, class Next>
void ProcessorClasses::visit(std::size_t which, F&& f, Next&& next) const {
  Indices first{};
  Indices end{};
  std::int64_t number = 0;
  for (int dim = 0; dim < rank_; ++dim) {
    first[index(dim)] = starts(dim)[run(which, dim)];
    end[index(dim)] = starts(dim)[run(which, dim) + 1];
    number += first[index(dim)] * stride(dim);
  }
  Indices at = first;
  int dim = rank_;
  while (dim >= 0) {
    f(at, number);
    for (dim = rank_ - 1; dim >= 0; --dim) {
      const std::size_t d = index(dim);
      const std::int64_t before = at[d];
      const std::int64_t after = next(before, first[d], end[d]);
      at[d] = after < end[d] ? after : first[d];
      number += (at[d] - before) * strides_[d];
      if (after < end[d]) {
        break;
      }
    }
  }
}

template <class F>
void ProcessorClasses::for_each_member(std::size_t which, F&& f) const {
  visit(which, f, [](std::int64_t x, std::int64_t, std::int64_t) { return x + 1; });
}

template <class F>
void ProcessorClasses::for_each_corner(std::size_t which, F&& f) const {
  visit(which, f, [](std::int64_t x, std::int64_t first, std::int64_t end) {
    // first, first + 1, end - 2, end - 1
    return x > first && x < end - 2 ? end - 2 : x + 1;
  });
}

}  // namespace gridcast::mapping
