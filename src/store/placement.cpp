#include "gridcast/store/placement.h"

#include <algorithm>
#include <string>

#include "gridcast/base/error.h"

namespace gridcast::store {
namespace {

using machine::Placement;

constexpr const char* kind_name = "placement";
constexpr const char* block_name = "block";

}  // namespace

std::vector<ExtraColumn> placement_columns() {
  std::vector<ExtraColumn> columns{{kind_name, "1",
                                    "how coordinates fill nodes: 0 row, 1 column, 2 blocked",
                                    ColumnType::int64}};
  for (int dim = 1; dim <= machine::max_grid_rank; ++dim) {
    const std::string number = std::to_string(dim);
    columns.push_back({block_name + number, "1",
                       "extent of the block of a node in grid dimension " + number,
                       ColumnType::int64});
  }
  return columns;
}

bool tells_placement(const ExtraColumn& column) {
  static const std::vector<ExtraColumn> columns = placement_columns();
  return std::ranges::find(columns, column) != columns.end();
}

bool has_inputs(const StoreSetup& setup) {
  return !std::ranges::all_of(setup.extra_columns, tells_placement);
}

std::vector<double> placement_values(const ResultRow& row) {
  const Placement placement = row.placed();
  std::vector<double> values{static_cast<double>(placement.kind)};
  for (const std::int32_t extent : placement.block) {
    values.push_back(placement.kind == Placement::Kind::blocked ? extent : 1.0);
  }
  return values;
}

std::optional<std::int32_t> stored_placement(const StoreSetup& setup, const ResultRow& row,
                                             std::span<const double> extras) {
  const auto& columns = setup.extra_columns;
  const auto first = std::ranges::find_if(columns, tells_placement);
  if (columns.end() - first <= machine::max_grid_rank) {
    return 0;
  }
  const std::span<const double> values =
      extras.subspan(static_cast<std::size_t>(first - columns.begin()));
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

void restore_placements(const StoreSetup& setup, RowBatch& batch) {
  const std::size_t width = setup.extra_columns.size();
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    ResultRow& row = batch.rows[i];
    const std::optional<std::int32_t> code =
        stored_placement(setup, row, std::span(batch.extras).subspan(i * width, width));
    if (!code) {
      throw RunError("the row of grid " + row.grid().text(),
                     "tells of a placement that it cannot have",
                     "the store is damaged; restore it from a copy");
    }
    row.placement = *code;
  }
}

}  // namespace gridcast::store
