#include "sample.h"

#include <algorithm>
#include <cmath>

namespace gridcast::report::test {
namespace {

using machine::Grid;
using model::Characteristics;
using model::IntervalResult;
using model::Prediction;

struct Losses {
  double usr, sys, reduction, shadow, remote, idle;
};

/// Sums that obey the identity for `processors` processors.
Characteristics sums_of(double cpu, double sys, double io, const Losses& lost, int processors) {
  Characteristics sums;
  sums.productive_cpu_time = cpu;
  sums.productive_sys_time = sys;
  sums.io_time = io;
  sums.productive_time = cpu + sys + io;
  sums.insufficient_parallelism_usr = lost.usr;
  sums.insufficient_parallelism_sys = lost.sys;
  sums.insufficient_parallelism = lost.usr + lost.sys;
  sums.operations[1] = {lost.reduction, 0.25 * lost.reduction, 0.0};
  sums.operations[2] = {lost.shadow, 0.125 * lost.shadow, 0.5 * lost.shadow};
  sums.operations[3] = {lost.remote, 0.0, 0.0};
  sums.operation_counts = {2, lost.reduction > 0 ? 10 : 0, lost.shadow > 0 ? 20 : 0,
                           lost.remote > 0 ? 12345 : 0, 0};
  sums.communication = lost.reduction + lost.shadow + lost.remote;
  sums.communication_synch = 0.25 * lost.reduction + 0.125 * lost.shadow;
  sums.idle = lost.idle;
  sums.load_imbalance = 1.5 * lost.idle;
  sums.synchronization = sums.communication_synch;
  sums.time_variation = 0.01 * lost.reduction;
  sums.overlap = 0.5 * lost.shadow;
  sums.lost_time = sums.insufficient_parallelism + sums.communication + lost.idle;
  sums.total_time = sums.productive_time + sums.lost_time;
  sums.execution_time = sums.total_time / processors;
  sums.efficiency = sums.total_time > 0 ? sums.productive_time / sums.total_time : 1.0;
  return sums;
}

IntervalResult interval(int parent, int level, trace::IntervalType type, std::int64_t line,
                        std::string file, const Characteristics& sums) {
  IntervalResult result;
  result.info.parent = parent;
  result.info.level = level;
  result.info.type = type;
  result.info.line = line;
  result.info.file = std::move(file);
  result.sums = sums;
  result.time_variations[1] = sums.time_variation;  // of reductions alone
  return result;
}

Grid grid_of(std::int64_t p1, std::int64_t p2) {
  const std::array<std::int64_t, 2> extents{p1, p2};
  return Grid(extents);
}

}  // namespace

Prediction sample_prediction() {
  using trace::IntervalType;
  Prediction prediction;
  prediction.grid = grid_of(4, 2);
  prediction.machine = "mvs <\"two\" & three>";
  prediction.traces = {"jac<2d>.ptr", "k\xCF\xC9.ptr"};
  prediction.warnings = {"unknown function foo_ (3 calls)", "a <b>bold</b> \"claim\" & more"};
  auto& list = prediction.intervals;
  list.push_back(interval(-1, 0, IntervalType::main, 0, "",
                          sums_of(6.5, 0.1, 0.2, {0.4, 0.05, 0.31, 0.22, 0.05, 0.17}, 8)));
  list.push_back(interval(0, 1, IntervalType::user, 7, "src/init.f",
                          sums_of(0.5, 0.02, 0.2, {0.3, 0.02, 0.0, 0.0, 0.0, 0.0}, 8)));
  list.push_back(interval(0, 1, IntervalType::sequential, 12, "jac<&\"'>.c",
                          sums_of(5.9, 0.06, 0.0, {0.05, 0.01, 0.3, 0.22, 0.05, 0.12}, 8)));
  list.back().info.count = 1000;
  list.back().info.expression = -3;
  list.push_back(interval(2, 2, IntervalType::parallel, 15, "jac<&\"'>.c",
                          sums_of(3.0, 0.02, 0.0, {0.0, 0.0, 0.3, 0.02, 0.0, 0.0}, 8)));
  list.push_back(interval(2, 2, IntervalType::parallel, 22, "jac<&\"'>.c",
                          sums_of(2.9, 0.04, 0.0, {0.05, 0.01, 0.0, 0.2, 0.05, 0.12}, 8)));
  list.push_back(interval(4, 3, IntervalType::user, 24, "jac<&\"'>.c",
                          sums_of(0.00001, 0.0, 0.0, {0.0, 0.0, 0.0, 0.0, 0.0, 0.000011}, 8)));
  list.push_back(interval(0, 1, IntervalType::user, 40, "k\xCF\xC9\x01.f",
                          sums_of(0.0, 0.0, 0.0, {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, 8)));
  return prediction;
}

Prediction large_prediction(int children, int grandchildren) {
  Prediction prediction = sample_prediction();
  prediction.traces = {"large.ptr"};
  prediction.intervals.resize(1);
  for (int child = 0; child < children; ++child) {
    const int parent = static_cast<int>(prediction.intervals.size());
    prediction.intervals.push_back(
        interval(0, 1, trace::IntervalType::sequential, 10 + child, "large.c",
                 sums_of(0.01 * child, 0.001, 0.0, {0.001, 0, 0.002, 0.001, 0, 0.0001}, 8)));
    for (int nested = 0; nested < grandchildren; ++nested) {
      prediction.intervals.push_back(
          interval(parent, 2, trace::IntervalType::parallel, 1000 + nested, "large.c",
                   sums_of(0.001, 0.0, 0.0, {0.0, 0, 0.0002 * nested, 0, 0, 0.0001}, 8)));
    }
  }
  return prediction;
}

SearchReport sample_search() {
  SearchReport report;
  report.machine = "cluster of 64";
  report.traces = {"jac2d<10000>.ptr"};
  report.mode = 3;
  for (int p1 = 1; p1 <= 64; ++p1) {
    for (int p2 = 1; p1 * p2 <= 64; ++p2) {
      const double processors = p1 * p2;
      const double execution = 2.0 / processors + 0.002 * (p1 + 2 * p2);
      SearchPoint point{grid_of(p1, p2), execution, 2.0 / (processors * execution)};
      point.communication = 0.002 * (p1 + 2 * p2) * processors;
      report.points.push_back(point);
    }
  }
  // Least of 2 / (p1 p2) + 0.002 (p1 + 2 p2): 1000 = p1^2 p2 = 2 p1 p2^2, near p1 = 2 p2 = 12.6.
  for (const SearchPoint& point : report.points) {
    if (point.grid == grid_of(10, 6)) {
      AnsweredGrid best;
      best.grid = point.grid;
      best.nodes = {{15, 4}};
      best.execution_time = point.execution_time;
      best.efficiency = point.efficiency;
      report.answer.best = report.answer.unconstrained = best;
    }
  }
  for (const SearchPoint& point : report.points) {
    Characteristics sums;
    sums.execution_time = point.execution_time;
    sums.efficiency = point.efficiency;
    sums.total_time = point.execution_time * static_cast<double>(point.grid.processors());
    sums.productive_cpu_time = sums.productive_time = 2.0;
    sums.communication = sums.operations[2].communication = point.communication;
    report.details.push_back({point.grid, sums, false});
  }
  std::stable_sort(report.details.begin(), report.details.end(), [](const auto& a, const auto& b) {
    return a.sums.execution_time < b.sums.execution_time;
  });
  report.details.resize(100);
  report.candidates = static_cast<std::int64_t>(report.points.size());
  report.not_bad = report.candidates;
  report.evaluated = report.candidates;
  report.failures = {{grid_of(7, 9), "jac.ptr:12: <shadow> is wider than the block"},
                     {grid_of(2, 3), "jac.ptr:12: no & such"}};
  return report;
}

}  // namespace gridcast::report::test
