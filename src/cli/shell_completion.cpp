#include "shell_completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// Arms of a case statement with one line for each command or option that has words.
struct Arms {
  std::string paths;    ///< patterns of all commands, separated by '|'
  std::string values;   ///< words after an option
  std::string options;  ///< options of a command
  std::string parts;    ///< parts of a command
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
    }
  }
  return arms;
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
std::string fish_condition(const std::string& path) {
  if (path.empty()) {
    return "__fish_use_subcommand";
  }
  std::string condition;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(' ', begin), path.size());
    condition += (condition.empty() ? "" : "; and ") + std::string("__fish_seen_subcommand_from ") +
                 path.substr(begin, end - begin);
    begin = end + 1;
  }
  return condition;
}

std::string fish_option(const std::string& condition, const CLI::Option& option) {
  std::string line = "complete -c gridcast -n " + fish_quoted(condition);
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

}  // namespace

std::string bash_completion(const CLI::App& app) {
  const Arms arms = arms_of(app, R"(COMPREPLY=($(compgen -W "{}" -- "$current"));)");
  return "# Completion of gridcast for bash: source it, or put it among bash-completion's files.\n"
         "_gridcast() {\n"
         "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD - "
         "1]}\"\n"
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
         "complete -o filenames -F _gridcast gridcast\n";
}

std::string zsh_completion(const CLI::App& app) {
  const Arms arms = arms_of(app, "compadd -- {};");
  return "#compdef gridcast\n"
         "# Completion of gridcast for zsh: put it as _gridcast into a folder of $fpath, or source "
         "it.\n"
         "_gridcast() {\n"
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
         "}\n"
         "if [[ \"$funcstack[1]\" == _gridcast ]]; then\n"
         "  _gridcast \"$@\"\n"
         "else\n"
         "  compdef _gridcast gridcast\n"
         "fi\n";
}

std::string fish_completion(const CLI::App& app) {
  std::string text = "# Completion of gridcast for fish: put it into ~/.config/fish/completions.\n";
  for (const Command& command : all_commands(app)) {
    const std::string condition = fish_condition(command.path);
    for (const CLI::App* part : parts_of(*command.app)) {
      text += fmt::format("complete -c gridcast -f -n {} -a {} -d {}\n", fish_quoted(condition),
                          part->get_name(), fish_quoted(part->get_description()));
    }
    for (const CLI::Option* option : command.app->get_options()) {
      if (!names_of(*option).empty()) {
        text += fish_option(condition, *option);
      }
    }
  }
  return text;
}

}  // namespace gridcast::cli
