#include "site_settings.h"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

#include "definition.h"
#include "gridcast/base/error.h"
#include "gridcast/base/toml_values.h"
#include "option_words.h"

namespace gridcast::cli {
namespace {

constexpr std::string_view machine_option = "machine";

/// All of them take one value.
constexpr std::array<std::string_view, 10> site_options{
    machine_option, "threads",   "placement",   "memory-per-processor", "durability",
    "group-size",   "lock-wait", "start-limit", "peer-limit",           "progress"};

std::string variable_of(std::string_view name) {
  std::string variable = "GRIDCAST_";
  for (const char c : name) {
    variable += c == '-' ? '_' : static_cast<char>(c - 'a' + 'A');
  }
  return variable;
}

/// The option of this name if a site may set it; a machine only where the command needs one: others
/// do something else with a machine than without.
CLI::Option* site_option(CLI::App& command, std::string_view name) {
  CLI::Option* const option = command.get_option_no_throw("--" + std::string(name));
  const bool set_by_site = option != nullptr && (name != machine_option || option->get_required());
  return set_by_site ? option : nullptr;
}

/// Where a value was found: a variable, or a line of a file.
struct Origin {
  std::string place;
  std::size_t line = 0;
};

/// Throws InputError if the option does not take the value.
void require_taken(CLI::Option& option, const std::string& value, const Origin& origin) {
  const std::string problem = "'" + value + "' is no value of " + option.get_name();
  try {
    option.add_result(value);
    option.run_callback();
    option.clear();
  } catch (const InputError& error) {
    throw InputError(origin.place, origin.line, error.problem(), error.remedy());
  } catch (const CLI::Error&) {
    throw InputError(origin.place, origin.line, problem, "expected " + option.get_type_name());
  }
  if (option.check_lname(std::string(machine_option)) && !std::ifstream(value)) {
    throw InputError(origin.place, origin.line, "'" + value + "' cannot be read",
                     "expected a machine description (.par)");
  }
}

/// The value of a variable; nothing if it is empty.
std::optional<std::string> variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// Puts the value into the words unless they give the option.
void set_option(CLI::App& app, std::string_view name, const std::string& value,
                const Origin& origin, std::vector<std::string>& words) {
  const Reached reached = reached_by(app, words);
  CLI::Option* const option = site_option(*reached.command, name);
  if (option == nullptr || is_given(*option, words)) {
    return;
  }
  require_taken(*option, value, origin);
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(reached.rest),
               "--" + std::string(name) + "=" + value);
}

/// Whether the words leave anything to be set: whoever asks for help gets it.
bool leaves_settings(CLI::App& app, const std::vector<std::string>& words) {
  const auto asks = [](const std::string& word) { return word == "--help" || word == "-h"; };
  CLI::App& command = *reached_by(app, words).command;
  return std::none_of(words.begin(), words.end(), asks) &&
         std::any_of(site_options.begin(), site_options.end(), [&command](std::string_view name) {
           return site_option(command, name) != nullptr;
         });
}

/// Empty: there is none.
std::string site_file() {
  const std::string usual = "/etc/gridcast.toml";
  std::error_code error;
  return variable("GRIDCAST_SITE").value_or(std::filesystem::exists(usual, error) ? usual : "");
}

}  // namespace

void describe_variables(CLI::App& command) {
  for (const std::string_view name : site_options) {
    if (CLI::Option* const option = site_option(command, name)) {
      option->description(option->get_description() + "; else $" + variable_of(name));
    }
  }
}

std::vector<std::string> with_environment(CLI::App& app, std::vector<std::string> words) {
  if (!leaves_settings(app, words)) {
    return words;
  }
  for (const std::string_view name : site_options) {
    const std::optional<std::string> value = variable(variable_of(name));
    if (value && !value->empty()) {
      set_option(app, name, *value, {variable_of(name)}, words);
    }
  }
  return words;
}

std::vector<std::string> with_site_file(CLI::App& app, std::vector<std::string> words) {
  const std::string file = site_file();
  if (file.empty() || !leaves_settings(app, words)) {
    return words;
  }
  const toml::table settings = parse_toml(toml_text(file, "the options of a site (TOML)"), file,
                                          "expected lines like durability = \"process\"");
  for (const auto& [key, node] : settings) {
    const std::string name(key.str());
    if (std::find(site_options.begin(), site_options.end(), name) == site_options.end()) {
      std::string known;
      for (const std::string_view each : site_options) {
        known += (known.empty() ? "" : ", ") + std::string(each);
      }
      throw InputError(file, line_of(node), "'" + name + "' is no option that a site sets",
                       "expected one of " + known);
    }
    std::string value = word_of(file, name, node);
    if (name == machine_option) {
      value = (std::filesystem::path(file).parent_path() / value).string();
    }
    set_option(app, name, value, {file, line_of(node)}, words);
  }
  return words;
}

}  // namespace gridcast::cli
