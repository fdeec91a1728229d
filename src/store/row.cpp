#include "gridcast/store/row.h"

#include <algorithm>
#include <iterator>

#include "gridcast/figures/figures.h"

namespace gridcast::store {
namespace {

Column of_grid(std::string name, std::string long_name, std::size_t offset) {
  return {std::move(name), "1", std::move(long_name), ColumnType::int32, offset, false};
}

/// Bytes from the beginning of a row to a characteristic or to one of its operations' times.
template <class Whole, class Value>
std::size_t place_of(const Whole& whole, const Value& value) {
  return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&value) -
                                  reinterpret_cast<const std::byte*>(&whole));
}

void add_grid(std::vector<Column>& list) {
  for (std::size_t dim = 0; dim < machine::max_grid_rank; ++dim) {
    const std::string number = std::to_string(dim + 1);
    list.push_back(of_grid("p" + number, "extent of grid dimension " + number,
                           offsetof(ResultRow, extents) + dim * sizeof(std::int32_t)));
  }
  list.push_back(of_grid("processors", "processors of the grid", offsetof(ResultRow, processors)));
  list.push_back({"evenness", "1", "evenness of the grid", ColumnType::float64,
                  offsetof(ResultRow, evenness), false});
}

void add_figures(std::vector<Column>& list) {
  const ResultRow row;
  for (const model::Figure& figure : model::figures()) {
    list.push_back({figure.name, figure.unit, figure.meaning, ColumnType::float64,
                    place_of(row, row.characteristics.*figure.value), true});
  }
  // Stores have it before the efficiency.
  const auto is_time = [](const Column& column) { return column.name == "execution_time"; };
  const auto time = std::find_if(list.begin(), list.end(), is_time);
  std::iter_swap(time, std::prev(time));
}

void add_operation(std::vector<Column>& list, std::size_t kind) {
  const std::string name = model::operation_names[kind];
  std::string words = name;
  if (const std::size_t gap = words.find('_'); gap != std::string::npos) {
    words[gap] = ' ';
  }
  const ResultRow row;
  list.push_back({name + "_operations", "1", words + ": number of operations", ColumnType::int64,
                  place_of(row, row.characteristics.operation_counts[kind]), true});
  for (const model::OperationFigure& figure : model::operation_figures) {
    list.push_back({name + "_" + figure.name, "s", words + ": " + figure.meaning,
                    ColumnType::float64,
                    place_of(row, row.characteristics.operations[kind].*figure.value), true});
  }
}

std::vector<Column> make_columns() {
  std::vector<Column> list;
  add_grid(list);
  add_figures(list);
  for (std::size_t kind = 0; kind < model::operation_count; ++kind) {
    add_operation(list, kind);
  }
  list.push_back(of_grid("status", "0 done, 1 failed", offsetof(ResultRow, status)));
  list.back().flag_values = {static_cast<std::int32_t>(Status::done),
                             static_cast<std::int32_t>(Status::failed)};
  list.back().flag_meanings = "done failed";
  list.push_back(of_grid("rank", "dimensions of the grid", offsetof(ResultRow, rank)));
  return list;
}

}  // namespace

machine::Grid ResultRow::grid() const {
  std::array<std::int64_t, machine::max_grid_rank> wide{};
  for (std::size_t dim = 0; dim < wide.size(); ++dim) {
    wide[dim] = extents[dim];
  }
  return machine::Grid(std::span(wide).first(static_cast<std::size_t>(rank)))
      .with_threads(threads());
}

machine::Placement ResultRow::placed() const { return machine::placement_of(grid(), placement()); }

ResultRow make_row(const machine::Grid& grid, double evenness,
                   const model::Characteristics& characteristics) {
  ResultRow row;
  for (int dim = 0; dim < machine::max_grid_rank; ++dim) {
    row.extents[static_cast<std::size_t>(dim)] = grid.extent(dim);
  }
  row.rank = grid.rank();
  row.processors = static_cast<std::int32_t>(grid.processors());
  row.set_run(grid.threads(), 0);
  row.evenness = evenness;
  row.characteristics = characteristics;
  return row;
}

ResultRow make_failed_row(const machine::Grid& grid, double evenness) {
  ResultRow row = make_row(grid, evenness, {});
  row.characteristics.efficiency = 0.0;
  row.status = Status::failed;
  return row;
}

std::span<const Column> columns() {
  static const std::vector<Column> list = make_columns();
  return list;
}

}  // namespace gridcast::store
