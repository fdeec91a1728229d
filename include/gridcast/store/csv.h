#pragma once
/// The results table as CSV.

#include <iosfwd>

#include "gridcast/store/reader.h"

namespace gridcast::store {

/// Writes a header of column names and one line per row, sorted by (processors, p1, p2, …), then by
/// rank, then by the extra columns. Numbers are the shortest text that reads back to the same bits,
/// independent of the locale: equal tables give equal bytes whatever order the rows came in.
void write_csv(std::ostream& out, const Table& table);

}  // namespace gridcast::store
