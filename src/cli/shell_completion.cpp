#include "shell_completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "definition.h"

namespace gridcast::cli {
namespace {

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : names_of(*option)) {
      names.push_back(name);
    }
  }
  return names;
}

std::vector<std::string> part_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* part : parts_of(command)) {
    names.push_back(part->get_name());
  }
  return names;
}

/// Words of the first positional that takes only so many: "bash", "zsh", "fish".
std::vector<std::string> positional_words(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (names_of(*option).empty()) {
      return words_of(*option);
    }
  }
  return {};
}

/// Arms of a case statement with one line for each command or option that has words.
struct Arms {
  std::string paths;    ///< patterns of all commands, separated by '|'; "" if there are none
  std::string values;   ///< words after an option
  std::string options;  ///< options of a command
  std::string parts;    ///< parts of a command, or words that it takes
};

/// `offer`: how the shell is told the words, with {} where they stand.
Arms arms_of(const CLI::App& app, const std::string& offer) {
  Arms arms;
  const auto line = [&offer](const std::string& pattern, const std::vector<std::string>& words) {
    return fmt::format("    \"{}\") {} return ;;\n", pattern,
                       fmt::format(fmt::runtime(offer), fmt::join(words, " ")));
  };
  for (const Command& command : all_commands(app)) {
    if (!command.path.empty()) {
      arms.paths += (arms.paths.empty() ? "\"" : "|\"") + command.path + '"';
    }
    for (const CLI::Option* option : command.app->get_options()) {
      if (const auto words = words_of(*option); !words.empty()) {
        for (const std::string& name : names_of(*option)) {
          arms.values += line(command.path + " " + name, words);
        }
      }
    }
    arms.options += line(command.path, option_names(*command.app));
    if (const auto parts = part_names(*command.app); !parts.empty()) {
      arms.parts += line(command.path, parts);
    } else if (const auto words = positional_words(*command.app); !words.empty()) {
      arms.parts += line(command.path, words);
    }
  }
  if (arms.paths.empty()) {
    arms.paths = "\"\"";
  }
  return arms;
}

/// The name of the function that completes a program: "_gridcast_measure".
std::string function_of(const CLI::App& program) {
  std::string name = "_" + program.get_name();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// A text in single quotes of fish.
std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    result += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return result + "'";
}

/// When a command of fish's list applies.
std::string fish_condition(const Command& command) {
  if (command.path.empty()) {
    // A program that works without a command has options with values before one.
    return command.app->get_require_subcommand_min() > 0
               ? "__fish_use_subcommand"
               : fmt::format("not __fish_seen_subcommand_from {}",
                             fmt::join(part_names(*command.app), " "));
  }
  std::string condition;
  for (std::size_t begin = 0; begin <= command.path.size();) {
    const std::size_t end = std::min(command.path.find(' ', begin), command.path.size());
    condition += (condition.empty() ? "" : "; and ") + std::string("__fish_seen_subcommand_from ") +
                 command.path.substr(begin, end - begin);
    begin = end + 1;
  }
  return condition;
}

/// What follows `complete -c PROGRAM` for an option.
std::string fish_option(const std::string& condition, const CLI::Option& option) {
  std::string line = " -n " + fish_quoted(condition);
  for (const std::string& name : option.get_lnames()) {
    line += " -l " + name;
  }
  for (const std::string& name : option.get_snames()) {
    line += " -s " + name;
  }
  if (takes_value(option)) {
    const auto words = words_of(option);
    line += words.empty() ? " -r" : fmt::format(" -x -a '{}'", fmt::join(words, " "));
  }
  return line + " -d " + fish_quoted(option.get_description()) + "\n";
}

/// The function that completes one program in bash.
std::string bash_function(const CLI::App& program) {
  const Arms arms = arms_of(program, R"(COMPREPLY=($(compgen -W "{}" -- "$current"));)");
  return function_of(program) +
         "() {\n"
         "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD - "
         "1]}\"\n"
         "  # --option=value are three words here.\n"
         "  if [[ \"$previous\" == \"=\" ]]; then previous=\"${COMP_WORDS[COMP_CWORD - 2]}\"; fi\n"
         "  if [[ \"$current\" == \"=\" ]]; then current=\"\"; fi\n"
         "  local command=\"\" word i\n"
         "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
         "    word=\"${command:+$command }${COMP_WORDS[i]}\"\n"
         "    case \"$word\" in\n      " +
         arms.paths +
         ") command=\"$word\" ;;\n    esac\n  done\n"
         "  case \"$command $previous\" in\n" +
         arms.values +
         "  esac\n"
         "  if [[ \"$current\" == -* ]]; then\n  case \"$command\" in\n" +
         arms.options + "  esac\n  fi\n  case \"$command\" in\n" + arms.parts +
         "  esac\n"
         "  COMPREPLY=($(compgen -f -- \"$current\"))\n"
         "}\n"
         "complete -o filenames -F " +
         function_of(program) + " " + program.get_name() + "\n";
}

/// The function that completes one program in zsh; _gridcast, the file's own, calls it.
std::string zsh_function(const CLI::App& program) {
  const Arms arms = arms_of(program, "compadd -- {};");
  return function_of(program) +
         "_words() {\n"
         "  local command=\"\" word i\n"
         "  for ((i = 2; i < CURRENT; ++i)); do\n"
         "    word=\"${command:+$command }$words[i]\"\n"
         "    case \"$word\" in\n      " +
         arms.paths +
         ") command=\"$word\" ;;\n    esac\n  done\n"
         "  case \"$command $words[CURRENT-1]\" in\n" +
         arms.values +
         "  esac\n"
         "  if [[ \"$words[CURRENT]\" == -* ]]; then\n  case \"$command\" in\n" +
         arms.options + "  esac\n  fi\n  case \"$command\" in\n" + arms.parts +
         "  esac\n"
         "  _files\n"
         "}\n";
}

/// The lines of fish for one command.
std::string fish_command(const Command& command) {
  const std::string condition = fish_condition(command);
  const std::string complete = "complete -c " + command.program;
  const std::vector<std::string> parts = part_names(*command.app);
  std::string text;
  for (const CLI::App* part : parts_of(*command.app)) {
    // None of them is there yet.
    const std::string first = command.path.empty()
                                  ? condition
                                  : fmt::format("{}; and not __fish_seen_subcommand_from {}",
                                                condition, fmt::join(parts, " "));
    text += fmt::format("{} -f -n {} -a {} -d {}\n", complete, fish_quoted(first), part->get_name(),
                        fish_quoted(part->get_description()));
  }
  if (const auto words = positional_words(*command.app); !words.empty()) {
    text += fmt::format("{} -f -n {} -a '{}'\n", complete, fish_quoted(condition),
                        fmt::join(words, " "));
  }
  for (const CLI::Option* option : command.app->get_options()) {
    if (!names_of(*option).empty()) {
      text += complete + fish_option(condition, *option);
    }
  }
  return text;
}

}  // namespace

std::string bash_completion(std::span<const CLI::App* const> programs) {
  std::string text =
      "# Completion of gridcast for bash: source it, or put it among bash-completion's files.\n";
  for (const CLI::App* program : programs) {
    text += bash_function(*program);
  }
  return text;
}

std::string zsh_completion(std::span<const CLI::App* const> programs) {
  std::string names;
  std::string functions;
  std::string arms;
  for (const CLI::App* program : programs) {
    names += " " + program->get_name();
    functions += zsh_function(*program);
    arms += "    " + program->get_name() + ") " + function_of(*program) + "_words ;;\n";
  }
  return "#compdef" + names +
         "\n# Completion of gridcast for zsh: put it as _gridcast into a folder of $fpath, or "
         "source it.\n" +
         functions + "_gridcast() {\n  case \"${service:t}\" in\n" + arms +
         "  esac\n}\n"
         "if [[ \"$funcstack[1]\" == _gridcast ]]; then\n"
         "  _gridcast \"$@\"\n"
         "else\n"
         "  compdef _gridcast" +
         names + "\nfi\n";
}

std::string fish_completion(std::span<const CLI::App* const> programs) {
  std::string text = "# Completion of gridcast for fish: put it into ~/.config/fish/completions.\n";
  for (const CLI::App* program : programs) {
    for (const Command& command : all_commands(*program)) {
      text += fish_command(command);
    }
  }
  return text;
}

}  // namespace gridcast::cli
