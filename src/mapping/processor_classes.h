#pragma once
/// The processors of a grid in classes of equals. Along each dimension the coordinates fall into
/// runs whose members hold parts of the same size and have the same kind of neighbours; a class is
/// a product of runs. Coordinates of a run follow each other, or lie wherever their kind repeats.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
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
  /// No class or run.
  static constexpr std::size_t nowhere = SIZE_MAX;
  /// Which coordinates of a dimension are alike: x is of the kind of[x % period()].
  struct Kinds {
    std::vector<std::uint32_t> of{0};
    std::size_t count = 1;  ///< kinds are 0 … count - 1

    [[nodiscard]] std::int64_t period() const noexcept { return std::ssize(of); }
  };
  /// Coordinates of a dimension, in ascending order.
  struct Run {
    std::int64_t first = 0, last = 0, count = 1;
    std::int64_t step = 1;                         ///< from each to the next; 0: it varies
    std::size_t below = nowhere, above = nowhere;  ///< runs of first - 1 and first + 1
    std::int64_t period = 1;
    std::span<const std::int64_t> turns;  ///< those of the first period, if the step varies

    /// The coordinate before which there are so many.
    [[nodiscard]] std::int64_t at(std::int64_t place) const noexcept {
      if (step != 0) {
        return first + place * step;
      }
      const std::int64_t turn = std::ssize(turns);
      const std::int64_t times = place < turn ? 0 : place / turn;
      return turns[static_cast<std::size_t>(place - times * turn)] + times * period;
    }
    /// How many lie before a coordinate.
    [[nodiscard]] std::int64_t before(std::int64_t coordinate) const noexcept;
    /// Σ of how far the first so many are from the first one, if the step varies.
    [[nodiscard]] double distances(std::int64_t places) const noexcept;
  };

  /// Cuts each dimension of `grid` at the borders given for it (any order, any number, those
  /// outside do not count); sorts them. Between two borders coordinates of a kind are alike; the
  /// kinds must outlive this. Neighbours of coordinates of a kind, between the borders, must be
  /// alike in what they hold.
  void assign(const machine::Grid& grid,
              std::array<std::vector<std::int64_t>, machine::max_grid_rank>& borders,
              std::span<const Kinds> kinds = {});

  /// Those of `other` with more borders; all of its own must be among them.
  void assign_finer(const ProcessorClasses& other,
                    std::array<std::vector<std::int64_t>, machine::max_grid_rank>& borders);

  /// All processors of the grid of `other` in one class.
  void assign_whole(const ProcessorClasses& other);

  [[nodiscard]] int rank() const noexcept { return rank_; }
  [[nodiscard]] std::size_t size() const noexcept { return members_.size(); }
  [[nodiscard]] std::int64_t processors() const noexcept { return processors_; }
  [[nodiscard]] std::int64_t extent(int dim) const noexcept { return extents_[index(dim)]; }
  /// Distance of processor numbers that differ by one in coordinate `dim`.
  [[nodiscard]] std::int64_t stride(int dim) const noexcept { return strides_[index(dim)]; }

  /// 0, the borders of a dimension, and its extent. With period 1 a run begins at each but the
  /// last.
  [[nodiscard]] std::span<const std::int64_t> starts(int dim) const noexcept {
    return starts_[index(dim)];
  }
  /// The place in starts() of the last border up to a coordinate.
  [[nodiscard]] std::size_t start_before(int dim, std::int64_t coordinate) const noexcept {
    const std::vector<std::int64_t>& starts = starts_[index(dim)];
    const auto above = std::upper_bound(starts.begin(), starts.end() - 1, coordinate);
    return static_cast<std::size_t>(above - starts.begin()) - 1;
  }
  [[nodiscard]] std::int64_t period(int dim) const noexcept {
    return kinds_[index(dim)] == nullptr ? 1 : kinds_[index(dim)]->period();
  }
  /// The runs of a dimension, by their first coordinates.
  [[nodiscard]] std::span<const Run> all_runs(int dim) const noexcept { return runs_[index(dim)]; }
  [[nodiscard]] std::size_t runs(int dim) const noexcept { return runs_[index(dim)].size(); }
  /// The run that a coordinate lies in.
  [[nodiscard]] std::size_t run_of(int dim, std::int64_t coordinate) const noexcept {
    const std::size_t start = start_before(dim, coordinate);
    const std::int64_t period = this->period(dim);
    return period == 1 ? start : run_behind(dim, start, coordinate % period);
  }
  /// The first coordinate from this one on that lies in another run than it, or `limit`.
  [[nodiscard]] std::int64_t run_end(int dim, std::int64_t coordinate,
                                     std::int64_t limit) const noexcept {
    const std::size_t start = start_before(dim, coordinate);
    return same_until(dim, coordinate, std::min(starts_[index(dim)][start + 1], limit));
  }

  /// Calls f(run, first, end) for coordinates of `dim` that follow each other in a run, from
  /// `begin` up to `end`.
  template <class F>
  void for_each_run(int dim, std::int64_t begin, std::int64_t end, F&& f) const {
    const std::vector<std::int64_t>& starts = starts_[index(dim)];
    const std::int64_t period = this->period(dim);
    for (std::size_t start = start_before(dim, begin); begin < end; ++start) {
      const std::int64_t border = std::min(end, starts[start + 1]);
      while (begin < border) {
        const std::int64_t behind = same_until(dim, begin, border);
        f(period == 1 ? start : run_behind(dim, start, begin % period), begin, behind);
        begin = behind;
      }
    }
  }

  /// Processors per class.
  [[nodiscard]] std::span<const double> members() const noexcept { return members_; }

  /// The run along `dim` of a class.
  [[nodiscard]] std::size_t run(std::size_t which, int dim) const noexcept {
    return runs_of_[which][index(dim)];
  }
  /// Its coordinates.
  [[nodiscard]] const Run& coordinates(std::size_t which, int dim) const noexcept {
    return runs_[index(dim)][run(which, dim)];
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
      first[index(dim)] = coordinates(which, dim).first;
    }
    return number_of(first);
  }

  /// That of the last one.
  [[nodiscard]] std::int64_t last_of(std::size_t which) const noexcept {
    Indices last{};
    for (int dim = 0; dim < rank_; ++dim) {
      last[index(dim)] = coordinates(which, dim).last;
    }
    return number_of(last);
  }

  /// The coordinates of a processor; behind the last one, the extent along the first dimension.
  [[nodiscard]] Indices coordinates_of(std::int64_t processor) const noexcept {
    Indices at{};
    for (int dim = 0; dim < rank_; ++dim) {
      at[index(dim)] = processor / stride(dim);
      processor -= at[index(dim)] * stride(dim);
    }
    return at;
  }

  /// The class of a processor.
  [[nodiscard]] std::size_t class_of(std::int64_t processor) const noexcept {
    return class_at(coordinates_of(processor));
  }

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

  // No copies: runs refer to lists of their own.
  ProcessorClasses() = default;
  ProcessorClasses(const ProcessorClasses&) = delete;
  ProcessorClasses& operator=(const ProcessorClasses&) = delete;
  ProcessorClasses(ProcessorClasses&&) = default;
  ProcessorClasses& operator=(ProcessorClasses&&) = default;
  ~ProcessorClasses() = default;

private:
  [[nodiscard]] static std::size_t index(int dim) noexcept { return static_cast<std::size_t>(dim); }
  void copy_grid(const ProcessorClasses& other);
  /// Where extents and periods are known.
  void cut(std::array<std::vector<std::int64_t>, machine::max_grid_rank>& borders);
  /// From the borders and the kinds of a dimension.
  void find_runs(int dim);
  /// Those behind a border; their turns go where `free` begins, which goes on.
  void add_runs(int dim, std::size_t start, std::span<std::int64_t>& free);
  /// The run behind a border that a turn of the period lies in.
  [[nodiscard]] std::size_t run_behind(int dim, std::size_t start,
                                       std::int64_t turn) const noexcept {
    const Kinds& kinds = *kinds_[index(dim)];
    return run_of_kind_[index(dim)][start * kinds.count + kinds.of[static_cast<std::size_t>(turn)]];
  }
  /// The first coordinate from this one on of another kind, or `border`.
  [[nodiscard]] std::int64_t same_until(int dim, std::int64_t coordinate,
                                        std::int64_t border) const noexcept;

  template <class F, class Next>
  void visit(std::size_t which, F&& f, Next&& next) const;

  int rank_ = 1;
  std::int64_t processors_ = 1;
  Indices extents_{1, 1, 1, 1};
  Indices strides_{1, 1, 1, 1};
  std::array<std::size_t, machine::max_grid_rank> class_strides_{1, 1, 1, 1};
  std::array<std::vector<std::int64_t>, machine::max_grid_rank> starts_;
  std::array<const Kinds*, machine::max_grid_rank> kinds_{};  // null: all are alike
  // start * kinds + kind
  std::array<std::vector<std::size_t>, machine::max_grid_rank> run_of_kind_;
  std::array<std::vector<std::int64_t>, machine::max_grid_rank> turns_;  // of the runs, one by one
  std::array<std::vector<Run>, machine::max_grid_rank> runs_;
  std::vector<double> members_;
  std::vector<std::array<std::uint32_t, machine::max_grid_rank>> runs_of_;  // per class
};

template <class F, class Next>
void ProcessorClasses::visit(std::size_t which, F&& f, Next&& next) const {
  std::array<const Run*, machine::max_grid_rank> runs{};
  Indices at{};
  Indices place{};  // in the runs
  for (int dim = 0; dim < rank_; ++dim) {
    runs[index(dim)] = &coordinates(which, dim);
    at[index(dim)] = runs[index(dim)]->first;
  }
  std::int64_t number = number_of(at);
  int dim = rank_;
  while (dim >= 0) {
    f(at, number);
    for (dim = rank_ - 1; dim >= 0; --dim) {
      const std::size_t d = index(dim);
      const std::int64_t after = next(place[d], runs[d]->count);
      place[d] = after < runs[d]->count ? after : 0;
      const std::int64_t before = std::exchange(at[d], runs[d]->at(place[d]));
      number += (at[d] - before) * strides_[d];
      if (after < runs[d]->count) {
        break;
      }
    }
  }
}

template <class F>
void ProcessorClasses::for_each_member(std::size_t which, F&& f) const {
  visit(which, f, [](std::int64_t i, std::int64_t) { return i + 1; });
}

template <class F>
void ProcessorClasses::for_each_corner(std::size_t which, F&& f) const {
  visit(which, f, [](std::int64_t i, std::int64_t count) {
    // 0, 1, count - 2, count - 1
    return i > 0 && i < count - 2 ? count - 2 : i + 1;
  });
}

}  // namespace gridcast::mapping
