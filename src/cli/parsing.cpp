#include "parsing.h"

#include <fmt/format.h>

#include <algorithm>

#include "config_file.h"
#include "definition.h"
#include "gridcast/base/readable.h"
#include "gridcast/farm/launched.h"
#include "log.h"
#include "output.h"
#include "run.h"
#include "site_settings.h"
#include "version.h"

namespace gridcast::cli {
namespace {

/// The command that the words have reached.
const CLI::App& reached(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : reached(*chosen.front());
}

/// "unknown option --machin, did you mean --machine?" of the first word that the command does not
/// know and that is nearly an option or a part of it; else "unknown option --machin" of the first
/// such option; else empty.
std::string suggestion(const CLI::App& app) {
  std::vector<std::string> names;
  std::vector<std::string> parts;
  for (const CLI::App* part : parts_of(reached(app))) {
    parts.push_back(part->get_name());
  }
  for (const CLI::Option* option : reached(app).get_options()) {
    for (const std::string& name : names_of(*option)) {
      names.push_back(name);
    }
  }
  std::string unknown;
  for (const std::string& word : app.remaining(true)) {
    if (word == "--") {  // behind it are words of another program
      break;
    }
    const bool is_option = word.starts_with("--");
    const std::string name = word.substr(0, word.find('='));
    const std::string like = nearest(name, is_option ? names : parts);
    if (!like.empty()) {
      return fmt::format("unknown {} {}, did you mean {}?", is_option ? "option" : "command", name,
                         like);
    }
    if (is_option && unknown.empty()) {
      unknown = "unknown option " + name;
    }
  }
  return unknown;
}

/// "--threads: '-1' is out of range (expected N:POSITIVE)", where the parser writes limits of 309
/// digits; else empty.
std::string range_complaint(const CLI::App& app, const std::string& text) {
  const std::string begin = ": Value ";
  constexpr std::size_t most_shown = 250;
  const std::size_t value = text.find(begin);
  const std::size_t end = text.find(" not in range ");
  if (text.size() <= most_shown || value == std::string::npos || end == std::string::npos) {
    return {};
  }
  const CLI::Option* option = reached(app).get_option_no_throw(text.substr(0, value));
  const std::size_t first = value + begin.size();
  return option == nullptr
             ? ""
             : fmt::format("{}: '{}' is out of range (expected {})", option->get_name(),
                           text.substr(first, end - first), option->get_type_name());
}

/// What the parser complains of, with the kind of value that an option takes.
std::string complaint(const CLI::App& app, const CLI::ParseError& error) {
  std::string text = error.what();
  const std::string unreadable = "Could not convert: ";
  if (std::string range = range_complaint(app, text); !range.empty()) {
    return range;
  }
  const bool wrong = text.starts_with(unreadable);
  if (!wrong && !text.ends_with(" missing")) {
    return text;
  }
  text = wrong ? text.substr(unreadable.size()) : text;
  const std::size_t end = text.find(wrong ? " = " : ": ");
  const CLI::Option* option = reached(app).get_option_no_throw(text.substr(0, end));
  if (option == nullptr || end == std::string::npos) {
    return error.what();
  }
  return fmt::format("{}: {} (expected {})", option->get_name(),
                     wrong ? "'" + text.substr(end + 3) + "' cannot be read" : "has no value",
                     option->get_type_name());
}

/// Turns a complaint of the parser into a message; help and version are no complaints.
int end_of_parse(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {
    if (sweep::launched_rank() == 0) {
      print(dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr ? version_text()
                                                                        : wrapped(app.help()));
    }
    return done;
  }
  // A mistyped option may be missed before it is found unknown.
  const std::string like = suggestion(app);
  print_error((like.empty() ? complaint(app, error) : like) + " (see " + reached_command(app) +
              " --help)");
  return bad_input;
}

}  // namespace

std::string reached_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return app.get_name() + (chosen.empty() ? "" : " " + reached_command(*chosen.front()));
}

void add_config(CLI::App& command, Session& session) {
  // Read before the options are parsed; here for --help.
  command.add_option("--config", session.config, "Take options from a file (TOML)")
      ->type_name("F.toml");
  describe_variables(command);
}

void add_version(CLI::App& app) {
  app.set_version_flag("--version", app.get_name(), "Print versions and exit");
}

std::optional<int> parse_words(CLI::App& app, const Session& session,
                               std::vector<std::string> words) {
  // What follows -- may be the command line of another program.
  const auto end = std::find(words.begin(), words.end(), "--");
  const std::vector<std::string> others(end, words.end());
  words.erase(end, words.end());
  // Each takes what those before it have not given.
  words = with_environment(app, std::move(words));
  words = with_config(app, std::move(words));
  words = repeat_set(with_site_file(app, std::move(words)));
  words.insert(words.end(), others.begin(), others.end());
  std::reverse(words.begin(), words.end());  // CLI11 takes the last word first
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return end_of_parse(app, error);
  }
  set_up_log(session.quiet, session.verbosity);
  return std::nullopt;
}

}  // namespace gridcast::cli
