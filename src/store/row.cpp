#include "gridcast/store/row.h"

namespace gridcast::store {
namespace {

using model::Characteristics;
using model::OperationTimes;

constexpr std::size_t sums = offsetof(ResultRow, characteristics);

Column of_grid(std::string name, std::string long_name, std::size_t offset) {
  return {std::move(name), "1", std::move(long_name), ColumnType::int32, offset, false};
}

Column time(std::string name, std::string long_name, std::size_t offset) {
  return {std::move(name), "s", std::move(long_name), ColumnType::float64, sums + offset, true};
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

void add_times(std::vector<Column>& list) {
  list.push_back(time("execution_time", "execution time, maximum over processors",
                      offsetof(Characteristics, execution_time)));
  list.push_back({"efficiency", "1", "productive time / total time", ColumnType::float64,
                  sums + offsetof(Characteristics, efficiency), true});
  list.push_back(
      time("total_time", "execution time x processors", offsetof(Characteristics, total_time)));
  list.push_back(
      time("productive_time", "productive time", offsetof(Characteristics, productive_time)));
  list.push_back(time("productive_cpu_time", "productive time of the program itself",
                      offsetof(Characteristics, productive_cpu_time)));
  list.push_back(time("productive_sys_time", "productive time in the run-time library",
                      offsetof(Characteristics, productive_sys_time)));
  list.push_back(time("io_time", "time of input and output", offsetof(Characteristics, io_time)));
  list.push_back(time("lost_time", "lost time", offsetof(Characteristics, lost_time)));
  list.push_back(time("insufficient_parallelism", "lost by insufficient parallelism",
                      offsetof(Characteristics, insufficient_parallelism)));
  list.push_back(time("insufficient_parallelism_usr",
                      "lost by insufficient parallelism of the program",
                      offsetof(Characteristics, insufficient_parallelism_usr)));
  list.push_back(time("insufficient_parallelism_sys",
                      "lost by insufficient parallelism of the run-time library",
                      offsetof(Characteristics, insufficient_parallelism_sys)));
  list.push_back(
      time("communication", "time of communication", offsetof(Characteristics, communication)));
  list.push_back(time("communication_synch", "waiting before communication began",
                      offsetof(Characteristics, communication_synch)));
  list.push_back(time("idle", "idle time", offsetof(Characteristics, idle)));
  list.push_back(
      time("load_imbalance", "load imbalance", offsetof(Characteristics, load_imbalance)));
  list.push_back(time("synchronization", "potential time of synchronization",
                      offsetof(Characteristics, synchronization)));
  list.push_back(time("time_variation", "potential time of variation",
                      offsetof(Characteristics, time_variation)));
  list.push_back(
      time("overlap", "communication hidden by computation", offsetof(Characteristics, overlap)));
}

void add_operation(std::vector<Column>& list, std::size_t kind) {
  const std::string name = model::operation_names[kind];
  std::string words = name;
  if (const std::size_t gap = words.find('_'); gap != std::string::npos) {
    words[gap] = ' ';
  }
  const std::size_t times = offsetof(Characteristics, operations) + kind * sizeof(OperationTimes);
  const std::size_t count =
      offsetof(Characteristics, operation_counts) + kind * sizeof(std::int64_t);
  list.push_back({name + "_operations", "1", words + ": number of operations", ColumnType::int64,
                  sums + count, true});
  list.push_back(time(name + "_communication", words + ": time of communication",
                      times + offsetof(OperationTimes, communication)));
  list.push_back(time(name + "_synch", words + ": waiting before it began",
                      times + offsetof(OperationTimes, synch)));
  list.push_back(time(name + "_overlap", words + ": hidden by computation",
                      times + offsetof(OperationTimes, overlap)));
}

std::vector<Column> make_columns() {
  std::vector<Column> list;
  add_grid(list);
  add_times(list);
  for (std::size_t kind = 0; kind < model::operation_count; ++kind) {
    add_operation(list, kind);
  }
  list.push_back(of_grid("status", "0 done, 1 failed", offsetof(ResultRow, status)));
  list.push_back(of_grid("rank", "dimensions of the grid", offsetof(ResultRow, rank)));
  return list;
}

}  // namespace

machine::Grid ResultRow::grid() const {
  std::array<std::int64_t, machine::max_grid_rank> wide{};
  for (std::size_t dim = 0; dim < wide.size(); ++dim) {
    wide[dim] = extents[dim];
  }
  return machine::Grid(std::span(wide).first(static_cast<std::size_t>(rank)));
}

ResultRow make_row(const machine::Grid& grid, double evenness,
                   const model::Characteristics& characteristics) {
  ResultRow row;
  for (int dim = 0; dim < machine::max_grid_rank; ++dim) {
    row.extents[static_cast<std::size_t>(dim)] = grid.extent(dim);
  }
  row.rank = grid.rank();
  row.processors = static_cast<std::int32_t>(grid.processors());
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
