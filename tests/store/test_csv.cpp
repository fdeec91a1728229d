#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

TEST_CASE("the header of the CSV lists the columns of docs/store.md in their order") {
  REQUIRE(csv_of({}) ==
          "p1,p2,p3,p4,processors,evenness,execution_time,efficiency,total_time,productive_time,"
          "productive_cpu_time,productive_sys_time,io_time,lost_time,insufficient_parallelism,"
          "insufficient_parallelism_usr,insufficient_parallelism_sys,communication,"
          "communication_synch,idle,load_imbalance,synchronization,time_variation,overlap,"
          "io_operations,io_communication,io_synch,io_overlap,reduction_operations,"
          "reduction_communication,reduction_synch,reduction_overlap,shadow_operations,"
          "shadow_communication,shadow_synch,shadow_overlap,remote_access_operations,"
          "remote_access_communication,remote_access_synch,remote_access_overlap,"
          "redistribution_operations,redistribution_communication,redistribution_synch,"
          "redistribution_overlap,status,rank\n");
}

TEST_CASE("numbers are the shortest text that reads back to the same double") {
  model::Characteristics sums;
  sums.execution_time = 0.1;
  sums.efficiency = 1.0 / 3.0;
  sums.total_time = 5e-324;
  sums.operation_counts[2] = 9007199254740993;
  Table table;
  table.rows = {make_row(machine::Grid::parse("4x2"), 0.5, sums)};
  const std::string csv = csv_of(table);
  REQUIRE(csv.substr(csv.find('\n') + 1) ==
          "4,2,1,1,8,0.5,0.1,0.3333333333333333,5e-324,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
          "0,9007199254740993,0,0,0,0,0,0,0,0,0,0,0,0,2\n");
}

TEST_CASE("rows are sorted by processors, then by extents, whatever order they came in") {
  std::vector<std::string> grids{"3", "1x3", "3x1", "2x2", "4", "1x1x4", "1", "10"};
  const std::vector<std::string> sorted{"1", "1x3", "3", "3x1", "1x1x4", "2x2", "4", "10"};
  const auto table_of = [](const std::vector<std::string>& names) {
    Table table;
    for (const std::string& name : names) {
      table.rows.push_back(make_row(machine::Grid::parse(name), 1.0, {}));
    }
    return table;
  };
  const std::string once = csv_of(table_of(grids));
  std::vector<std::string> lines;
  for (std::size_t begin = once.find('\n') + 1; begin < once.size();) {
    const std::size_t end = once.find('\n', begin);
    const std::string line = once.substr(begin, end - begin);
    lines.push_back(line.substr(0, 7) + line.substr(line.rfind(',')));
    begin = end + 1;
  }
  REQUIRE(lines == std::vector<std::string>{"1,1,1,1,1", "1,3,1,1,2", "3,1,1,1,1", "3,1,1,1,2",
                                            "1,1,4,1,3", "2,2,1,1,2", "4,1,1,1,1", "10,1,1,,1"});
  std::mt19937 random(7);
  for (int trial = 0; trial < 20; ++trial) {
    std::shuffle(grids.begin(), grids.end(), random);
    REQUIRE(csv_of(table_of(grids)) == once);
  }
  REQUIRE(csv_of(table_of(sorted)) == once);
}
