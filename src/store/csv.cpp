#include "gridcast/store/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <cstring>
#include <numeric>
#include <ostream>

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
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): any order does if it is always the
    // same
    return std::memcmp(&table.rows[a], &table.rows[b], sizeof(ResultRow)) < 0;
  });
  return order;
}

std::string header(const Table& table) {
  std::string line;
  for (const ExtraColumn& column : table.extra_columns) {
    line.append(column.name).push_back(',');
  }
  for (const Column& column : columns()) {
    line.append(column.name).push_back(',');
  }
  line.back() = '\n';
  return line;
}

}  // namespace

void write_csv(std::ostream& out, const Table& table) {
  out << header(table);
  const std::size_t width = table.extra_columns.size();
  std::string line;
  for (const std::size_t index : sorted(table)) {
    line.clear();
    for (std::size_t i = 0; i < width; ++i) {
      add_extra(line, table.extras[index * width + i], table.extra_columns[i].type);
      line.push_back(',');
    }
    for (const Column& column : columns()) {
      add_value(line, table.rows[index], column);
      line.push_back(',');
    }
    line.back() = '\n';
    out.write(line.data(), static_cast<std::streamsize>(line.size()));
  }
}

}  // namespace gridcast::store
