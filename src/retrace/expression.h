#pragma once
/// Small arithmetic for program descriptions: + - * /, comparisons, functions and parentheses over
/// numbers and names.

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "gridcast/trace/formula.h"

namespace gridcast::trace {

/// What names stand for.
using Names = std::map<std::string, double, std::less<>>;

/// Names in an expression whose values the grid and the process decide.
struct BlockNames {
  std::size_t domain = 0;  ///< b1, n1, … up to the dimensions of the domain; 0: there is none
  std::size_t grid = 0;    ///< p1, q1, … up to those of the grid; q only with a domain
  bool partner = false;    ///< t1, … as well

  /// Whether one of them, or a function, is called so in some program.
  [[nodiscard]] static bool reserves(std::string_view name);
};

/// Reads an expression: `names` are replaced by their values. Throws FormulaError.
[[nodiscard]] Formula read_formula(std::string_view text, const Names& names,
                                   const BlockNames& of_block = {});

/// The value of an expression. Throws FormulaError for anything but a finite number.
[[nodiscard]] double evaluate(std::string_view text, const Names& names);

/// Letters, digits and underlines, no digit in front.
[[nodiscard]] bool is_name(std::string_view text);

/// Without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

}  // namespace gridcast::trace
