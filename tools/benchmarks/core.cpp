/// Speed of the rooms on one core: parsing, predictions, storing. Each figure is the median of
/// several rounds, and the rounds of different figures take turns, so that a drift of the machine's
/// speed hits all of them.

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "gridcast/compile/compile.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/store/writer.h"
#include "gridcast/trace/program.h"

namespace {

using namespace gridcast;
using Clock = std::chrono::steady_clock;

constexpr int rounds = 5;

double seconds(const std::function<void()>& work) {
  const Clock::time_point begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Calls per second of `work`, repeated for a quarter of a second.
double rate(const std::function<void()>& work) {
  std::size_t calls = 0;
  double time = 0.0;
  while (time < 0.25) {
    time += seconds(work);
    ++calls;
  }
  return static_cast<double>(calls) / time;
}

std::string unpacked(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  std::string text;
  std::vector<char> buffer(1 << 16);
  for (int got = 0;
       (got = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  gzclose(file);
  return text;
}

/// The trace's calls over and over, about `bytes` in all.
std::string repeated(const std::string& text, std::size_t bytes) {
  const std::size_t start = text.find('\n', text.find("ret_dvm_Init")) + 1;
  const std::size_t end = text.find("Event_dvm_exit");
  std::string result = text.substr(0, start);
  while (result.size() < bytes) {
    result.append(text, start, end - start);
  }
  result.append(text, end, std::string::npos);
  return result;
}

double store_rows(const std::filesystem::path& directory, std::size_t rows) {
  const std::filesystem::path path = directory / "bench.h5";
  std::filesystem::remove(path);
  store::StoreSetup setup;
  model::Characteristics figures;
  const double time = seconds([&] {
    store::StoreWriter writer = store::StoreWriter::create(path, setup);
    for (std::size_t i = 0; i < rows; ++i) {
      const std::int64_t extents[] = {static_cast<std::int64_t>(i % 400 + 1),
                                      static_cast<std::int64_t>(i / 400 + 1)};
      figures.execution_time = 1.0 / static_cast<double>(i + 1);
      figures.total_time = 1.0 + 1e-3 * static_cast<double>(i % 97);
      writer.append(store::make_row(machine::Grid(extents), 1.0, figures));
    }
    writer.finish(std::nullopt);
  });
  std::filesystem::remove(path);
  return static_cast<double>(rows) / time;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: gridcast_bench TRACE MACHINE SCRATCH_DIRECTORY\n");
    return 2;
  }
  const std::string text = unpacked(argv[1]);
  const std::string long_text = repeated(text, 100'000'000);
  const trace::Program program = trace::parse_program(text, argv[1]);
  const model::Compiled compiled = model::compile(program);
  const machine::Cluster cluster = machine::Cluster::read(argv[2]);
  model::Predictor predictor(compiled.script, cluster);
  const std::vector<std::string> grids{"4x4", "8x8", "16x16", "32x32"};

  std::vector<double> parsing;
  std::vector<double> storing;
  std::vector<std::vector<double>> predicting(grids.size());
  for (int round = 0; round < rounds; ++round) {
    parsing.push_back(static_cast<double>(long_text.size()) * 1e-6 / seconds([&] {
                        static_cast<void>(trace::parse_program(long_text, "repeated"));
                      }));
    for (std::size_t i = 0; i < grids.size(); ++i) {
      const machine::Grid grid = machine::Grid::parse(grids[i]);
      predicting[i].push_back(rate([&] { static_cast<void>(predictor.evaluate(grid)); }));
    }
    storing.push_back(store_rows(argv[3], 100'000));
  }
  const double first = median(predicting[0]);
  fmt::print("{:44} {:>14} {:>10}\n", "figure (median of 5 rounds, one core)", "value", "ratio");
  fmt::print("{:44} {:>14.0f} {:>10}\n", "trace parsing, MB/s", median(parsing), "");
  for (std::size_t i = 0; i < grids.size(); ++i) {
    fmt::print(
        "{:44} {:>14.0f} {:>10.4f}\n",
        fmt::format("predictions/s, {} processors", machine::Grid::parse(grids[i]).processors()),
        median(predicting[i]), median(predicting[i]) / first);
  }
  fmt::print("{:44} {:>14.0f} {:>10}\n", "rows stored/s (100,000 rows)", median(storing), "");
  return 0;
}
