#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "commands.h"
#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/retrace/average.h"
#include "gridcast/retrace/generate.h"
#include "gridcast/retrace/interpolate.h"
#include "gridcast/retrace/merge.h"
#include "inputs.h"
#include "output.h"
#include "places.h"
#include "run.h"

namespace gridcast::cli {
namespace {

/// Traces made of traces.
struct MakeOptions {
  std::vector<std::string> traces;
  std::string output;
};

struct InterpolateCommand {
  std::vector<std::string> sized;  ///< SIZE=TRACE
  double size = 0.0;
  trace::InterpolateOptions options;
  std::string output;
};

struct GenerateCommand {
  std::string description;
  std::vector<std::string> values;  ///< NAME=VALUE
  std::string output;
};

void add_output(CLI::App& command, std::string& output) {
  command.add_option("-o,--output", output, "The new trace, or - for standard output")
      ->type_name("OUT.ptr|-")
      ->required();
}

/// A trace must not replace what it is made of.
template <class Inputs>
void require_usable(const Inputs& inputs, const std::string& output) {
  Places().reads(inputs).writes("-o", output).require_usable();
}

std::vector<std::filesystem::path> paths_of(const std::vector<std::string>& names) {
  return {names.begin(), names.end()};
}

int run_merge(const MakeOptions& options) {
  const std::vector<std::string> members =
      options.traces.size() == 1 ? traces_of(options.traces.front()) : options.traces;
  require_usable(members, options.output);
  Output output(options.output);
  const trace::MergeResult result = trace::merge_traces(paths_of(members), output.stream());
  output.commit();
  log_warnings(result.warnings);
  spdlog::info("merged {}: {}, {}; {} of waiting left out",
               counted(static_cast<std::int64_t>(result.processes), "trace"),
               counted(static_cast<std::int64_t>(result.calls), "call"),
               seconds_text(result.duration), seconds_text(result.waiting));
  return done;
}

int run_average(const MakeOptions& options) {
  require_usable(options.traces, options.output);
  Output output(options.output);
  const trace::AverageResult result =
      trace::average_traces(paths_of(options.traces), output.stream());
  output.commit();
  log_warnings(result.warnings);
  if (options.output != "-") {
    print(trace::to_text(result));
  }
  return done;
}

/// Reads "1000=jac1000.ptr".
trace::SizedTrace sized_trace(const std::string& text) {
  const std::size_t at = text.find('=');
  double size = 0.0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + std::min(at, text.size()), size);
  if (at == std::string::npos || error != std::errc() || end != text.data() + at ||
      !std::isfinite(size) || at + 1 == text.size()) {
    throw InputError("'" + text + "' names no trace and its problem size",
                     "expected SIZE=TRACE, as 1000=jac1000.ptr");
  }
  return {text.substr(at + 1), size};
}

int run_interpolate(const InterpolateCommand& options) {
  std::vector<trace::SizedTrace> traces;
  std::vector<std::string> names;
  for (const std::string& text : options.sized) {
    traces.push_back(sized_trace(text));
    names.push_back(traces.back().path.string());
  }
  require_usable(names, options.output);
  Output output(options.output);
  const trace::InterpolateResult result =
      trace::interpolate_traces(traces, options.size, output.stream(), options.options);
  output.commit();
  log_warnings(result.warnings);
  spdlog::info(
      "size {}: {}, {}, {} that depend on the size, degree {}", options.size,
      counted(static_cast<std::int64_t>(result.calls), "call"), seconds_text(result.duration),
      counted(static_cast<std::int64_t>(result.varying_parameters), "parameter"), result.degree);
  return done;
}

/// The whole file.
std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::error_code ignored;
  if (!file || std::filesystem::is_directory(path, ignored)) {
    throw InputError(path, 0, "cannot be read", "expected a description of a program (.toml)");
  }
  return text;
}

int run_generate(const GenerateCommand& options) {
  const trace::ParameterValues values = read_parameters("--set", options.values);
  require_usable(options.description, options.output);
  Output output(options.output);
  const trace::GenerateResult result = trace::generate_trace(
      text_of(options.description), options.description, output.stream(), values);
  output.commit();
  spdlog::info("{}, {} on one processor", counted(static_cast<std::int64_t>(result.calls), "call"),
               seconds_text(result.duration));
  return done;
}

}  // namespace

void add_trace_merge(CLI::App& parent, Session& session) {
  auto options = std::make_shared<MakeOptions>();
  CLI::App& command = add_command(parent, session, "merge",
                                  "Merge the traces of all processes of a run into a serial one",
                                  "gridcast trace merge jac0_0.ptr jac1_1.ptr --output jac.ptr");
  command
      .add_option("TRACE", options->traces,
                  "Traces in the order of the processes, or one name: NAME stands for NAME0_0.ptr "
                  "and so on, @ in it for any characters")
      ->type_name("")
      ->required();
  add_output(command, options->output);
  on_chosen(command, session, options, run_merge);
}

void add_trace_average(CLI::App& parent, Session& session) {
  auto options = std::make_shared<MakeOptions>();
  CLI::App& command =
      add_command(parent, session, "average", "Average the traces of several runs of a program",
                  "gridcast trace average run1.ptr run2.ptr run3.ptr --output mean.ptr");
  command.add_option("TRACE", options->traces, "Traces, one of each run")
      ->type_name("")
      ->required();
  add_output(command, options->output);
  on_chosen(command, session, options, run_average);
}

void add_trace_interpolate(CLI::App& parent, Session& session) {
  auto options = std::make_shared<InterpolateCommand>();
  CLI::App& command = add_command(
      parent, session, "interpolate", "Make the trace of another problem size",
      "gridcast trace interpolate 1000=j1000.ptr 2000=j2000.ptr --size 4000 --output j4000.ptr");
  command.add_option("TRACE", options->sized, "Traces with their problem sizes")
      ->type_name("SIZE=TRACE")
      ->required();
  command.add_option("--size", options->size, "Problem size of the new trace")
      ->type_name("N")
      ->required();
  command
      .add_option("--degree", options->options.degree,
                  "Highest degree of the polynomials in the size (default: 3)")
      ->type_name("K");
  add_output(command, options->output);
  on_chosen(command, session, options, run_interpolate);
}

void add_trace_generate(CLI::App& parent, Session& session) {
  auto options = std::make_shared<GenerateCommand>();
  CLI::App& command = add_command(
      parent, session, "generate", "Make the trace of a program from a short description",
      "gridcast trace generate jacobi2d.toml --set n=4000 --output jacobi.ptr");
  command.add_option("DESCRIPTION", options->description, "Description of the program (.toml)")
      ->type_name("")
      ->required();
  command.add_option("--set", options->values, "Value of a parameter of the description")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  add_output(command, options->output);
  on_chosen(command, session, options, run_generate);
}

}  // namespace gridcast::cli
