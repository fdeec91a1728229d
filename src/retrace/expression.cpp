#include "expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "gridcast/base/characters.h"

namespace gridcast::trace {
namespace {

using StepKind = FormulaStep::Kind;

bool starts_name(char c) { return is_letter(c) || c == '_'; }

struct Function {
  std::string_view name;
  StepKind kind;
  std::size_t arguments;  // 0: one or more
};
constexpr std::array functions{
    Function{"min", StepKind::minimum, 0},   Function{"max", StepKind::maximum, 0},
    Function{"ceil", StepKind::ceil, 1},     Function{"floor", StepKind::floor, 1},
    Function{"log2", StepKind::log2, 1},     Function{"block", StepKind::length_of, 3},
    Function{"begin", StepKind::begin_of, 3}};

struct Variable {
  char letter;
  StepKind kind;
};
constexpr std::array variables{Variable{'b', StepKind::block}, Variable{'n', StepKind::extent},
                               Variable{'q', StepKind::coordinate}, Variable{'p', StepKind::grid},
                               Variable{'t', StepKind::partner}};

/// The dimension, from 1, that a name like b2 is about; 0: none.
std::size_t dimension_of(std::string_view name) {
  std::size_t number = 0;
  const char* const last = name.data() + name.size();
  const auto read = std::from_chars(name.data() + 1, last, number);
  const bool plain =
      name.size() > 1 && name[1] != '0' && read.ec == std::errc{} && read.ptr == last;
  return plain && number <= most_formula_dimensions ? number : 0;
}

/// Writes the steps of an expression.
class Parser {
public:
  Parser(std::string_view text, const Names& names, const BlockNames& of_block)
      : whole_(text), rest_(text), names_(names), of_block_(of_block) {}

  Formula formula() {
    comparison();
    skip_blanks();
    if (!rest_.empty()) {
      fail("'" + std::string(1, rest_.front()) + "' is not expected here");
    }
    return std::move(steps_);
  }

private:
  void comparison() {
    sum();
    while (true) {
      const StepKind kind = take("<=")   ? StepKind::less_equal
                            : take(">=") ? StepKind::greater_equal
                            : take("==") ? StepKind::equal
                            : take("!=") ? StepKind::not_equal
                            : take("<")  ? StepKind::less
                            : take(">")  ? StepKind::greater
                                         : StepKind::number;
      if (kind == StepKind::number) {
        return;
      }
      sum();
      add(kind);
    }
  }

  void sum() {
    product();
    while (true) {
      if (take("+")) {
        product();
        add(StepKind::add);
      } else if (take("-")) {
        product();
        add(StepKind::subtract);
      } else {
        return;
      }
    }
  }

  void product() {
    factor();
    while (true) {
      if (take("*")) {
        factor();
        add(StepKind::multiply);
      } else if (take("/")) {
        factor();
        add(StepKind::divide);
      } else {
        return;
      }
    }
  }

  void factor() {
    constexpr int deepest = 100;
    if (++depth_ > deepest) {
      fail("too many parentheses");
    }
    signed_factor();
    --depth_;
  }

  void signed_factor() {
    if (take("-")) {
      factor();
      add(StepKind::negate);
    } else if (take("+")) {
      factor();
    } else if (take("(")) {
      comparison();
      close();
    } else {
      number_or_name();
    }
  }

  void number_or_name() {
    skip_blanks();
    if (!rest_.empty() && (is_digit(rest_.front()) || rest_.front() == '.')) {
      double number = 0.0;
      const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (read.ec != std::errc{}) {
        fail("a number cannot be read");
      }
      rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
      steps_.push_back({StepKind::number, 0, number});
      return;
    }
    std::size_t size = 0;
    while (size < rest_.size() &&
           (size == 0 ? starts_name(rest_[size]) : is_in_name(rest_[size]))) {
      ++size;
    }
    if (size == 0) {
      fail("a number or name is missing");
    }
    const std::string_view name = rest_.substr(0, size);
    rest_.remove_prefix(size);
    if (take("(")) {
      call(name);
    } else {
      value_of(name);
    }
  }

  void call(std::string_view name) {
    const auto found = std::ranges::find(functions, name, &Function::name);
    if (found == functions.end()) {
      fail("no function is called '" + std::string(name) + "'");
    }
    std::size_t arguments = 0;
    do {
      comparison();
      if (++arguments > 1 && found->arguments == 0) {
        add(found->kind);
      }
    } while (take(","));
    close();
    if (found->arguments != 0 && arguments != found->arguments) {
      fail(std::string(name) + " takes " + std::to_string(found->arguments) +
           (found->arguments == 1 ? " number" : " numbers"));
    }
    if (found->arguments == 3 && of_block_.domain == 0) {
      fail(std::string(name) + " is about a domain, and the statement names none with over");
    }
    if (found->arguments != 0) {
      add(found->kind);
    }
  }

  void value_of(std::string_view name) {
    if (const auto found = names_.find(name); found != names_.end()) {
      steps_.push_back({StepKind::number, 0, found->second});
      return;
    }
    const auto variable = std::ranges::find(variables, name.front(), &Variable::letter);
    const std::size_t dimension = variable == variables.end() ? 0 : dimension_of(name);
    if (dimension == 0 || dimension > dimensions_of(variable->kind)) {
      fail("no parameter is called '" + std::string(name) + "'");
    }
    steps_.push_back({variable->kind, static_cast<std::uint32_t>(dimension - 1), 0.0});
  }

  [[nodiscard]] std::size_t dimensions_of(StepKind kind) const {
    switch (kind) {
      case StepKind::block:
      case StepKind::extent:
        return of_block_.domain;
      case StepKind::grid:
        return of_block_.grid;
      case StepKind::coordinate:
        return of_block_.domain > 0 ? of_block_.grid : 0;
      default:
        return of_block_.partner ? of_block_.grid : 0;
    }
  }

  void add(StepKind kind) { steps_.push_back({kind, 0, 0.0}); }

  void close() {
    if (!take(")")) {
      fail("a ')' is missing");
    }
  }

  bool take(std::string_view symbol) {
    skip_blanks();
    if (!rest_.starts_with(symbol)) {
      return false;
    }
    rest_.remove_prefix(symbol.size());
    return true;
  }

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw FormulaError("\"" + std::string(whole_) + "\": " + problem);
  }

  std::string_view whole_, rest_;
  const Names& names_;
  BlockNames of_block_;
  Formula steps_;
  int depth_ = 0;
};

}  // namespace

bool BlockNames::reserves(std::string_view name) {
  const bool variable =
      std::ranges::find(variables, name.front(), &Variable::letter) != variables.end() &&
      dimension_of(name) > 0;
  return variable || std::ranges::find(functions, name, &Function::name) != functions.end();
}

Formula read_formula(std::string_view text, const Names& names, const BlockNames& of_block) {
  return Parser(text, names, of_block).formula();
}

double evaluate(std::string_view text, const Names& names) {
  const Formula formula = read_formula(text, names);
  try {
    return evaluate(formula, FormulaValues{});
  } catch (const FormulaError& error) {
    throw FormulaError("\"" + std::string(text) + "\": " + error.what());
  }
}

bool is_name(std::string_view text) {
  return !text.empty() && starts_name(text.front()) && std::ranges::all_of(text, is_in_name);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace gridcast::trace
