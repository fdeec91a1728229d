#include "gridcast/cli/app.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "gridcast/base/error.h"
#include "gridcast/farm/launched.h"
#include "historical.h"
#include "log.h"
#include "output.h"
#include "run.h"
#include "version.h"

namespace gridcast::cli {
namespace {

/// Words as one line that a shell reads as the same words.
std::string quoted_line(int argc, char** argv) {
  const std::string_view harmless =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
  std::string line;
  for (int i = 0; i < argc; ++i) {
    const std::string word = argv[i];
    line += i == 0 ? "" : " ";
    if (!word.empty() && word.find_first_not_of(harmless) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char character : word) {
      line += character == '\'' ? std::string("'\\''") : std::string(1, character);
    }
    line += '\'';
  }
  return line;
}

void add_commands(CLI::App& app, Session& session) {
  add_predict(app, session);
  add_plan(app, session);
  add_sweep(app, session);
  add_status(app, session);
  add_report(app, session);
  add_export(app, session);
  add_merge(app, session);
  add_store(app, session);
  add_trace(app, session);
  add_machine(app, session);
  add_dataset(app, session);
  add_variants(app, session);
  add_analyse(app, session);
  add_calibrate(app, session);
  add_compare(app, session);
  add_pred(app, session);
}

/// The command that the words have reached, e.g. "gridcast trace info".
std::string reached_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return app.get_name() + (chosen.empty() ? "" : " " + reached_command(*chosen.front()));
}

/// Throws InputError if the word in the place of a command names none; CLI11 would only say that a
/// command is missing.
void require_known_command(const CLI::App& group, std::span<const std::string> words) {
  const auto commands = group.get_subcommands([](const CLI::App*) { return true; });
  if (commands.empty() || words.empty()) {
    return;
  }
  if (words.front().starts_with('-')) {
    return require_known_command(group, words.subspan(1));
  }
  std::string names;
  for (const CLI::App* command : commands) {
    if (command->get_name() == words.front()) {
      return require_known_command(*command, words.subspan(1));
    }
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  throw InputError("unknown command '" + words.front() + "'", "expected one of " + names);
}

/// Turns a complaint of the parser into a message; help and version are no complaints.
int end_of_parse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    if (sweep::launched_rank() == 0) {
      print(dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr ? version_text()
                                                                        : app.help());
    }
    return done;
  }
  print_error(std::string(error.what()) + " (see " + reached_command(app) + " --help)");
  return bad_input;
}

int parse_and_run(int argc, char** argv) {
  Session session;
  session.command_line = quoted_line(argc, argv);
  CLI::App app("Predicts parallel programs on machines and processor grids from one trace",
               "gridcast");
  app.footer(
      "Example:\n  gridcast predict jac.ptr --machine cluster.par --grid 4x2\n"
      "Each command has --help with an example.\n"
      "Exit codes: 0 done, 1 failed, 2 bad usage or input, 3 stopped early and can be resumed.");
  app.set_version_flag("--version", std::string("gridcast"), "Print versions and exit");
  app.require_subcommand(1);
  add_verbosity(app, session);
  add_commands(app, session);

  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  require_known_command(app, words);
  words = repeat_set(words);
  std::reverse(words.begin(), words.end());  // CLI11 takes the last word first
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return end_of_parse(app, error);
  }
  set_up_log(session.quiet, session.verbosity);
  return session.command();
}

}  // namespace

int run_gridcast(int argc, char** argv) {
  if (argc > 0 && std::filesystem::path(argv[0]).filename() == "predictor") {
    return run_predictor(argc, argv);
  }
  report_failed_writes();
  return run_guarded([&] { return parse_and_run(argc, argv); });
}

int run_predictor(int argc, char** argv) {
  report_failed_writes();
  return run_guarded([&] {
    set_up_log(false, 0);
    return historical_command_line({argv + std::min(argc, 1), argv + argc},
                                   quoted_line(argc, argv));
  });
}

}  // namespace gridcast::cli
