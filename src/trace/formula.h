#pragma once
/// Expressions over the block of a process (docs/programs.md, "Statements over blocks"), as steps
/// of a machine with a stack: they are read once and evaluated for each process.

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

namespace gridcast::trace {

/// One step: puts a value on the stack, or replaces those on top of it.
struct FormulaStep {
  /// Where its value comes from.
  enum class Kind : std::uint32_t {
    number,      ///< `value`
    block,       ///< extent of the own block along dimension `index` (from 0) of the domain
    coordinate,  ///< of the process, along dimension `index` of the grid
    grid,        ///< processes along dimension `index` of the grid
    extent,      ///< of the domain along its dimension `index`
    partner,     ///< coordinate of the process that is sent to, along dimension `index` of the grid
    negate,
    add,
    subtract,
    multiply,
    divide,
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    minimum,
    maximum,
    ceil,
    floor,
    log2,
    length_of,  ///< block(n, P, q)
    begin_of,   ///< begin(n, P, q)
  };
  Kind kind = Kind::number;
  std::uint32_t index = 0;
  double value = 0.0;
  auto operator<=>(const FormulaStep&) const = default;
};

using Formula = std::vector<FormulaStep>;

/// Says what is wrong with an expression; whoever knows the file and line adds them.
class FormulaError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Dimensions of domains and grids that formulas may name.
inline constexpr std::size_t most_formula_dimensions = 16;

/// What the names of a formula stand for.
struct FormulaValues {
  using Values = std::array<double, most_formula_dimensions>;
  Values block{}, coordinate{}, grid{}, extent{}, partner{};
  /// The first of n elements that coordinate q of P has.
  std::function<double(double n, double P, double q)> begin;
};

/// The value. Throws FormulaError for a division by 0 and anything but a finite number.
[[nodiscard]] double evaluate(std::span<const FormulaStep> formula, const FormulaValues& values);

}  // namespace gridcast::trace
