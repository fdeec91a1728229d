// The command line of gridcast-measure.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>

#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/calibrate/fit.h"
#include "gridcast/farm/launched.h"
#include "gridcast/farm/watch.h"
#include "gridcast/measure/json.h"
#include "gridcast/measure/measured_machine.h"
#include "gridcast/measure/mpi_transport.h"
#include "gridcast/measure/topology.h"
#include "gridcast/report/format.h"
#include "inputs.h"
#include "measure_options.h"
#include "output.h"
#include "parsing.h"
#include "places.h"
#include "run.h"

namespace gridcast::cli {
namespace {

/// What rank 0 writes; opened before anything is measured.
Outputs opened(const MeasureOptions& options) {
  return Places()
      .writes("-o", options.output)
      .writes("--table", options.table)
      .writes("--html", options.html)
      .writes("--json", options.json)
      .open();
}

bool prints_result(const MeasureOptions& options) {
  const std::array places{options.output, options.table, options.html, options.json};
  return std::ranges::find(places, "-") != places.end();
}

/// Collective: times every network, and on rank 0 the processor.
measure::MeasuredMachine measured_machine(const measure::MpiSession& session,
                                          const MeasureOptions& options) {
  const std::vector<measure::Place> places = session.places();
  const measure::Levels levels = measure::levels_of(places);
  measure::MeasuredMachine machine;
  machine.ranks = session.size();
  machine.uneven = levels.uneven;
  machine.description = counted(session.size(), "rank");
  for (const measure::Level& level : levels.levels) {
    machine.description += fmt::format(", {}: {} x {}", level.name, level.parts, level.part);
    const auto transport = measure::mpi_transport(session, level.pairs);
    measure::LinkSamples samples =
        measure::collect(*transport, measure::measure_plan(options.quick));
    machine.levels.push_back({level, std::move(samples), {}});
  }
  const std::vector<int> processors = session.processors_of_host(places);
  session.on_first_alone([&] {
    for (measure::MeasuredLevel& each : machine.levels) {
      each.fit = measure::fit_link(each.samples);
    }
    if (options.kernel) {
      machine.socket = measure::time_socket(options.quick, processors);
      machine.kernels = machine.socket->alone;
    } else {
      machine.kernels = measure::time_kernels(options.quick);
    }
  });
  return machine;
}

void write_measured(const MeasureOptions& options, const measure::MeasuredMachine& machine,
                    Outputs& outputs) {
  outputs.write("-o",
                [&](std::ostream& out) { out << measure::machine_file(machine, options.network); });
  outputs.write("--table", [&](std::ostream& out) {
    measure::write_kernels(out, machine.kernels,
                           machine.socket
                               ? std::span<const measure::KernelTime>(machine.socket->busy)
                               : std::span<const measure::KernelTime>());
  });
  outputs.write("--html", [&](std::ostream& out) { measure::write_machine_html(out, machine); });
  outputs.write("--json", [&](std::ostream& out) { measure::write_machine_json(out, machine); });
  if (!prints_result(options)) {
    print(measure::machine_text(machine));
  }
  if (machine.socket && measure::is_partial(*machine.socket)) {
    log_warnings(std::vector{measure::partial_text(*machine.socket)});
  }
}

int run_measuring(const MeasureOptions& options) {
  measure::require_topology();
  calibrate::require_solver();
  sweep::Watch watch(options.watch);
  const measure::MpiSession session;
  watch.started();
  std::optional<Outputs> outputs;
  std::exception_ptr problem;
  if (session.rank() == 0) {
    try {
      outputs = opened(options);
      if (session.size() < 2 && outputs->has("-o")) {
        static_cast<void>(measure::machine_file({}, options.network));
      }
    } catch (...) {
      problem = std::current_exception();
    }
  }
  if (!session.all_as_first(!problem)) {
    if (problem) {
      std::rethrow_exception(problem);
    }
    return bad_input;
  }
  const measure::MeasuredMachine machine = measured_machine(session, options);
  if (session.rank() == 0) {
    write_measured(options, machine, *outputs);
  }
  return done;
}

bool is_table(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  return std::getline(stream, line) && line.starts_with("kernel,");
}

/// Seconds of every interval of a program on one processor, with a name.
std::vector<std::pair<std::string, double>> serial_intervals(const std::string& trace) {
  const LoadedProgram program = load_script({trace}, {});
  log_warnings(program.warnings);
  const machine::Cluster one = machine::Cluster::parse("cluster = c; c = {1 x p}; p = 1;", "");
  std::vector<std::pair<std::string, double>> intervals;
  for (const model::IntervalResult& each : predict(program, one, {}, {}).intervals) {
    intervals.emplace_back(report::interval_label(each.info), each.sums.execution_time);
  }
  return intervals;
}

std::vector<measure::Speed> trace_speeds(const std::string& first, const std::string& second) {
  const auto a = serial_intervals(first);
  const auto b = serial_intervals(second);
  if (a.size() != b.size()) {
    throw InputError(
        fmt::format("{} has {} intervals, {} has {}", first, a.size(), second, b.size()),
        "expected traces of the same program with the same input");
  }
  std::vector<measure::Speed> speeds;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].second > 0.0 && b[i].second > 0.0) {
      speeds.push_back({a[i].first, a[i].second / b[i].second});
    }
  }
  return speeds;
}

std::string ratio_text(const measure::Comparison& comparison) {
  std::string text =
      fmt::format("{} is so many times as fast as {}:\n", comparison.second, comparison.first);
  for (const measure::Speed& speed : comparison.speeds) {
    text += fmt::format("  {:36} {:>8.3f}\n", speed.name, speed.ratio);
  }
  if (comparison.mean) {
    text += fmt::format("  {:36} {:>8.3f}\n", "geometric mean", *comparison.mean);
  }
  return text;
}

int run_ratio(const MeasureOptions& options) {
  Places().reads(options.ratio).writes("--json", options.json).require_usable();
  measure::Comparison comparison{options.ratio.at(0), options.ratio.at(1), {}, {}};
  if (is_table(comparison.first) && is_table(comparison.second)) {
    comparison.speeds = measure::speeds_of(measure::read_kernels(comparison.first),
                                           measure::read_kernels(comparison.second));
    comparison.mean = measure::mean_speed(comparison.speeds);
  } else {
    comparison.speeds = trace_speeds(comparison.first, comparison.second);
  }
  if (!options.json.empty()) {
    Output json(options.json);
    measure::write_comparison_json(json.stream(), comparison);
    json.commit();
  }
  if (options.json != "-") {
    print(ratio_text(comparison));
  }
  return done;
}

}  // namespace

int measure_command_line(int argc, char** argv) {
  Session session;
  MeasureOptions options;
  const auto app = define_measure(options, session);
  if (const auto code = parse_words(*app, session, {argv + std::min(argc, 1), argv + argc})) {
    return *code;
  }
  return options.ratio.empty() ? run_measuring(options) : run_ratio(options);
}

}  // namespace gridcast::cli
