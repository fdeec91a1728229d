#pragma once
/// Ends of processors, row after row of the grid; rows that repeat, but for being later,
/// are kept once.

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
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
  /// The coordinate of a row, and the row of a coordinate.
  [[nodiscard]] std::int64_t across(std::int64_t row) const noexcept {
    return ascending_ ? row : classes_->extent(along_) - 1 - row;
  }
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

/// Ends of all processors. Made by begin(), add_band() for all rows in order, finish().
class FoldedEnds final : public ClassEnds {
public:
  /// Rows first … first + count - 1 lie in one run. Row first + i + k * period is row i of those
  /// kept, each entry k of its steps later.
  struct Band {
    std::int64_t first = 0, count = 1, period = 1;
    std::size_t run = 0;
    std::size_t at = 0;  ///< where row 0 of those kept begins

    /// How many rows row i of those kept stands for.
    [[nodiscard]] double times(std::int64_t i) const noexcept;
  };
  /// Cells of a row that are of one class.
  struct Segment {
    std::int64_t begin = 0, end = 0;
    std::size_t which = 0;  ///< class in the first run of the rows
    double members = 1.0;   ///< of each cell
  };

  /// Begins with no rows. They are those of the numbers of processors, one by one.
  void begin(const ProcessorClasses& classes);
  /// The same with rows of that shape.
  void begin(const RowShape& shape);
  /// Appends `period` rows that stand for `count` and lie in one run; to be filled with row() and,
  /// if they repeat, steps().
  void add_band(std::int64_t count, std::int64_t period);
  [[nodiscard]] std::span<double> row(const Band& band, std::int64_t i) noexcept {
    return {ends_.data() + band.at + static_cast<std::size_t>(i * row_), row_size()};
  }
  [[nodiscard]] std::span<double> steps(const Band& band, std::int64_t i) noexcept {
    return {beside_.data() + band.at + static_cast<std::size_t>(i * row_), row_size()};
  }
  [[nodiscard]] std::span<const double> row(const Band& band, std::int64_t i) const noexcept {
    return {ends_.data() + band.at + static_cast<std::size_t>(i * row_), row_size()};
  }
  [[nodiscard]] std::span<const double> steps(const Band& band, std::int64_t i) const noexcept {
    return {beside_.data() + band.at + static_cast<std::size_t>(i * row_), row_size()};
  }
  /// Makes the last `period` rows, all added one by one, stand for `count`.
  void repeat_last(std::int64_t period, std::int64_t count);
  /// After the last row.
  void finish();

  [[nodiscard]] std::span<const Band> bands() const noexcept { return bands_; }
  [[nodiscard]] const Band& last_band() const noexcept { return bands_.back(); }
  [[nodiscard]] std::span<const Segment> segments() const noexcept { return segments_; }
  [[nodiscard]] const ProcessorClasses& classes() const noexcept { return shape_.classes(); }
  /// The dimension of the grid that rows follow each other in.
  [[nodiscard]] int along() const noexcept { return shape_.along(); }
  /// Cells of a row.
  [[nodiscard]] std::int64_t row_length() const noexcept { return row_; }
  /// Numbers that are known of them.
  [[nodiscard]] std::size_t size() const noexcept { return 2 * used_; }
  /// Rows added so far.
  [[nodiscard]] std::int64_t rows() const noexcept { return next_; }
  /// The class of the first processor of rows of a run.
  [[nodiscard]] std::size_t first_class(std::size_t run) const noexcept {
    return run * classes().class_stride(along());
  }

  /// Channels of the top network that carry something, until when; `below`: the networks below it
  /// that lie above processor 0 are free from then on.
  void set_channels(std::span<const double> ends, double below);

  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override;
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& at,
                              std::int64_t number) const override;
  bool channel_ends(std::vector<double>& ends, double from) const override;

private:
  /// Least, most, sum and number of some ends.
  struct Summary {
    double least = HUGE_VAL, most = -HUGE_VAL, sum = 0.0, count = 0.0;

    /// Each of these comes so many times, each time a step later, for so many processors.
    void add(std::span<const double> values, std::span<const double> steps, double times,
             double members);
  };
  /// Bands that follow each other in one run, from `first` up to `end`: one that repeats or some
  /// that do not. They are summed up per class, as a limit splits the ends of few of them.
  struct Stack {
    std::size_t first = 0, end = 0, run = 0;
    bool repeats = false;
  };

  [[nodiscard]] std::size_t row_size() const noexcept { return static_cast<std::size_t>(row_); }
  void begin_rows();
  /// The band that a row lies in, and which of the rows kept it is.
  [[nodiscard]] std::pair<const Band&, std::int64_t> find(std::int64_t y) const noexcept;
  /// Adds the rows of a band to what the classes of their run amount to.
  void sum_up(const Band& band, std::span<Summary> classes) const;
  /// Adds those ends of a class of the stack's run that lie below the limit.
  void add_below(const Stack& stack, std::size_t in_row, double limit, EndsBelow& result) const;
  void add_repeats_below(const Band& band, const Segment& segment, double limit,
                         EndsBelow& result) const;

  RowShape shape_;
  std::int64_t row_ = 1;
  std::int64_t next_ = 0;
  std::vector<Segment> segments_;
  std::vector<Band> bands_;
  std::size_t used_ = 0;  // of ends_, and of beside_, which has the steps
  std::vector<Stack> stacks_;
  std::vector<Summary> summaries_;  // per stack and class of its run
  std::vector<double> channels_;
  double below_until_ = 0.0;
};

}  // namespace gridcast::network
