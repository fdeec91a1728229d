#include "settings.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gridcast/base/error.h"
#include "gridcast/base/toml_limits.h"

namespace gridcast::trace {

std::uint32_t Settings::line() const { return table_->source().begin.line; }

bool Settings::has(std::string_view key) const {
  known_.emplace(key);
  return table_->contains(key);
}

const toml::node& Settings::node(std::string_view key) const {
  if (!has(key)) {
    throw InputError(*file_, line(), "\"" + std::string(key) + "\" is missing",
                     "expected " + std::string(key) + " = …");
  }
  return *table_->get(key);
}

std::uint32_t Settings::line_of(std::string_view key) const {
  const toml::node* value = table_->get(key);
  return value != nullptr ? value->source().begin.line : line();
}

void Settings::fail(std::string_view key, const std::string& problem,
                    const std::string& expected) const {
  throw InputError(*file_, line_of(key), std::string(key) + ": " + problem, expected);
}

bool Settings::is_text(std::string_view key) const { return node(key).is_string(); }

bool Settings::is_list(std::string_view key) const { return node(key).is_array(); }

std::string Settings::text(std::string_view key) const {
  const auto value = node(key).value_exact<std::string>();
  if (!value) {
    fail(key, "not a text", "expected a text in quotes");
  }
  return *value;
}

std::vector<std::string> Settings::texts(std::string_view key) const {
  const toml::node& value = node(key);
  if (value.is_string()) {
    return {text(key)};
  }
  const toml::array* list = value.as_array();
  std::vector<std::string> texts;
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const auto one = list->get(i)->value_exact<std::string>();
    if (!one) {
      fail(key, "element " + std::to_string(i + 1) + " is not a text", "expected a list of texts");
    }
    texts.push_back(*one);
  }
  if (texts.empty()) {
    fail(key, "no texts", "expected a text or a list of texts");
  }
  return texts;
}

bool Settings::flag(std::string_view key, bool otherwise) const {
  if (!has(key)) {
    return otherwise;
  }
  const auto value = node(key).value_exact<bool>();
  if (!value) {
    fail(key, "not a truth value", "expected true or false");
  }
  return *value;
}

std::vector<bool> Settings::flags(std::string_view key) const {
  const toml::array* list = node(key).as_array();
  if (list == nullptr) {
    return {flag(key, false)};
  }
  std::vector<bool> flags;
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto one = list->get(i)->value_exact<bool>();
    if (!one) {
      fail(key, "element " + std::to_string(i + 1) + " is not a truth value",
           "expected a list of true and false");
    }
    flags.push_back(*one);
  }
  return flags;
}

double Settings::evaluated(std::string_view key, std::string_view expression,
                           const Names& names) const {
  try {
    return evaluate(expression, names);
  } catch (const FormulaError& error) {
    fail(key, error.what(), "expected numbers and parameters with + - * / and parentheses");
  }
}

Formula Settings::formula(std::string_view key, const BlockNames& of_block) const {
  if (!is_text(key)) {
    return {{FormulaStep::Kind::number, 0, real(key)}};
  }
  try {
    return read_formula(text(key), *names_, of_block);
  } catch (const FormulaError& error) {
    fail(key, error.what(),
         "expected numbers, parameters, b1, q1, p1, n1 … and functions with + - * / and "
         "comparisons");
  }
}

double Settings::number_in(std::string_view key, const toml::node& node) const {
  if (const auto number = node.value_exact<std::int64_t>()) {
    return static_cast<double>(*number);
  }
  if (const auto number = node.value_exact<double>(); number && std::isfinite(*number)) {
    return *number;
  }
  if (const auto expression = node.value_exact<std::string>()) {
    return evaluated(key, *expression, *names_);
  }
  fail(key, "not a number", "expected a number or an expression in quotes");
}

double Settings::real(std::string_view key) const { return number_in(key, node(key)); }

double Settings::not_negative(std::string_view key) const {
  const double value = real(key);
  if (value < 0.0) {
    fail(key, "negative", "expected a number from 0");
  }
  return value;
}

std::int64_t Settings::whole_of(std::string_view key, double value) const {
  constexpr double largest = 1e12;
  const double nearest = std::round(value);
  if (std::fabs(value - nearest) > 1e-9 * std::max(1.0, std::fabs(value)) ||
      std::fabs(nearest) > largest) {
    fail(key, "the value " + std::to_string(value) + " is not a whole number",
         "expected a whole number up to 1e12");
  }
  return static_cast<std::int64_t>(nearest);
}

std::int64_t Settings::whole_of(std::string_view key, std::string_view expression,
                                const Names& names) const {
  return whole_of(key, evaluated(key, expression, names));
}

std::int64_t Settings::whole(std::string_view key) const { return whole_of(key, real(key)); }

std::int64_t Settings::whole(std::string_view key, std::int64_t otherwise) const {
  return has(key) ? whole(key) : otherwise;
}

std::vector<double> Settings::numbers(std::string_view key) const {
  const toml::array* list = node(key).as_array();
  if (list == nullptr) {
    return {real(key)};
  }
  std::vector<double> numbers;
  for (const toml::node& one : *list) {
    numbers.push_back(number_in(key, one));
  }
  if (numbers.empty()) {
    fail(key, "an empty list", "expected a list of numbers");
  }
  return numbers;
}

std::vector<std::int64_t> Settings::wholes(std::string_view key) const {
  std::vector<std::int64_t> whole;
  for (const double number : numbers(key)) {
    whole.push_back(whole_of(key, number));
  }
  return whole;
}

std::vector<std::vector<double>> Settings::reals(std::string_view key) const {
  const toml::array* list = node(key).as_array();
  std::vector<std::vector<double>> numbers;
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const toml::array* row = list->get(i)->as_array();
    if (row == nullptr || row->empty()) {
      fail(key, "element " + std::to_string(i + 1) + " is not a list of numbers",
           "expected a list of lists");
    }
    numbers.emplace_back();
    for (const toml::node& one : *row) {
      numbers.back().push_back(number_in(key, one));
    }
  }
  if (numbers.empty()) {
    fail(key, "no lists", "expected a list of lists of numbers");
  }
  return numbers;
}

std::optional<Settings> Settings::table(std::string_view key) const {
  if (!has(key)) {
    return std::nullopt;
  }
  const toml::table* found = node(key).as_table();
  if (found == nullptr) {
    fail(key, "not a table", "expected [" + std::string(key) + "]");
  }
  return Settings(*found, *file_, *names_);
}

std::vector<Settings> Settings::tables(std::string_view key) const {
  std::vector<Settings> found;
  if (!has(key)) {
    return found;
  }
  const toml::array* list = node(key).as_array();
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    const toml::table* one = list->get(i)->as_table();
    if (one == nullptr) {
      fail(key, "element " + std::to_string(i + 1) + " is not a table",
           "expected tables [[" + std::string(key) + "]] or { … }");
    }
    found.emplace_back(*one, *file_, *names_);
  }
  if (found.empty()) {
    fail(key, "no tables", "expected tables [[" + std::string(key) + "]] or { … }");
  }
  return found;
}

std::vector<std::pair<std::string, std::optional<Settings>>> Settings::entries(
    std::string_view key) const {
  std::vector<std::pair<std::string, std::optional<Settings>>> found;
  const auto take = [&](const toml::node& one) {
    if (const toml::table* inner = one.as_table()) {
      found.emplace_back("", Settings(*inner, *file_, *names_));
    } else if (const auto word = one.value_exact<std::string>()) {
      found.emplace_back(*word, std::nullopt);
    } else {
      fail(key, "neither a text nor a table", "expected texts in quotes or tables { … }");
    }
  };
  const toml::node& value = node(key);
  if (const toml::array* list = value.as_array()) {
    for (const toml::node& one : *list) {
      take(one);
    }
  } else {
    take(value);
  }
  if (found.empty()) {
    fail(key, "an empty list", "expected texts in quotes or tables { … }");
  }
  return found;
}

std::vector<std::string> Settings::keys() const {
  std::vector<std::string> names;
  for (const auto& [key, value] : *table_) {
    names.emplace_back(key.str());
  }
  const auto place = [&](const std::string& key) {
    const toml::source_position& at = table_->get(key)->source().begin;
    return std::pair(at.line, at.column);
  };
  std::sort(names.begin(), names.end(),
            [&](const std::string& a, const std::string& b) { return place(a) < place(b); });
  return names;
}

void Settings::finish(const std::string& expected) const {
  for (const auto& [key, value] : *table_) {
    if (!known_.contains(key.str())) {
      throw InputError(*file_, key.source().begin.line,
                       "\"" + std::string(key.str()) + "\" is not known here",
                       "expected " + expected);
    }
  }
}

toml::table parse_description(std::string_view text, const std::string& file) {
  require_shallow_toml(text, file);
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    const std::string problem(error.description());
    // What the parser takes for a number or for true where a name stands without quotes.
    const bool bare = std::ranges::any_of(
        std::array{"'nan'", "'inf'", "'true'", "'false'", "value type", "begin with underscores"},
        [&](const char* part) { return problem.find(part) != std::string::npos; });
    if (bare) {
      throw InputError(file, error.source().begin.line, "a value is no number and no text",
                       "expected parameters and expressions in quotes, as extents = "
                       "[\"nx\", \"ny + 2\"]");
    }
    throw InputError(file, error.source().begin.line, problem,
                     "expected a program description in TOML (docs/programs.md)");
  }
}

}  // namespace gridcast::trace
