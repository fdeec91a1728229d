#pragma once
/// Ends of processors in rows, of which each in a group is later than the one before it by as much:
/// pipelined loops on links and ports.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/network/class_ends.h"

namespace gridcast::network {

/// The processors of a row, those alike taken together: a product over the dimensions but one.
class RowShape {
public:
  /// Rows lie along `along`, in ascending order of its coordinate or not. Of the other dimensions
  /// those in `single` are taken coordinate by coordinate, the others by their runs.
  void assign(const ProcessorClasses& classes, int along, bool ascending,
              std::span<const std::uint8_t> single);

  /// Processors of a row that are alike.
  struct Cell {
    std::size_t part = 0;  ///< class in the first run of the rows
    double members = 1.0;
    ProcessorClasses::Indices at{};  ///< what stands for the other dimensions: coordinate or run
  };
  /// All of a row.
  [[nodiscard]] std::span<const Cell> cells() const noexcept { return cells_; }
  /// Distance of cells whose `at` differs by one along a dimension.
  [[nodiscard]] std::size_t stride(int dim) const noexcept {
    return strides_[static_cast<std::size_t>(dim)];
  }
  /// The dimension of the grid that rows follow each other in, and whether its coordinate ascends.
  [[nodiscard]] int along() const noexcept { return along_; }
  [[nodiscard]] bool ascending() const noexcept { return ascending_; }
  [[nodiscard]] const ProcessorClasses& classes() const noexcept { return *classes_; }
  /// The cell that a processor of a class is in.
  [[nodiscard]] std::size_t cell_of(std::size_t which,
                                    const ProcessorClasses::Indices& at) const noexcept;

private:
  const ProcessorClasses* classes_ = nullptr;
  int along_ = 0;
  bool ascending_ = true;
  std::vector<Cell> cells_;
  std::array<std::size_t, machine::max_grid_rank> strides_{};
  std::array<bool, machine::max_grid_rank> single_{};
};

/// Ends of all processors, row after row.
class RowedEnds final : public ClassEnds {
public:
  /// Begins with no rows.
  void reset(const RowShape& shape);
  /// The next `count` rows, all in one run of the rows' dimension: the first, and how much later
  /// each cell ends from one to the next.
  void add(std::size_t run, std::int64_t count, std::span<const double> ends,
           std::span<const double> rates);
  /// All rows are known.
  void finish() { find_last(); }
  /// Numbers that are kept.
  [[nodiscard]] std::size_t size() const noexcept { return 2 * ends_.size(); }

  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override;
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& at,
                              std::int64_t number) const override;

private:
  /// Rows that follow each other in equal steps.
  struct Group {
    std::int64_t first = 0;  // in the order of the rows
    std::int64_t count = 0;
    std::size_t run = 0;
    std::size_t cells = 0;  // where its values begin
  };
  [[nodiscard]] double sum_of(std::size_t which) const override { return class_sums_[which]; }

  RowShape shape_;
  std::vector<Group> groups_;
  std::vector<double> ends_, rates_;
  std::vector<double> class_sums_;
};

}  // namespace gridcast::network
