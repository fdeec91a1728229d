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
  const std::vector<ExtraColumn> columns = placement_columns();
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

void restore_placements(const StoreSetup& setup, RowBatch& batch) {
  const auto& columns = setup.extra_columns;
  const auto first = std::ranges::find_if(columns, tells_placement);
  if (columns.end() - first <= machine::max_grid_rank) {
    return;
  }
  const auto offset = static_cast<std::size_t>(first - columns.begin());
  for (std::size_t i = 0; i < batch.rows.size(); ++i) {
    const double* const values = &batch.extras[i * columns.size() + offset];
    Placement placement{static_cast<Placement::Kind>(values[0]), {}};
    ResultRow& row = batch.rows[i];
    bool known = placement.kind <= Placement::Kind::blocked;
    for (std::size_t dim = 0; dim < placement.block.size(); ++dim) {
      placement.block[dim] = static_cast<std::int32_t>(values[1 + dim]);
      known = known && placement.block[dim] > 0 && row.extents[dim] % placement.block[dim] == 0;
    }
    if (!known) {
      throw RunError("the row of grid " + row.grid().text(),
                     "tells of a placement that it cannot have",
                     "the store is damaged; restore it from a copy");
    }
    row.placement = machine::code_of(row.grid(), placement);
  }
}

}  // namespace gridcast::store
