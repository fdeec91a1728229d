#pragma once
/// The columns of a store that say how each grid is run (docs/store.md): threads of its processes,
/// and where its coordinates were placed. They are extra columns that are no inputs.

#include <span>
#include <vector>

#include "gridcast/store/description.h"
#include "gridcast/store/row.h"

namespace gridcast::store {

/// Which of them a store has.
struct RunColumns {
  bool placement = false;  ///< another one than by row was asked for
  bool threads = false;    ///< numbers of threads were asked for
};

/// `threads` and `cores`; `placement` (0 row, 1 column, 2 blocked) and block1 ... block4, extents
/// of a block, else 1.
[[nodiscard]] std::vector<ExtraColumn> run_columns(RunColumns which);

/// Whether a column is one of them.
[[nodiscard]] bool tells_run(const ExtraColumn& column);

/// Whether rows tell of threads.
[[nodiscard]] bool has_threads(const StoreSetup& setup);

/// Whether rows have different inputs (data sets, merged stores) and do not compete.
[[nodiscard]] bool has_inputs(const StoreSetup& setup);

/// The values of the columns for a row.
[[nodiscard]] std::vector<double> run_values(RunColumns which, const ResultRow& row);

/// Takes threads and placement of a row from its values of the extra columns: one thread, and by
/// row, without columns. False if they name what the grid cannot have; the row is then as it was.
[[nodiscard]] bool restore_run(const StoreSetup& setup, ResultRow& row,
                               std::span<const double> extras);

/// The same for rows that were read. Throws RunError.
void restore_runs(const StoreSetup& setup, RowBatch& batch);

}  // namespace gridcast::store
