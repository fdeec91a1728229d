#pragma once
/// The results table as CSV and as lines of JSON.

#include <cstdint>
#include <iosfwd>

#include "gridcast/store/reader.h"

namespace gridcast::store {

/// What a line of the table is.
enum class TableRows : std::uint8_t {
  configurations,  ///< a configuration with the figures of the whole program
  intervals,       ///< a configuration and an interval (column `interval`: id from 1)
};

/// Writes a header of column names and one line per row, sorted by (processors, p1, p2, …), then by
/// rank, then by the extra columns. Numbers are the shortest text that reads back to the same bits,
/// independent of the locale: equal tables give equal bytes whatever order the rows came in.
void write_csv(std::ostream& out, const Table& table, TableRows rows = TableRows::configurations);

/// The same lines in the same order as objects of JSON, one per line, with the names of the
/// columns; null for what is not finite.
void write_json_lines(std::ostream& out, const Table& table,
                      TableRows rows = TableRows::configurations);

}  // namespace gridcast::store
