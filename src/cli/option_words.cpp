#include "option_words.h"

#include <algorithm>

#include "definition.h"
#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/base/toml_values.h"

namespace gridcast::cli {

Reached reached_by(CLI::App& app, const std::vector<std::string>& words) {
  Reached reached{&app, 0};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto parts = reached.command->get_subcommands(
        [&word = words[i]](const CLI::App* part) { return part->get_name() == word; });
    if (!parts.empty()) {
      reached = {parts.front(), i + 1};
    } else if (!words[i].starts_with('-')) {
      break;
    }
  }
  return reached;
}

bool is_given(const CLI::Option& option, const std::vector<std::string>& words) {
  const auto names = names_of(option);
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::any_of(names.begin(), names.end(), [&word](const std::string& name) {
      return name.starts_with("--") ? word.substr(0, word.find('=')) == name
                                    : word.starts_with(name);  // -mcluster.par
    });
  });
}

std::string word_of(const std::string& file, const std::string& name, const toml::node& node) {
  if (const auto* text = node.as_string()) {
    return text->get();
  }
  if (const auto* integer = node.as_integer()) {
    return std::to_string(integer->get());
  }
  if (const auto* real = node.as_floating_point()) {
    return exact(real->get());
  }
  throw InputError(file, line_of(node), "'" + name + "' is neither a text nor a number",
                   "expected a value of --" + name);
}

}  // namespace gridcast::cli
