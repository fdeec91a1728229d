// Values of .par statements and their limits.
#include <limits>

#include "gridcast/base/error.h"
#include "par_description.h"
#include "par_tokens.h"

namespace gridcast::machine::par {
namespace {

// Far beyond any machine; inside them no time of a prediction can overflow or lose its meaning.
constexpr double least_performance = 1e-9;
constexpr double greatest_performance = 1e9;
constexpr double greatest_microseconds = 1e12;
constexpr double greatest_price = 1e12;
constexpr double greatest_bytes = 1e18;

[[noreturn]] void wrong_value(const Statement& statement, const std::string& file,
                              const std::string& found, const std::string& expected) {
  throw InputError(file, statement.value_line, in_quotes(statement.subject()) + " is " + found,
                   "expected " + expected);
}

std::string written(const Value& value) {
  if (const auto* number = std::get_if<Number>(&value)) {
    return in_quotes(number->text);
  }
  if (const auto* word = std::get_if<Word>(&value)) {
    return in_quotes(word->text);
  }
  if (const auto* call = std::get_if<Call>(&value)) {
    return in_quotes(call->word + " (" + call->argument.text + ")");
  }
  if (const auto* reference = std::get_if<Reference>(&value)) {
    return in_quotes(reference->name + "." + reference->attribute);
  }
  return "a list";
}

double number_between(const Statement& statement, const std::string& file, double low, double high,
                      const std::string& expected) {
  const auto* number = std::get_if<Number>(&statement.value);
  if (number == nullptr || !(number->value >= low && number->value <= high)) {
    wrong_value(statement, file, written(statement.value), expected);
  }
  return number->value;
}

}  // namespace

double performance(const Statement& statement, const std::string& file) {
  return number_between(statement, file, least_performance, greatest_performance,
                        "a positive number from 1e-9 to 1e9");
}

double microseconds(const Statement& statement, const std::string& file) {
  return number_between(statement, file, 0.0, greatest_microseconds, "microseconds from 0 to 1e12");
}

double bytes(const Statement& statement, const std::string& file) {
  return number_between(statement, file, 0.0, greatest_bytes, "bytes from 0 to 1e18");
}

double price(const Statement& statement, const std::string& file) {
  return number_between(statement, file, 0.0, greatest_price, "a price per hour from 0 to 1e12");
}

bool yes_or_no(const Statement& statement, const std::string& file) {
  const auto* word = std::get_if<Word>(&statement.value);
  const std::string text = word == nullptr ? "" : lowered(word->text);
  if (text != "yes" && text != "no") {
    wrong_value(statement, file, written(statement.value), "yes or no");
  }
  return text == "yes";
}

Comm comm(const Statement& statement, const std::string& file) {
  const std::string expected =
      "ethernet, transputer, myrinet (number of channels), ports, loggp or the name of another "
      "cluster";
  if (const auto* call = std::get_if<Call>(&statement.value)) {
    if (lowered(call->word) != "myrinet") {
      wrong_value(statement, file, written(statement.value), expected);
    }
    const std::int64_t channels =
        count(call->argument, statement.value_line, "number of channels", file);
    return {NetworkType::myrinet, static_cast<std::int32_t>(channels), {}};
  }
  if (const auto* reference = std::get_if<Reference>(&statement.value)) {
    if (lowered(reference->attribute) != "commtype") {
      wrong_value(statement, file, written(statement.value), expected);
    }
    return {NetworkType::ethernet, 1, reference->name};
  }
  const auto* word = std::get_if<Word>(&statement.value);
  const std::string name = word == nullptr ? "" : lowered(word->text);
  if (name.empty() || name == "myrinet") {
    wrong_value(statement, file, written(statement.value), expected);
  }
  if (name == "ethernet") {
    return {NetworkType::ethernet, 1, {}};
  }
  if (name == "transputer") {
    return {NetworkType::transputer, 1, {}};
  }
  if (name == "ports" || name == "loggp") {
    return {NetworkType::ports, 1, {}};
  }
  return {NetworkType::ethernet, 1, word->text};
}

std::int64_t count(const Number& number, std::size_t line, const std::string& what,
                   const std::string& file) {
  constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max();
  const auto value = integer(number.text);
  if (!value || *value < 1 || *value > limit) {
    throw InputError(file, line, what + " is " + in_quotes(number.text),
                     "expected an integer from 1 to " + std::to_string(limit));
  }
  return *value;
}

int search_mode(const Statement& statement, const std::string& file) {
  constexpr std::int64_t last_mode = 5;
  const auto* number = std::get_if<Number>(&statement.value);
  const auto mode = number == nullptr ? std::nullopt : integer(number->text);
  if (!mode || *mode < 0 || *mode > last_mode) {
    wrong_value(statement, file, written(statement.value), "a search mode from 0 (off) to 5");
  }
  return static_cast<int>(*mode);
}

Grid topology(const Statement& statement, const std::string& file) {
  const std::string expected = "numbers of processors like {2, 2}";
  const auto* list = std::get_if<List>(&statement.value);
  if (list == nullptr) {
    wrong_value(statement, file, written(statement.value), expected);
  }
  std::vector<std::int64_t> extents;
  for (const ListEntry& entry : list->entries) {
    if (!entry.number || !entry.name.empty()) {
      throw InputError(file, entry.line, "topology contains " + in_quotes(entry.name),
                       "expected " + expected);
    }
    extents.push_back(count(*entry.number, entry.line, "extent of the topology", file));
  }
  try {
    return Grid(extents);
  } catch (const InputError& error) {
    throw InputError(file, statement.value_line, "topology: " + error.problem(), error.remedy());
  }
}

std::string comm_text(NetworkType type, std::int32_t channels) {
  switch (type) {
    case NetworkType::ethernet:
      return "ethernet";
    case NetworkType::transputer:
      return "transputer";
    case NetworkType::ports:
      return "ports";
    case NetworkType::myrinet:
      break;
  }
  return "myrinet (" + std::to_string(channels) + ")";
}

}  // namespace gridcast::machine::par
