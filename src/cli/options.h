#pragma once
/// Options that several commands have, each defined once (docs/commands.md).

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gridcast/machine/grid.h"
#include "gridcast/rules/options.h"

namespace gridcast::cli {

/// What the chosen command does, filled while the command line is parsed.
struct Session {
  std::string command_line;      ///< as typed
  int verbosity = 0;             ///< -v, -vv
  bool quiet = false;            ///< --quiet
  std::string config;            ///< --config
  std::string json;              ///< --json of commands that have no JSON of their own
  std::function<int()> command;  ///< returns the exit code
};

/// Adds a command with --quiet and -v; `example` is one full command line for --help.
CLI::App& add_command(CLI::App& parent, Session& session, const std::string& name,
                      const std::string& description, const std::string& example);

/// --quiet and -v.
void add_verbosity(CLI::App& app, Session& session);

/// Runs `execute(options)` if `command` is the chosen one; the options live as long as the session.
template <class Options>
void on_chosen(CLI::App& command, Session& session, std::shared_ptr<Options> options,
               int (*execute)(const Options&)) {
  command.callback([&session, options = std::move(options), execute] {
    session.command = [options, execute] { return execute(*options); };
  });
}

/// Adds an option whose value is one of some words. Other words are an InputError.
template <class Value>
CLI::Option& add_choice(CLI::App& command, const std::string& name, Value& target,
                        std::vector<std::pair<std::string, Value>> choices,
                        const std::string& description);

/// A machine and what the command line changes about it.
struct MachineOptions {
  std::string file;                      ///< a .par file
  std::vector<std::string> assignments;  ///< --set, in this order
  std::int32_t threads = 1;              ///< --threads: of each process
};

/// --machine and --set.
void add_machine_options(CLI::App& command, MachineOptions& options);

/// --threads of commands that work on one grid.
void add_threads(CLI::App& command, MachineOptions& options);

/// --set only, for commands that name the machine otherwise.
void add_assignments(CLI::App& command, std::vector<std::string>& assignments);

/// Gives every value of `--set A=1 B=2 ...` its own --set, so that what follows on the command line
/// (a trace) is not taken for one more value.
[[nodiscard]] std::vector<std::string> repeat_set(std::span<const std::string> arguments);

/// A program: where it is described, and what the command line changes about it.
struct ProgramOptions {
  std::vector<std::string> files;        ///< traces of all processes of a run, or one description
  std::vector<std::string> parameters;   ///< --param: values of the description
  std::string times;                     ///< --times: measured times of its kernels
  std::vector<std::string> shapes = {};  ///< --shape-traces: runs with blocks of other shapes
};

/// --shape-traces.
void add_shape_traces(CLI::App& command, std::vector<std::string>& traces);

/// --param.
void add_parameters(CLI::App& command, std::vector<std::string>& parameters);

/// TRACE... or PROGRAM.toml, --param and --times.
void add_program(CLI::App& command, ProgramOptions& options);

/// TRACE...: one trace, or those of all processes of a run.
void add_traces(CLI::App& command, std::vector<std::string>& traces);

/// --grid 4x2.
CLI::Option& add_grid(CLI::App& command, std::optional<machine::Grid>& grid,
                      const std::string& description);

/// One option of the model by its name in model::option_rules(); what is given goes to `words`.
void add_model_option(CLI::App& command, model::OptionWords& words, std::string_view name);

/// All options of the model but --placement.
void add_model_options(CLI::App& command, model::OptionWords& words);

/// --json F|-.
void add_json(CLI::App& command, std::string& json);

/// Reads a number of bytes: "1500", "1.5K", "2MB" (K, M, G, T are powers of 1000), "4GiB" (powers
/// of 1024). Throws InputError.
[[nodiscard]] double parse_bytes(const std::string& text);

// --- definitions of templates

template <class Value>
CLI::Option& add_choice(CLI::App& command, const std::string& name, Value& target,
                        std::vector<std::pair<std::string, Value>> choices,
                        const std::string& description) {
  std::string words;
  for (const auto& [word, value] : choices) {
    words += (words.empty() ? "" : "|") + word;
  }
  const auto take = [&target, choices = std::move(choices), name, words](const std::string& text) {
    for (const auto& [word, value] : choices) {
      if (word == text) {
        target = value;
        return;
      }
    }
    throw CLI::ValidationError(name, "unknown value '" + text + "' (expected " + words + ")");
  };
  return *command.add_option_function<std::string>(name, take, description)->type_name(words);
}

}  // namespace gridcast::cli
