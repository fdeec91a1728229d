// The command line of gridcast-measure.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/cli/app.h"
#include "gridcast/farm/launched.h"
#include "gridcast/measure/measured_machine.h"
#include "gridcast/measure/mpi_transport.h"
#include "gridcast/report/format.h"
#include "inputs.h"
#include "log.h"
#include "options.h"
#include "output.h"
#include "places.h"
#include "run.h"

namespace gridcast::cli {
namespace {

struct MeasureOptions {
  std::string output;
  std::string table;
  std::string html;
  measure::NetworkModel network = measure::NetworkModel::ports;
  bool quick = false;
  std::vector<std::string> ratio;
};

/// What rank 0 writes; opened before anything is measured.
struct MeasureOutputs {
  std::optional<Output> machine;
  std::optional<Output> table;
  std::optional<Output> html;

  explicit MeasureOutputs(const MeasureOptions& options) {
    Places()
        .writes("-o", options.output)
        .writes("--table", options.table)
        .writes("--html", options.html)
        .require_separate();
    open(machine, options.output);
    open(table, options.table);
    open(html, options.html);
  }

private:
  static void open(std::optional<Output>& output, const std::string& place) {
    if (!place.empty()) {
      output.emplace(place);
    }
  }
};

/// Collective: times every network, and on rank 0 the processor.
measure::MeasuredMachine measured_machine(const measure::MpiSession& session, bool quick) {
  const std::vector<measure::Place> places = session.places();
  const measure::Levels levels = measure::levels_of(places);
  measure::MeasuredMachine machine;
  machine.uneven = levels.uneven;
  machine.description = counted(session.size(), "rank");
  for (const measure::Level& level : levels.levels) {
    machine.description += fmt::format(", {}: {} x {}", level.name, level.parts, level.part);
    const auto transport = measure::mpi_transport(session, level.pairs);
    measure::LinkSamples samples = measure::collect(*transport, measure::measure_plan(quick));
    machine.levels.push_back({level, std::move(samples), {}});
  }
  if (session.rank() == 0) {
    for (measure::MeasuredLevel& each : machine.levels) {
      each.fit = measure::fit_link(each.samples);
    }
    machine.kernels = measure::time_kernels(quick);
  }
  return machine;
}

void write_measured(const MeasureOptions& options, const measure::MeasuredMachine& machine,
                    MeasureOutputs& outputs) {
  if (outputs.machine) {
    outputs.machine->stream() << measure::machine_file(machine, options.network);
    outputs.machine->commit();
  }
  if (outputs.table) {
    measure::write_kernels(outputs.table->stream(), machine.kernels);
    outputs.table->commit();
  }
  if (outputs.html) {
    measure::write_machine_html(outputs.html->stream(), machine);
    outputs.html->commit();
  }
  if (options.output != "-" && options.table != "-" && options.html != "-") {
    print(measure::machine_text(machine));
  }
}

int run_measuring(const MeasureOptions& options) {
  const measure::MpiSession session;
  std::optional<MeasureOutputs> outputs;
  std::exception_ptr problem;
  if (session.rank() == 0) {
    try {
      outputs.emplace(options);
      if (session.size() < 2 && outputs->machine) {
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
  const measure::MeasuredMachine machine = measured_machine(session, options.quick);
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

int run_ratio(const MeasureOptions& options) {
  const std::string& first = options.ratio.at(0);
  const std::string& second = options.ratio.at(1);
  const bool tables = is_table(first) && is_table(second);
  const std::vector<measure::Speed> speeds =
      tables ? measure::speeds_of(measure::read_kernels(first), measure::read_kernels(second))
             : trace_speeds(first, second);
  std::string text = fmt::format("{} is so many times as fast as {}:\n", second, first);
  for (const measure::Speed& speed : speeds) {
    text += fmt::format("  {:36} {:>8.3f}\n", speed.name, speed.ratio);
  }
  if (tables) {
    text += fmt::format("  {:36} {:>8.3f}\n", "geometric mean", measure::mean_speed(speeds));
  }
  print(text);
  return done;
}

int parse_and_measure(int argc, char** argv) {
  MeasureOptions options;
  CLI::App app("Measures processors and networks: run it under mpirun with a rank per core",
               "gridcast-measure");
  app.footer(
      "Examples:\n  mpirun -n 8 gridcast-measure -o here.par --table here.csv --html here.html\n"
      "  gridcast-measure ratio here.csv there.csv");
  app.add_option("-o,--output", options.output, "The machine, for predict")->type_name("NEW.par|-");
  app.add_option("--table", options.table, "Speed of the processor, for ratio")
      ->type_name("T.csv|-");
  app.add_option("--html", options.html, "Page with the times of every network")->type_name("F");
  add_choice<measure::NetworkModel>(
      app, "--network", options.network,
      {{"ports", measure::NetworkModel::ports}, {"myrinet", measure::NetworkModel::myrinet}},
      "How networks are written (default: ports)");
  app.add_flag("--quick", options.quick, "Fewer sizes and repetitions");
  CLI::App& ratio = *app.add_subcommand(
      "ratio", "How many times as fast the second is: two tables, or two traces of a program");
  ratio.footer("Example:\n  gridcast-measure ratio here.csv there.csv");
  ratio.add_option("FILES", options.ratio, "Tables of --table, or traces")
      ->expected(2)
      ->type_name("")
      ->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      if (sweep::launched_rank() == 0) {
        print(ratio.parsed() ? ratio.help() : app.help());
      }
      return done;
    }
    print_error(std::string(error.what()) + " (see gridcast-measure --help)");
    return bad_input;
  }
  return ratio.parsed() ? run_ratio(options) : run_measuring(options);
}

}  // namespace

int run_measure(int argc, char** argv) {
  report_failed_writes();
  return run_guarded([&] {
    set_up_log(false, 0);
    return parse_and_measure(argc, argv);
  });
}

}  // namespace gridcast::cli
