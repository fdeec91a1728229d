#include "design_values.h"

#include <algorithm>

namespace gridcast::sweep {

void DesignValues::refuse(std::size_t line, const std::string& problem,
                          const std::string& remedy) const {
  throw InputError(file_, line, problem, remedy);
}

void DesignValues::only(const toml::table& table, Keys keys, const std::string& what) const {
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

const toml::table& DesignValues::table(const toml::node& node, const std::string& what) const {
  if (const toml::table* result = node.as_table()) {
    return *result;
  }
  refuse(line_of(node), what + " is not a table", "expected " + what + " = {...}");
}

const toml::array& DesignValues::array(const toml::node& node, const std::string& what) const {
  const toml::array* result = node.as_array();
  if (result == nullptr || result->empty()) {
    refuse(line_of(node), what + " is not a list with elements", "expected " + what + " = [...]");
  }
  return *result;
}

std::string DesignValues::text(const toml::node& node, const std::string& what) const {
  if (const auto value = node.value_exact<std::string>()) {
    return *value;
  }
  refuse(line_of(node), what + " is not a text", "expected a text in quotes");
}

bool DesignValues::boolean(const toml::node& node, const std::string& what) const {
  if (const auto value = node.value_exact<bool>()) {
    return *value;
  }
  refuse(line_of(node), what + " is neither true nor false", "expected true or false");
}

double DesignValues::number(const toml::node& node, const std::string& what) const {
  if (const auto value = node.value_exact<double>()) {
    return *value;
  }
  if (const auto value = node.value_exact<std::int64_t>()) {
    return static_cast<double>(*value);
  }
  refuse(line_of(node), what + " is not a number", "expected a number");
}

std::int64_t DesignValues::whole(const toml::node& node, const std::string& what,
                                 std::int64_t least) const {
  const auto value = node.value_exact<std::int64_t>();
  if (!value || *value < least) {
    refuse(line_of(node), what + " is not usable",
           "expected a whole number of at least " + std::to_string(least));
  }
  return *value;
}

std::vector<double> DesignValues::numbers(const toml::node& node, const std::string& what) const {
  std::vector<double> result;
  for (const toml::node& element : array(node, what)) {
    result.push_back(number(element, what));
  }
  return result;
}

std::filesystem::path DesignValues::path(const toml::node& node, const std::string& what) const {
  return (folder_ / text(node, what)).lexically_normal();
}

const toml::node& DesignValues::required(const toml::table& table, std::string_view key,
                                         const std::string& example) const {
  if (const toml::node* node = table.get(key)) {
    return *node;
  }
  refuse(line_of(table), "there is no '" + std::string(key) + "'", "expected " + example);
}

}  // namespace gridcast::sweep
