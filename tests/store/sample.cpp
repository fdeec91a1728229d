#include "sample.h"

#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "gridcast/store/csv.h"

namespace gridcast::store::testing {
namespace {

struct ClosePipe {
  int* status;
  void operator()(FILE* pipe) const { *status = pclose(pipe); }
};

}  // namespace

ScriptResult run_script(const std::string& script, const std::vector<std::string>& arguments) {
  std::string command = "/usr/bin/python3 '" GRIDCAST_SOURCE_DIR "/tests/store/" + script + "'";
  for (const std::string& argument : arguments) {
    command += " '" + argument + "'";
  }
  ScriptResult result;
  int status = -1;
  {
    const std::unique_ptr<FILE, ClosePipe> pipe(popen((command + " 2>&1").c_str(), "r"),
                                                ClosePipe{&status});
    std::array<char, 4096> buffer{};
    while (const std::size_t count = fread(buffer.data(), 1, buffer.size(), pipe.get())) {
      result.output.append(buffer.data(), count);
    }
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

double number(int k, std::int64_t i) { return static_cast<double>(i + 1) * 0.1 + k * 0.7; }

ResultRow sample_row(std::int64_t i) {
  constexpr std::int64_t side = 97;
  const std::array<std::int64_t, 2> extents{1 + i % side, 1 + i / side};
  model::Characteristics sums;
  sums.execution_time = number(1, i);
  sums.efficiency = number(2, i);
  sums.total_time = number(3, i);
  sums.productive_time = number(4, i);
  sums.productive_cpu_time = number(5, i);
  sums.productive_sys_time = number(6, i);
  sums.io_time = number(7, i);
  sums.lost_time = number(8, i);
  sums.insufficient_parallelism = number(9, i);
  sums.insufficient_parallelism_usr = number(10, i);
  sums.insufficient_parallelism_sys = number(11, i);
  sums.communication = number(12, i);
  sums.communication_synch = number(13, i);
  sums.idle = number(14, i);
  sums.load_imbalance = number(15, i);
  sums.synchronization = number(16, i);
  sums.time_variation = number(17, i);
  sums.overlap = number(18, i);
  for (int kind = 0; kind < static_cast<int>(model::operation_count); ++kind) {
    model::OperationTimes& times = sums.operations[static_cast<std::size_t>(kind)];
    times.communication = number(20 + 3 * kind, i);
    times.synch = number(21 + 3 * kind, i);
    times.overlap = number(22 + 3 * kind, i);
    sums.operation_counts[static_cast<std::size_t>(kind)] = i + 100 * kind;
  }
  return make_row(machine::Grid(extents), number(0, i), sums);
}

RunDescription sample_description() {
  RunDescription description;
  description.gridcast_version = "0.1.0";
  description.model_version = "m1";
  description.command_line = "gridcast sweep jac.ptr --machine mvs.par --store S.h5";
  description.mode = 3;
  description.objective = "time";
  description.options = R"({"startup":"count"})";
  description.machine = "cluster mvs\nTStart = 9\nTByte = 0.01\n";
  description.machine_name = "mvs";
  description.trace_sha256 = "00ff";
  description.traces = {"jac.ptr", "größe.ptr"};
  description.candidates = 1466;
  description.not_bad = 1260;
  return description;
}

StoreSetup sample_setup() {
  StoreSetup setup;
  setup.description = sample_description();
  return setup;
}

std::vector<model::IntervalInfo> sample_intervals() {
  model::IntervalInfo program;
  program.file = "jac.fdv";
  model::IntervalInfo loop{0, 1, trace::IntervalType::sequential, 10, "jac.fdv", 12, 7};
  model::IntervalInfo inner{1, 2, trace::IntervalType::parallel, 20, "jac.fdv", 14, {}};
  return {program, loop, inner};
}

std::vector<model::Characteristics> sample_interval_results(std::int64_t i, std::size_t count) {
  std::vector<model::Characteristics> results;
  for (std::size_t interval = 0; interval < count; ++interval) {
    results.push_back(sample_row(1000 * i + static_cast<std::int64_t>(interval)).characteristics);
  }
  return results;
}

std::string csv_of(const Table& table) {
  std::ostringstream out;
  write_csv(out, table);
  return out.str();
}

std::string expected_csv(std::int64_t count) {
  Table table;
  for (std::int64_t i = 0; i < count; ++i) {
    table.rows.push_back(sample_row(i));
  }
  return csv_of(table);
}

std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace gridcast::store::testing
