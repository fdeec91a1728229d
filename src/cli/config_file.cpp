#include "config_file.h"

#include <toml++/toml.h>

#include <algorithm>

#include "definition.h"
#include "gridcast/base/error.h"
#include "gridcast/base/toml_values.h"
#include "option_words.h"

namespace gridcast::cli {
namespace {

/// The option with this name in a file.
const CLI::Option* option_named(const CLI::App& command, const std::string& name) {
  for (const CLI::Option* option : command.get_options()) {
    const auto& names = option->get_lnames();
    if (std::find(names.begin(), names.end(), name) != names.end() ||
        (option->get_positional() && CLI::detail::to_lower(option->get_single_name()) == name)) {
      return option;
    }
  }
  return nullptr;
}

[[noreturn]] void refuse(const std::string& file, const toml::node& node,
                         const std::string& problem, const std::string& remedy) {
  throw InputError(file, node.source().begin.line, problem, remedy);
}

void add_words(const std::string& file, const CLI::Option& option, const std::string& name,
               const toml::node& node, std::vector<std::string>& words) {
  if (const auto* flag = node.as_boolean()) {
    if (takes_value(option)) {
      refuse(file, node, "'" + name + "' has no value", "expected what --" + name + " takes");
    }
    if (flag->get()) {
      words.push_back("--" + name);
    }
    return;
  }
  if (const auto* list = node.as_array()) {
    for (const toml::node& each : *list) {
      add_words(file, option, name, each, words);
    }
    return;
  }
  const std::string value = word_of(file, name, node);
  if (option.get_positional()) {
    words.push_back(value);
  } else if (takes_value(option)) {
    words.push_back("--" + name);
    words.push_back(value);
  } else {
    words.push_back("--" + name + "=" + value);  // --resume=auto
  }
}

/// The file behind --config, taken out of the words; empty: there is none.
std::string take_config(std::vector<std::string>& words) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (word->starts_with("--config=")) {
      std::string file = word->substr(std::string("--config=").size());
      words.erase(word);
      return file;
    }
    if (*word == "--config" && std::next(word) != words.end()) {
      std::string file = *std::next(word);
      words.erase(word, word + 2);
      return file;
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> with_config(CLI::App& app, std::vector<std::string> words) {
  const std::string file = take_config(words);
  if (file.empty()) {
    return words;
  }
  const toml::table options = parse_toml(toml_text(file, "a file of options (TOML)"), file,
                                         "expected lines like max-processors = 64");
  const Reached reached = reached_by(app, words);
  std::vector<std::string> added;
  for (const auto& [key, node] : options) {
    const std::string name(key.str());
    const CLI::Option* option = option_named(*reached.command, name);
    if (option == nullptr || name == "config" || name == "help") {
      std::vector<std::string> known;
      for (const CLI::Option* each : reached.command->get_options()) {
        known.insert(known.end(), each->get_lnames().begin(), each->get_lnames().end());
      }
      const std::string like = nearest(name, known);
      refuse(
          file, node, reached.command->get_name() + " has no option '" + name + "'",
          like.empty() ? "expected the name of one of its options" : "did you mean " + like + "?");
    }
    if (!is_given(*option, words)) {
      add_words(file, *option, name, node, added);
    }
  }
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(reached.rest), added.begin(),
               added.end());
  return words;
}

}  // namespace gridcast::cli
