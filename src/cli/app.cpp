#include "gridcast/cli/app.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "definition.h"
#include "gridcast/base/error.h"
#include "gridcast/base/json_writer.h"
#include "gridcast/farm/launched.h"
#include "historical.h"
#include "log.h"
#include "measure_options.h"
#include "output.h"
#include "parsing.h"
#include "run.h"
#include "shell_words.h"
#include "version.h"

namespace gridcast::cli {
namespace {

/// What every command has: --config, and --json with a summary where it has none of its own.
void complete_commands(CLI::App& app, Session& session) {
  for (const Command& each : all_commands(app)) {
    CLI::App* command = const_cast<CLI::App*>(each.app);  // NOLINT: listed from the app itself
    if (!parts_of(*command).empty()) {
      continue;
    }
    if (command->get_option_no_throw("--json") == nullptr) {
      add_json(*command, session.json);
    }
    add_config(*command, session);
  }
}

void add_commands(CLI::App& app, Session& session) {
  add_predict(app, session);
  add_plan(app, session);
  add_robust(app, session);
  add_sweep(app, session);
  add_status(app, session);
  add_watch(app, session);
  add_report(app, session);
  add_plot(app, session);
  add_export(app, session);
  add_merge(app, session);
  add_store(app, session);
  add_trace(app, session);
  add_record(app, session);
  add_recording(app, session);
  add_infer(app, session);
  add_tune(app, session);
  add_machine(app, session);
  add_dataset(app, session);
  add_variants(app, session);
  add_analyse(app, session);
  add_calibrate(app, session);
  add_compare(app, session);
  add_pred(app, session);
  add_examples(app, session);
  add_completion(app, session);
  add_manual(app, session);
  complete_commands(app, session);
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
  std::vector<std::string> known;
  known.reserve(commands.size());
  for (const CLI::App* command : commands) {
    known.push_back(command->get_name());
  }
  const std::string like = nearest(words.front(), known);
  throw InputError(
      "unknown command '" + words.front() + "'",
      (like.empty() ? "" : "did you mean " + like + "? ") + "expected one of " + names);
}

/// Runs the chosen command; with --json of the general kind what it says goes there.
int run_command(const CLI::App& app, const Session& session) {
  if (session.json.empty() || sweep::launched_rank() != 0) {
    return session.command();
  }
  Output json(session.json);
  std::vector<std::string> lines;
  int code = done;
  {
    const CapturedText captured(session.json == "-");
    code = session.command();
    for (std::size_t begin = 0; begin < captured.text().size();) {
      const std::size_t end = std::min(captured.text().find('\n', begin), captured.text().size());
      lines.push_back(captured.text().substr(begin, end - begin));
      begin = end + 1;
    }
  }
  JsonWriter writer(json.stream());
  writer.begin_object(Layout::compact);
  writer.member("schema", "gridcast.result/1");
  writer.member("command", reached_command(app));
  writer.member("exit_code", code);
  writer.member("lines", lines);
  writer.end_object();
  json.stream() << '\n';
  json.commit();
  return code;
}

int parse_and_run(int argc, char** argv) {
  Session session;
  session.command_line = shell_line(std::vector<std::string>(argv, argv + argc));
  CLI::App app("Predicts parallel programs on machines and processor grids from one trace",
               "gridcast");
  app.footer(
      "Example:\n  gridcast predict jac.ptr --machine cluster.par --grid 4x2\n"
      "Each command has --help with an example; gridcast help COMMAND shows it, too.\n"
      "Exit codes: 0 done, 1 failed, 2 bad usage or input, 3 stopped early and can be resumed.");
  add_version(app);
  app.require_subcommand(1);
  add_verbosity(app, session);
  add_commands(app, session);

  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words.front() == "help") {  // help sweep: sweep --help
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  require_known_command(app, words);
  if (const auto code = parse_words(app, session, std::move(words))) {
    return *code;
  }
  return run_command(app, session);
}

int parse_and_predict(int argc, char** argv) {
  set_up_log(false, 0);
  return historical_command_line({argv + std::min(argc, 1), argv + argc},
                                 shell_line(std::vector<std::string>(argv, argv + argc)));
}

}  // namespace

int run_gridcast(int argc, char** argv) {
  const std::string name = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "";
  const auto run = name == "predictor"          ? parse_and_predict
                   : name == "gridcast-measure" ? measure_command_line
                                                : parse_and_run;
  report_failed_writes();
  return run_guarded([&] { return run(argc, argv); });
}

}  // namespace gridcast::cli
