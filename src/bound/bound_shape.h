#pragma once
/// Internal: what a lower bound needs to know about blocks, without listing processors. Sizes of
/// blocks along one dimension of the grid are step functions of the coordinate with few steps; a
/// figure of a processor is a product of such functions, so that sums over ranges of processors are
/// closed forms.

#include <array>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "bound_machine.h"
#include "gridcast/machine/grid.h"
#include "gridcast/mapping/layout.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// A function of the coordinates 0 ... extent - 1 that changes its value in few places.
class StepFunction {
public:
  struct Run {
    std::int64_t begin = 0;
    double value = 0.0;
    double before = 0.0;  ///< sum of the values in front of the run
  };

  /// Starts anew; runs follow in ascending order, the first at 0.
  void clear(std::int64_t extent) {
    runs_.clear();
    extent_ = extent;
  }
  void append(std::int64_t begin, double value);

  /// f(coordinate), which may change where `other` does, one coordinate before or one further, and
  /// at the ends.
  template <class F>
  void derive(const StepFunction& other, F&& f) {
    clear(other.extent_);
    std::int64_t reached = -1;
    for (const Run& run : other.runs_) {
      for (std::int64_t at = run.begin - 1; at <= run.begin + 1; ++at) {
        if (at > reached && at >= 0 && at < extent_) {
          append(at, f(at));
          reached = at;
        }
      }
    }
    if (extent_ - 1 > reached) {
      append(extent_ - 1, f(extent_ - 1));
    }
  }

  [[nodiscard]] std::int64_t extent() const noexcept { return extent_; }
  [[nodiscard]] std::span<const Run> runs() const noexcept { return runs_; }
  [[nodiscard]] double value(std::int64_t at) const noexcept { return run_at(at).value; }
  /// Sum of the values at coordinates below `at`.
  [[nodiscard]] double prefix(std::int64_t at) const noexcept {
    const Run& run = run_at(at);
    return run.before + run.value * static_cast<double>(at - run.begin);
  }
  [[nodiscard]] double total() const noexcept { return prefix(extent_); }
  [[nodiscard]] double most() const noexcept;
  [[nodiscard]] double least_positive() const noexcept;  ///< 0 if none is positive
  [[nodiscard]] double least() const noexcept;
  [[nodiscard]] std::int64_t last_of_most() const noexcept;
  [[nodiscard]] std::int64_t first_positive() const noexcept;  ///< -1 if none
  [[nodiscard]] std::int64_t last_positive() const noexcept;   ///< -1 if none

private:
  [[nodiscard]] const Run& run_at(std::int64_t at) const noexcept;

  std::vector<Run> runs_;
  std::int64_t extent_ = 1;
};

/// A grid with the steps of its linear numbers.
struct GridShape {
  int rank = 1;
  std::array<std::int64_t, machine::max_grid_rank> extents{1, 1, 1, 1};
  std::array<std::int64_t, machine::max_grid_rank> strides{1, 1, 1, 1};
  std::int64_t processors = 1;

  explicit GridShape(const machine::Grid& grid = {});

  using Coordinates = std::array<std::int64_t, machine::max_grid_rank>;
  [[nodiscard]] Coordinates coordinates(std::int64_t processor) const noexcept;
  [[nodiscard]] std::int64_t number(const Coordinates& at) const noexcept;
};

/// A figure of each processor: `scale` times one function per dimension of the grid.
class ProductForm {
public:
  ProductForm() = default;
  ProductForm(const GridShape& shape, double scale,
              const std::array<const StepFunction*, machine::max_grid_rank>& factors);

  [[nodiscard]] double at(std::int64_t processor) const noexcept;
  /// Sum over the processors below `end`.
  [[nodiscard]] double prefix(std::int64_t end) const noexcept;
  [[nodiscard]] double total() const noexcept { return total_; }
  [[nodiscard]] double most() const noexcept;

private:
  const GridShape* shape_ = nullptr;
  std::array<const StepFunction*, machine::max_grid_rank> factors_{};
  std::array<double, machine::max_grid_rank> inner_{};  // product of the totals of later dimensions
  double scale_ = 0.0;
  double total_ = 0.0;
};

/// How one dimension of the grid cuts a template.
struct GridCut {
  int axis = -1;  ///< template dimension; -1: replicated
  std::int64_t elements = 0;
  std::int64_t block = 0;  ///< equal blocks of this many elements; 0: see `boundaries`
  mapping::Boundaries boundaries;

  [[nodiscard]] std::int64_t boundary(std::int64_t coordinate) const noexcept;
  /// Whether some of so many coordinates get nothing.
  [[nodiscard]] bool leaves_empty(std::int64_t coordinates) const noexcept;
};

/// A placement on the grid: mapping::Layout by formulas.
class GridBlocks {
public:
  using Block = std::array<mapping::IndexRange, mapping::max_rank>;

  void assign(const GridShape& shape, std::span<const GridCut> cuts,
              std::span<const mapping::AxisRule> rules, std::span<const std::int64_t> extents);

  /// Whether blocks are products over the dimensions of the grid: no two cut the same dimension.
  [[nodiscard]] bool product() const noexcept { return product_; }
  [[nodiscard]] bool fully_replicated() const noexcept { return fully_replicated_; }
  [[nodiscard]] int rank() const noexcept { return static_cast<int>(extents_.size()); }
  [[nodiscard]] std::int64_t extent(int dim) const noexcept {
    return extents_[static_cast<std::size_t>(dim)];
  }
  [[nodiscard]] double elements() const noexcept { return elements_; }
  /// Product of the extents that no dimension of the grid cuts.
  [[nodiscard]] double uncut() const noexcept { return uncut_; }
  [[nodiscard]] bool active(int j) const noexcept { return axis(j).active; }
  [[nodiscard]] bool replicated(int j) const noexcept { return axis(j).replicated; }
  [[nodiscard]] bool cuts(int j) const noexcept { return axis(j).active && axis(j).rule.dim >= 0; }
  [[nodiscard]] int dimension(int j) const noexcept {
    return axis(j).active ? axis(j).rule.dim : -1;
  }
  [[nodiscard]] bool ascending(int j) const noexcept { return axis(j).rule.coefficient >= 0; }
  [[nodiscard]] int grid_dimension(int dim) const noexcept;  ///< that cuts `dim`, or -1
  [[nodiscard]] mapping::IndexRange range(int j, std::int64_t coordinate) const noexcept;
  /// Elements along the dimension that j cuts; 1 or 0 where j decides presence; 1 elsewhere.
  [[nodiscard]] const StepFunction& sizes(int j) const noexcept {
    return axes_[static_cast<std::size_t>(j)].sizes;
  }
  bool block(const GridShape::Coordinates& at, Block& result) const noexcept;
  /// Elements of a processor.
  [[nodiscard]] double count(const GridShape::Coordinates& at) const noexcept;
  /// Whether some processor holds something; only for products.
  [[nodiscard]] bool anywhere() const noexcept;

private:
  struct Axis {
    bool active = false;
    bool replicated = true;
    mapping::AxisRule rule;
    const GridCut* cut = nullptr;
    StepFunction sizes;
  };
  [[nodiscard]] const Axis& axis(int j) const noexcept {
    return axes_[static_cast<std::size_t>(j)];
  }
  void measure(int j, std::int64_t coordinates);

  std::array<Axis, machine::max_grid_rank> axes_;
  std::span<const std::int64_t> extents_;
  int grid_rank_ = 1;
  double elements_ = 1.0;
  double uncut_ = 1.0;
  bool product_ = true;
  bool fully_replicated_ = true;
};

/// The placements of a script on one grid, worked out when first asked for. Only those on the root
/// grid: `blocks` gives nothing for others.
class BoundMapping {
public:
  BoundMapping(const Script& script, const ModelOptions& options, BoundMachine& machine);

  void reset(const machine::Grid& grid);

  [[nodiscard]] const Script& script() const noexcept { return *script_; }
  [[nodiscard]] const ModelOptions& options() const noexcept { return options_; }
  [[nodiscard]] const machine::Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] const GridShape& shape() const noexcept { return shape_; }
  [[nodiscard]] const BoundMachine& machine() const noexcept { return *machine_; }
  /// The lowest network above all processors of the grid.
  [[nodiscard]] std::uint32_t top() const noexcept { return top_; }

  /// Null for a placement on a subsystem.
  const GridBlocks* blocks(std::uint32_t placement);

private:
  std::span<const GridCut> cuts(std::uint32_t target);
  void weigh(int dim);

  template <class T>
  struct Lazy {
    T value;
    bool ready = false;
  };

  const Script* script_;
  ModelOptions options_;
  BoundMachine* machine_;
  machine::Grid grid_;
  GridShape shape_;
  std::uint32_t top_ = 0;
  bool equal_processors_ = true;
  std::vector<Lazy<std::array<GridCut, machine::max_grid_rank>>> cuts_;
  std::vector<Lazy<GridBlocks>> blocks_;
  std::array<Lazy<std::vector<double>>, machine::max_grid_rank> weights_;
};

}  // namespace gridcast::model
