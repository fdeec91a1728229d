#include "expression.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "gridcast/base/characters.h"
namespace gridcast::trace {
namespace {

bool starts_name(char c) { return is_letter(c) || c == '_'; }

class Parser {
public:
  Parser(std::string_view text, const Names& names) : whole_(text), rest_(text), names_(names) {}

  double value() {
    const double result = sum();
    skip_blanks();
    if (!rest_.empty()) {
      fail("'" + std::string(1, rest_.front()) + "' is not expected here");
    }
    if (!std::isfinite(result)) {
      fail("the value is not finite");
    }
    return result;
  }

private:
  double sum() {
    double result = product();
    while (true) {
      if (take('+')) {
        result += product();
      } else if (take('-')) {
        result -= product();
      } else {
        return result;
      }
    }
  }

  double product() {
    double result = factor();
    while (true) {
      if (take('*')) {
        result *= factor();
      } else if (take('/')) {
        const double divisor = factor();
        if (divisor == 0.0) {
          fail("division by 0");
        }
        result /= divisor;
      } else {
        return result;
      }
    }
  }

  double factor() {
    constexpr int deepest = 100;
    if (++depth_ > deepest) {
      fail("too many parentheses");
    }
    const double result = signed_factor();
    --depth_;
    return result;
  }

  double signed_factor() {
    if (take('-')) {
      return -factor();
    }
    if (take('+')) {
      return factor();
    }
    if (take('(')) {
      const double result = sum();
      if (!take(')')) {
        fail("a ')' is missing");
      }
      return result;
    }
    return number_or_name();
  }

  double number_or_name() {
    skip_blanks();
    if (!rest_.empty() && (is_digit(rest_.front()) || rest_.front() == '.')) {
      double number = 0.0;
      const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (read.ec != std::errc{}) {
        fail("a number cannot be read");
      }
      rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
      return number;
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
    const auto found = names_.find(name);
    if (found == names_.end()) {
      fail("no parameter is called '" + std::string(name) + "'");
    }
    return found->second;
  }

  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size()));
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw ExpressionError("\"" + std::string(whole_) + "\": " + problem);
  }

  std::string_view whole_, rest_;
  const Names& names_;
  int depth_ = 0;
};

}  // namespace

double evaluate(std::string_view text, const Names& names) { return Parser(text, names).value(); }

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
