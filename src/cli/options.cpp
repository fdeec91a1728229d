#include "options.h"

#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "gridcast/base/error.h"

namespace gridcast::cli {

CLI::App& add_command(CLI::App& parent, Session& session, const std::string& name,
                      const std::string& description, const std::string& example) {
  CLI::App& command = *parent.add_subcommand(name, description);
  command.footer("Example:\n  " + example);
  add_verbosity(command, session);
  return command;
}

void add_verbosity(CLI::App& app, Session& session) {
  app.add_flag("-q,--quiet", session.quiet, "Print errors only");
  app.add_flag("-v", session.verbosity, "Print details; -vv prints everything");
}

void add_assignments(CLI::App& command, std::vector<std::string>& assignments) {
  command
      .add_option("--set", assignments,
                  "Change a value of the machine, in the units of the .par file")
      ->type_name("NAME.TStart=9")
      ->allow_extra_args(false);
}

void add_machine_options(CLI::App& command, MachineOptions& options) {
  command.add_option("-m,--machine", options.file, "Machine description")
      ->type_name("M.par")
      ->required();
  add_assignments(command, options.assignments);
}

void add_threads(CLI::App& command, MachineOptions& options) {
  command
      .add_option(
          "--threads", options.threads,
          "Threads of each process, as fast as the machine's NAME.Threads says (default: 1)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
}

std::vector<std::string> repeat_set(std::span<const std::string> arguments) {
  std::vector<std::string> result;
  bool after_set = false;
  bool has_value = false;
  for (const std::string& argument : arguments) {
    if (after_set && has_value && !argument.starts_with('-') &&
        argument.find('=') != std::string::npos) {
      result.emplace_back("--set");
      result.push_back(argument);
      continue;
    }
    if (after_set && !has_value) {
      has_value = true;
    } else {
      after_set = argument == "--set";
      has_value = false;
    }
    result.push_back(argument);
  }
  return result;
}

void add_traces(CLI::App& command, std::vector<std::string>& traces) {
  command.add_option("TRACE", traces, "Trace (.ptr, also gzip); several: all processes of one run")
      ->type_name("")
      ->required();
}

void add_parameters(CLI::App& command, std::vector<std::string>& parameters) {
  command.add_option("--param", parameters, "Value of a parameter of the description")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

void add_program(CLI::App& command, ProgramOptions& options) {
  command
      .add_option("TRACE", options.files,
                  "Trace (.ptr, also gzip), several: all processes of one run; or the description "
                  "of a program (.toml)")
      ->type_name("")
      ->required();
  add_parameters(command, options.parameters);
  command
      .add_option("--times", options.times,
                  "Table of measured times, lines NAME,SECONDS, for parameters of the description")
      ->type_name("T.csv");
}

void add_shape_traces(CLI::App& command, std::vector<std::string>& traces) {
  command
      .add_option(
          "--shape-traces", traces,
          "Runs of the program with other sizes or grids: how the time of its loops depends "
          "on the shape of blocks")
      ->type_name("TRACE...");
}

CLI::Option& add_grid(CLI::App& command, std::optional<machine::Grid>& grid,
                      const std::string& description) {
  const auto take = [&grid](const std::string& text) { grid = machine::Grid::parse(text); };
  return *command.add_option_function<std::string>("-g,--grid", take, description)
              ->type_name("P1xP2x...");
}

void add_model_option(CLI::App& command, model::OptionWords& words, std::string_view name) {
  const model::OptionRule& rule = *model::option_named(name);
  const std::string option = "--" + std::string(name);
  if (name == "extrapolate-iterations") {  // once on, nobody wants it off
    command.add_flag_callback(
        option, [&words, key = std::string(name)] { words[key] = "on"; }, std::string(rule.help));
    return;
  }
  const auto take = [&words, &rule, option](const std::string& word) {
    model::ModelOptions tried;
    if (!rule.set(tried, word)) {
      throw CLI::ValidationError(
          option, "unknown value '" + word + "' (expected " + std::string(rule.words) + ")");
    }
    words[std::string(rule.name)] = word;
  };
  command.add_option_function<std::string>(option, take, std::string(rule.help))
      ->type_name(std::string(rule.words));
}

void add_model_options(CLI::App& command, model::OptionWords& words) {
  for (const model::OptionRule& rule : model::option_rules()) {
    if (rule.name != "placement") {
      add_model_option(command, words, rule.name);
    }
  }
}

void add_json(CLI::App& command, std::string& json) {
  command.add_option("--json", json, "Write JSON to a file, or to standard output (-)")
      ->type_name("F|-");
}

namespace {

/// Bytes of a unit; 0 if it is none.
double bytes_of(std::string_view unit) {
  if (unit.empty() || unit == "B") {
    return 1.0;
  }
  const std::string_view prefixes = "KMGT";
  const char first = unit.front() == 'k' ? 'K' : unit.front();
  const std::size_t power = prefixes.find(first);
  const std::string_view rest = unit.substr(1);
  if (power == std::string_view::npos || (!rest.empty() && rest != "B" && rest != "iB")) {
    return 0.0;
  }
  return std::pow(rest == "iB" ? 1024.0 : 1000.0, static_cast<double>(power + 1));
}

}  // namespace

double parse_bytes(const std::string& text) {
  double number = 0.0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  const std::string_view unit(end, static_cast<std::size_t>(last - end));
  const double factor = bytes_of(unit);
  if (error != std::errc() || factor == 0.0 || !std::isfinite(number) || number < 0.0) {
    throw InputError(
        "'" + text + "' is not a number of bytes",
        "expected a number, as 1500 or 1.5K; K = KB = 1000, M, G, T; KiB = 1024, MiB, GiB, TiB");
  }
  return number * factor;
}

}  // namespace gridcast::cli
