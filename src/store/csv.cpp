#include "gridcast/store/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <cstring>
#include <functional>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>

#include "gridcast/base/csv.h"
#include "gridcast/base/printable.h"

namespace gridcast::store {
namespace {

template <typename Number>
void add_number(std::string& line, Number value) {
  std::array<char, 32> text{};
  const auto [end, status] = std::to_chars(text.data(), text.data() + text.size(), value);
  line.append(text.data(), end);
}

template <typename Number>
Number at(const ResultRow& row, std::size_t offset) {
  Number value{};
  std::memcpy(&value, reinterpret_cast<const std::byte*>(&row) + offset, sizeof value);
  return value;
}

void add_value(std::string& line, const ResultRow& row, const Column& column) {
  switch (column.type) {
    case ColumnType::int32:
      add_number(line, at<std::int32_t>(row, column.offset));
      break;
    case ColumnType::int64:
      add_number(line, at<std::int64_t>(row, column.offset));
      break;
    case ColumnType::float64:
      add_number(line, at<double>(row, column.offset));
      break;
  }
}

void add_extra(std::string& line, double value, ColumnType type) {
  if (type == ColumnType::int64) {
    add_number(line, static_cast<std::int64_t>(value));
  } else {
    add_number(line, value);
  }
}

std::strong_ordering compare_grids(const ResultRow& a, const ResultRow& b) noexcept {
  if (const auto order = a.processors <=> b.processors; order != 0) {
    return order;
  }
  if (const auto order = a.extents <=> b.extents; order != 0) {
    return order;
  }
  return a.rank <=> b.rank;
}

std::vector<std::size_t> sorted(const Table& table) {
  const std::size_t width = table.extra_columns.size();
  std::vector<std::size_t> order(table.rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (const auto by_grid = compare_grids(table.rows[a], table.rows[b]); by_grid != 0) {
      return by_grid < 0;
    }
    for (std::size_t i = 0; i < width; ++i) {
      const auto by_extra =
          std::strong_order(table.extras[a * width + i], table.extras[b * width + i]);
      if (by_extra != 0) {
        return by_extra < 0;
      }
    }
    // Equal configurations differ at most in their numbers; those decide, so that the order of
    // arrival never shows.
    // Any order does if it is always the same.
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    return std::memcmp(&table.rows[a], &table.rows[b], sizeof(ResultRow)) < 0;
  });
  return order;
}

/// JSON has no numbers but finite ones.
std::string json_value(std::string text) {
  const bool finite = text.find_first_of("in") == std::string::npos;  // inf, nan
  return finite ? std::move(text) : "null";
}

/// Hands out the cells of one line: name and text.
using Cell = std::function<void(const std::string& name, const std::string& text)>;

void cells_of_row(const Table& table, std::size_t index, const Cell& cell) {
  const std::size_t width = table.extra_columns.size();
  std::string text;
  for (std::size_t i = 0; i < width; ++i) {
    text.clear();
    add_extra(text, table.extras[index * width + i], table.extra_columns[i].type);
    cell(table.extra_columns[i].name, text);
  }
  for (const Column& column : columns()) {
    text.clear();
    add_value(text, table.rows[index], column);
    cell(column.name, text);
  }
}

/// Which configuration, which interval, and its figures.
void cells_of_interval(const Table& table, std::size_t index, std::size_t interval,
                       const Cell& cell) {
  const std::size_t width = table.extra_columns.size();
  std::string text;
  for (std::size_t i = 0; i < width; ++i) {
    text.clear();
    add_extra(text, table.extras[index * width + i], table.extra_columns[i].type);
    cell(table.extra_columns[i].name, text);
  }
  ResultRow row = table.rows[index];
  for (const Column& column : columns()) {
    if (!column.is_characteristic && column.name != "evenness") {
      text.clear();
      add_value(text, row, column);
      cell(column.name, text);
    }
  }
  cell("interval", std::to_string(interval + 1));
  row.characteristics = table.intervals[index * table.intervals_per_row + interval];
  for (const Column& column : columns()) {
    if (column.is_characteristic) {
      text.clear();
      add_value(text, row, column);
      cell(column.name, text);
    }
  }
}

/// Every line of a table in the order of the file.
void for_each_line(const Table& table, TableRows rows,
                   const std::function<void(const std::function<void(const Cell&)>&)>& line) {
  for (const std::size_t index : sorted(table)) {
    if (rows == TableRows::configurations) {
      line([&](const Cell& cell) { cells_of_row(table, index, cell); });
      continue;
    }
    for (std::size_t interval = 0; interval < table.intervals_per_row; ++interval) {
      line([&](const Cell& cell) { cells_of_interval(table, index, interval, cell); });
    }
  }
}

/// The names of the columns, those of a table without rows too.
std::string header(const Table& table, TableRows rows) {
  Table one;
  one.extra_columns = table.extra_columns;
  one.extras.resize(table.extra_columns.size());
  one.rows.resize(1);
  one.intervals.resize(1);
  one.intervals_per_row = 1;
  std::string line;
  const Cell add = [&line](const std::string& name, const std::string&) {
    line.append(line.empty() ? "" : ",").append(csv_cell(name));
  };
  if (rows == TableRows::configurations) {
    cells_of_row(one, 0, add);
  } else {
    cells_of_interval(one, 0, 0, add);
  }
  return line + '\n';
}

}  // namespace

void write_csv(std::ostream& out, const Table& table, TableRows rows) {
  out << header(table, rows);
  std::string line;
  for_each_line(table, rows, [&](const std::function<void(const Cell&)>& cells) {
    line.clear();
    cells(
        [&line](const std::string&, const std::string& text) { line.append(text).push_back(','); });
    line.back() = '\n';
    out.write(line.data(), static_cast<std::streamsize>(line.size()));
  });
}

void write_json_lines(std::ostream& out, const Table& table, TableRows rows) {
  std::string line;
  for_each_line(table, rows, [&](const std::function<void(const Cell&)>& cells) {
    line = "{";
    cells([&line](const std::string& name, const std::string& text) {
      line.append(line.size() > 1 ? "," : "").append(json_quoted(name)).append(":");
      line.append(json_value(text));
    });
    line += "}\n";
    out.write(line.data(), static_cast<std::streamsize>(line.size()));
  });
}

}  // namespace gridcast::store
