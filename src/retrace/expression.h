#pragma once
/// Small arithmetic for program descriptions: + - * / and parentheses over numbers and names.

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gridcast::trace {

/// What names stand for.
using Names = std::map<std::string, double, std::less<>>;

/// Says what is wrong with an expression; whoever knows the file and line adds them.
class ExpressionError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The value of an expression. Throws ExpressionError for anything but a finite number.
[[nodiscard]] double evaluate(std::string_view text, const Names& names);

/// Letters, digits and underlines, no digit in front.
[[nodiscard]] bool is_name(std::string_view text);

/// Without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

}  // namespace gridcast::trace
