#include "gridcast/explain/system.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gridcast/compile/compile.h"
#include "gridcast/explain/traffic.h"
#include "gridcast/predict/predictor.h"

namespace gridcast::model {
namespace {

/// Points of the curve that is kept.
constexpr std::size_t most_points = 2000;

/// What a processor has done up to a point of the program.
struct Progress {
  double clock = 0.0;
  double busy = 0.0;
};

/// Work of a processor, evenly spread between two times.
struct Change {
  double time = 0.0;
  double density = 0.0;  ///< processors that work from then on, more or (negative) less
};

std::vector<Progress> progress_of(const Prediction& prediction) {
  std::vector<Progress> result;
  for (const ProcessorTimes& times : prediction.intervals.front().per_processor) {
    result.push_back({times.execution_time, times.cpu_time + times.sys_time + times.io_time});
  }
  return result;
}

/// Numbers of calls up to which the program is predicted, ascending, the last is all of them.
std::vector<std::size_t> sample_points(std::size_t calls, std::size_t samples) {
  std::vector<std::size_t> points;
  const std::size_t count = std::max<std::size_t>(1, std::min(calls, samples));
  for (std::size_t i = 1; i <= count; ++i) {
    const std::size_t point = calls * i / count;
    if (points.empty() || points.back() != point) {
      points.push_back(point);
    }
  }
  return points;
}

/// The curve of processors that work, from the pieces of work of all of them.
class Concurrency {
public:
  void add(const Progress& from, const Progress& to) {
    const double length = to.clock - from.clock;
    const double work = to.busy - from.busy;
    if (length > 0.0 && work > 0.0) {
      const double density = std::min(1.0, work / length);
      changes_.push_back({from.clock, density});
      changes_.push_back({to.clock, -density});
    }
  }

  void finish(double end, SystemAnalysis& system) {
    std::ranges::stable_sort(changes_, {}, &Change::time);
    std::vector<std::pair<double, double>> steps;
    double level = 0.0;
    // Changes at one instant are one; times that differ by rounding are one instant.
    const double instant = 1e-12 * end;
    for (std::size_t i = 0; i < changes_.size();) {
      const double time = changes_[i].time;
      for (; i < changes_.size() && changes_[i].time <= time + instant; ++i) {
        level += changes_[i].density;
      }
      steps.emplace_back(time, std::max(0.0, level));
    }
    for (const auto& [time, value] : steps) {
      system.max_concurrency = std::max(system.max_concurrency, value);
    }
    system.max_concurrency =
        std::min(system.max_concurrency, static_cast<double>(system.processors));
    system.concurrency = thinned(steps, end);
  }

private:
  /// At most so many points; each is then the mean of its stretch.
  static std::vector<std::pair<double, double>> thinned(
      const std::vector<std::pair<double, double>>& steps, double end) {
    if (steps.size() <= most_points) {
      return steps;
    }
    std::vector<double> areas(most_points, 0.0);
    const double width = end / static_cast<double>(most_points);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      double from = steps[i].first;
      const double to = i + 1 < steps.size() ? steps[i + 1].first : end;
      while (from < to) {
        const auto bin = std::min(most_points - 1, static_cast<std::size_t>(from / width));
        const double stop =
            bin + 1 == most_points ? to : std::min(to, width * static_cast<double>(bin + 1));
        areas[bin] += steps[i].second * (stop - from);
        from = std::max(stop, std::nextafter(from, to));
      }
    }
    std::vector<std::pair<double, double>> result;
    for (std::size_t bin = 0; bin < most_points; ++bin) {
      result.emplace_back(width * static_cast<double>(bin), areas[bin] / width);
    }
    return result;
  }

  std::vector<Change> changes_;
};

void take_sums(const Prediction& prediction, SystemAnalysis& system) {
  const Characteristics& sums = prediction.intervals.front().sums;
  system.execution_time = sums.execution_time;
  system.total_time = sums.total_time;
  system.communication = sums.communication;
  system.idle = sums.idle;
  system.overlap = sums.overlap;
  double most = 0.0;
  double least = std::numeric_limits<double>::infinity();
  for (const Progress& progress : progress_of(prediction)) {
    system.busy_time += progress.busy;
    most = std::max(most, progress.busy);
    least = std::min(least, progress.busy);
  }
  const auto processors = static_cast<double>(system.processors);
  system.most_busy = most;
  system.least_busy = least;
  system.balance = most > 0.0 ? system.busy_time / processors / most : 1.0;
  const auto part = [](double one, double whole) { return whole > 0.0 ? one / whole : 0.0; };
  system.processor_utilisation = part(system.busy_time, system.total_time);
  system.mean_concurrency = part(system.busy_time, system.execution_time);
  system.communication_to_computation = part(system.communication, system.busy_time);
  system.overlap_degree = part(system.overlap, system.overlap + system.communication);
  for (std::size_t kind = 0; kind < operation_count; ++kind) {
    system.operations.push_back({operation_names[kind], 0, 0.0, sums.operations[kind].communication,
                                 sums.operations[kind].overlap});
  }
}

void count_operations(const Script& script, SystemAnalysis& system) {
  const auto& counts = script.tables().intervals.front().operations;
  for (std::size_t kind = 0; kind < operation_count; ++kind) {
    OperationUse& use = system.operations[kind];
    use.count = counts[kind];
    use.frequency =
        system.execution_time > 0.0 ? static_cast<double>(use.count) / system.execution_time : 0.0;
  }
}

/// Predicts beginnings of the program and puts together what the processors did when.
void trace_concurrency(const trace::Program& program, const machine::Cluster& cluster,
                       const machine::Grid& grid, const ModelOptions& options,
                       const std::vector<std::size_t>& points, const std::vector<Progress>& last,
                       SystemAnalysis& system) {
  Concurrency concurrency;
  std::vector<Progress> before(last.size());
  trace::Program beginning = program;
  beginning.warnings.clear();
  for (const std::size_t point : points) {
    std::vector<Progress> now = last;
    if (point != program.records.size()) {
      beginning.records.assign(program.records.begin(),
                               program.records.begin() + static_cast<std::ptrdiff_t>(point));
      const Compiled compiled = compile(beginning);
      now = progress_of(Predictor(compiled.script, cluster, options).predict(grid, true));
    }
    for (std::size_t p = 0; p < now.size(); ++p) {
      concurrency.add(before[p], now[p]);
    }
    before = std::move(now);
  }
  concurrency.finish(system.execution_time, system);
}

}  // namespace

SystemAnalysis analyse_system(const trace::Program& program, const machine::Cluster& cluster,
                              const machine::Grid& grid, const ModelOptions& options,
                              std::size_t samples) {
  SystemAnalysis system;
  system.trace = program.trace_file;
  system.machine = cluster.name();
  system.grid = grid.text();
  system.processors = grid.processors();
  const Compiled compiled = compile(program);
  const Prediction prediction = Predictor(compiled.script, cluster, options).predict(grid, true);
  take_sums(prediction, system);
  count_operations(compiled.script, system);
  const std::vector<std::size_t> points = sample_points(program.records.size(), samples);
  system.samples = points.size();
  system.every_call = points.size() == program.records.size();
  trace_concurrency(program, cluster, grid, options, points, progress_of(prediction), system);
  Traffic traffic = count_traffic(compiled.script, cluster, grid, options, system.execution_time);
  system.levels = std::move(traffic.levels);
  system.pairs = std::move(traffic.pairs);
  return system;
}

}  // namespace gridcast::model
