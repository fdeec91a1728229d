#include "gridcast/base/toml_values.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "gridcast/base/toml_limits.h"

namespace gridcast {

toml::table parse_toml(std::string_view text, const std::string& name, const std::string& remedy) {
  require_shallow_toml(text, name);
  try {
    return toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    throw InputError(name, error.source().begin.line,
                     "is not valid TOML: " + std::string(error.description()), remedy);
  }
}

std::string toml_text(const std::filesystem::path& path, const std::string& expected) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  const bool empty = stream.peek() == std::ifstream::traits_type::eof();
  if (std::filesystem::is_directory(path) || !stream || (!empty && !(text << stream.rdbuf()))) {
    throw InputError(path.string(), 0, "cannot be read", "expected " + expected);
  }
  return std::move(text).str();
}

void TomlValues::refuse(std::size_t line, const std::string& problem,
                        const std::string& remedy) const {
  throw InputError(file_, line, problem, remedy);
}

void TomlValues::only(const toml::table& table, Keys keys, const std::string& what) const {
  std::string known;
  for (const std::string_view key : keys) {
    known += (known.empty() ? "" : ", ") + std::string(key);
  }
  for (const auto& [key, value] : table) {
    if (std::ranges::find(keys, key.str()) == keys.end()) {
      refuse(key.source().begin.line, "unknown key '" + std::string(key.str()) + "' in " + what,
             "expected " + known);
    }
  }
}

const toml::table& TomlValues::table(const toml::node& node, const std::string& what) const {
  if (const toml::table* result = node.as_table()) {
    return *result;
  }
  refuse(line_of(node), what + " is not a table", "expected " + what + " = {...}");
}

const toml::array& TomlValues::array(const toml::node& node, const std::string& what) const {
  const toml::array* result = node.as_array();
  if (result == nullptr || result->empty()) {
    refuse(line_of(node), what + " is not a list with elements", "expected " + what + " = [...]");
  }
  return *result;
}

std::string TomlValues::text(const toml::node& node, const std::string& what) const {
  if (const auto value = node.value_exact<std::string>()) {
    return *value;
  }
  refuse(line_of(node), what + " is not a text", "expected a text in quotes");
}

bool TomlValues::boolean(const toml::node& node, const std::string& what) const {
  if (const auto value = node.value_exact<bool>()) {
    return *value;
  }
  refuse(line_of(node), what + " is neither true nor false", "expected true or false");
}

double TomlValues::number(const toml::node& node, const std::string& what) const {
  if (const auto value = node.value_exact<double>()) {
    return *value;
  }
  if (const auto value = node.value_exact<std::int64_t>()) {
    return static_cast<double>(*value);
  }
  refuse(line_of(node), what + " is not a number", "expected a number");
}

std::int64_t TomlValues::whole(const toml::node& node, const std::string& what,
                               std::int64_t least) const {
  const auto value = node.value_exact<std::int64_t>();
  if (!value || *value < least) {
    refuse(line_of(node), what + " is not usable",
           "expected a whole number of at least " + std::to_string(least));
  }
  return *value;
}

std::vector<double> TomlValues::numbers(const toml::node& node, const std::string& what) const {
  std::vector<double> result;
  for (const toml::node& element : array(node, what)) {
    result.push_back(number(element, what));
  }
  return result;
}

std::filesystem::path TomlValues::path(const toml::node& node, const std::string& what) const {
  return (folder_ / text(node, what)).lexically_normal();
}

const toml::node& TomlValues::required(const toml::table& table, std::string_view key,
                                       const std::string& example) const {
  if (const toml::node* node = table.get(key)) {
    return *node;
  }
  refuse(line_of(table), "there is no '" + std::string(key) + "'", "expected " + example);
}

}  // namespace gridcast
