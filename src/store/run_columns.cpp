#include "gridcast/store/run_columns.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>

#include "gridcast/base/error.h"

namespace gridcast::store {
namespace {

using machine::Placement;

constexpr const char* threads_name = "threads";
constexpr const char* kind_name = "placement";

std::vector<ExtraColumn> threads_columns() {
  return {{threads_name, "1", "threads of each process of the grid", ColumnType::int64},
          {"cores", "1", "processors of the machine that they take", ColumnType::int64}};
}

std::vector<ExtraColumn> placement_columns() {
  std::vector<ExtraColumn> columns{{kind_name, "1",
                                    "how coordinates fill nodes: 0 row, 1 column, 2 blocked",
                                    ColumnType::int64}};
  for (int dim = 1; dim <= machine::max_grid_rank; ++dim) {
    const std::string number = std::to_string(dim);
    columns.push_back({"block" + number, "1",
                       "extent of the block of a node in grid dimension " + number,
                       ColumnType::int64});
  }
  return columns;
}

/// The values of some columns that follow each other; empty if the store has not all of them.
std::span<const double> values_of(const StoreSetup& setup, std::span<const ExtraColumn> wanted,
                                  std::span<const double> extras) {
  const auto& columns = setup.extra_columns;
  const auto first = std::search(columns.begin(), columns.end(), wanted.begin(), wanted.end());
  return first == columns.end()
             ? std::span<const double>()
             : extras.subspan(static_cast<std::size_t>(first - columns.begin()), wanted.size());
}

/// Threads that the grid of a row can have; nothing: impossible.
std::optional<std::int32_t> threads_of(const ResultRow& row, std::span<const double> values) {
  if (values.empty()) {
    return 1;
  }
  const double threads = values[0];
  const bool good = threads >= 1.0 && threads <= ResultRow::most_threads &&
                    threads == std::floor(threads) && values[1] == threads * row.processors;
  return good ? std::optional(static_cast<std::int32_t>(threads)) : std::nullopt;
}

/// machine::code_of() the placement; nothing: one that the grid cannot have.
std::optional<std::int32_t> placement_code(const ResultRow& row, std::span<const double> values) {
  if (values.empty()) {
    return 0;
  }
  constexpr auto last_kind = static_cast<double>(Placement::Kind::blocked);
  if (!(values[0] >= 0.0 && values[0] <= last_kind)) {
    return std::nullopt;
  }
  Placement placement{static_cast<Placement::Kind>(values[0]), {}};
  for (std::size_t dim = 0; dim < placement.block.size(); ++dim) {
    const double extent = values[1 + dim];
    if (!(extent >= 1.0 && extent <= row.extents[dim])) {
      return std::nullopt;
    }
    placement.block[dim] = static_cast<std::int32_t>(extent);
    if (row.extents[dim] % placement.block[dim] != 0) {
      return std::nullopt;
    }
  }
  return machine::code_of(row.grid(), placement);
}

}  // namespace

std::vector<ExtraColumn> run_columns(RunColumns which) {
  std::vector<ExtraColumn> columns;
  if (which.threads) {
    columns = threads_columns();
  }
  if (which.placement) {
    std::ranges::move(placement_columns(), std::back_inserter(columns));
  }
  return columns;
}

bool tells_run(const ExtraColumn& column) {
  static const std::vector<ExtraColumn> columns = run_columns({true, true});
  return std::ranges::find(columns, column) != columns.end();
}

bool has_threads(const StoreSetup& setup) {
  return std::ranges::find(setup.extra_columns, threads_columns().front()) !=
         setup.extra_columns.end();
}

bool has_inputs(const StoreSetup& setup) {
  return !std::ranges::all_of(setup.extra_columns, tells_run);
}

std::vector<double> run_values(RunColumns which, const ResultRow& row) {
  std::vector<double> values;
  if (which.threads) {
    values = {static_cast<double>(row.threads()), static_cast<double>(row.grid().cores())};
  }
  if (which.placement) {
    const Placement placement = row.placed();
    values.push_back(static_cast<double>(placement.kind));
    for (const std::int32_t extent : placement.block) {
      values.push_back(placement.kind == Placement::Kind::blocked ? extent : 1.0);
    }
  }
  return values;
}

bool restore_run(const StoreSetup& setup, ResultRow& row, std::span<const double> extras) {
  static const std::vector<ExtraColumn> of_threads = threads_columns();
  static const std::vector<ExtraColumn> of_placement = placement_columns();
  const auto threads = threads_of(row, values_of(setup, of_threads, extras));
  const auto placement = placement_code(row, values_of(setup, of_placement, extras));
  if (!threads || !placement) {
    return false;
  }
  row.set_run(*threads, *placement);
  return true;
}

void restore_runs(const StoreSetup& setup, RowBatch& batch) {
  if (std::ranges::none_of(setup.extra_columns, tells_run)) {
    return;
  }
  const std::size_t width = setup.extra_columns.size();
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    ResultRow& row = batch.rows[i];
    if (!restore_run(setup, row, std::span(batch.extras).subspan(i * width, width))) {
      throw RunError("the row of grid " + row.grid().text(),
                     "tells of threads or of a placement that it cannot have",
                     "the store is damaged; restore it from a copy");
    }
  }
}

}  // namespace gridcast::store
