#pragma once
/// One row of the results table and the one table of its columns. The HDF5 datasets, the CSV export
/// and reading are all driven by `columns()`: a column is added there and nowhere else.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "gridcast/figures/characteristics.h"
#include "gridcast/machine/grid.h"
#include "gridcast/machine/placement.h"
#include "gridcast/machine/threads.h"

namespace gridcast::store {

/// Values of the column `status`.
enum class Status : std::int32_t { done = 0, failed = 1 };

/// The result for one configuration. A plain value without padding: travels in MPI messages, in the
/// journal and in comparisons bit for bit as it is. Seconds.
struct ResultRow {
  std::array<std::int32_t, machine::max_grid_rank> extents{1, 1, 1, 1};  ///< p1…p4, unused 1
  std::int32_t rank = 1;                                                 ///< dimensions of the grid
  std::int32_t processors = 1;                                           ///< product of the extents
  Status status = Status::done;
  /// Threads of a process and placement, as set_run() puts them: 0 for one thread and by row. In a
  /// file their columns stand for them (run_columns.h).
  std::int32_t run = 0;
  double evenness = 1.0;  ///< of the grid ([Predictor2010 §5]), 0…1
  model::Characteristics characteristics;

  /// A process of a row has no more threads than this.
  static constexpr std::int32_t most_threads = machine::most_threads;

  [[nodiscard]] machine::Grid grid() const;  ///< with its threads
  [[nodiscard]] machine::Placement placed() const;
  /// Threads of each process.
  [[nodiscard]] std::int32_t threads() const noexcept { return (run >> placement_bits) + 1; }
  /// machine::code_of() the placement.
  [[nodiscard]] std::int32_t placement() const noexcept {
    return run & ((std::int32_t{1} << placement_bits) - 1);
  }
  /// Precondition: 1 to most_threads threads and a code of a placement.
  void set_run(std::int32_t threads, std::int32_t placement) noexcept {
    run = ((threads - 1) << placement_bits) + placement;
  }

private:
  /// No grid of 2^31 processors has more than 150,000 placements.
  static constexpr int placement_bits = 20;
};
static_assert(std::is_trivially_copyable_v<ResultRow> && std::is_standard_layout_v<ResultRow>);
static_assert(sizeof(ResultRow) == 40 + sizeof(model::Characteristics), "no padding");
static_assert(sizeof(model::Characteristics) == (18 + 4 * model::operation_count) * 8);

/// A row with status `done`.
[[nodiscard]] ResultRow make_row(const machine::Grid& grid, double evenness,
                                 const model::Characteristics& characteristics);

/// A row with status `failed`; its characteristics are 0 and its efficiency 0.
[[nodiscard]] ResultRow make_failed_row(const machine::Grid& grid, double evenness);

/// Types of columns.
enum class ColumnType : std::uint8_t { int32, int64, float64 };

/// A column of the results table (docs/store.md, "The schema").
struct Column {
  std::string name;
  std::string units;      ///< "s" or "1"
  std::string long_name;  ///< one phrase for people
  ColumnType type = ColumnType::float64;
  std::size_t offset = 0;          ///< bytes from the beginning of ResultRow
  bool is_characteristic = false;  ///< also exists per interval
  /// What single values mean, as the CF conventions have it: the values, and a word for each.
  std::vector<std::int32_t> flag_values = {};
  std::string flag_meanings = {};
  std::size_t size() const noexcept { return type == ColumnType::int32 ? 4 : 8; }
};

/// All columns in the order of docs/store.md; last `rank`: without it grids 4
/// and 4x1 could not be told apart.
[[nodiscard]] std::span<const Column> columns();

/// A column in front of those of `ResultRow`: an input of a data set run or an identifier. Values
/// are handed over as double; `int64` ones must be whole numbers below 2^53.
struct ExtraColumn {
  std::string name;
  std::string units = "1";
  std::string long_name;
  ColumnType type = ColumnType::float64;  ///< float64 or int64
  bool operator==(const ExtraColumn&) const = default;
};

/// Rows with what belongs to them, in the order of the store.
struct RowBatch {
  std::vector<ResultRow> rows;
  std::vector<double> extras;                     ///< rows x extra columns
  std::vector<model::Characteristics> intervals;  ///< rows x intervals; empty without --intervals

  void clear() noexcept {
    rows.clear();
    extras.clear();
    intervals.clear();
  }
};

}  // namespace gridcast::store
