#pragma once
/// The columns of a store that say where the coordinates of each grid were placed
/// (docs/store.md): extra columns that are results, not inputs.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gridcast/store/description.h"
#include "gridcast/store/row.h"

namespace gridcast::store {

/// `placement` (0 row, 1 column, 2 blocked) and block1 ... block4, extents of a block, else 1.
[[nodiscard]] std::vector<ExtraColumn> placement_columns();

/// Whether a column is one of them.
[[nodiscard]] bool tells_placement(const ExtraColumn& column);

/// Whether rows have different inputs (data sets, merged stores) and do not compete.
[[nodiscard]] bool has_inputs(const StoreSetup& setup);

/// The values of the columns for a row.
[[nodiscard]] std::vector<double> placement_values(const ResultRow& row);

/// The code of the placement of a row by its values of the extra columns, 0 without columns of
/// placements; nothing if they name none that the grid can have.
[[nodiscard]] std::optional<std::int32_t> stored_placement(const StoreSetup& setup,
                                                           const ResultRow& row,
                                                           std::span<const double> extras);

/// Sets the placement of rows that were read from their values of the extra columns.
void restore_placements(const StoreSetup& setup, RowBatch& batch);

}  // namespace gridcast::store
