#include "gridcast/trace/formula.h"

#include <algorithm>
#include <cmath>

namespace gridcast::trace {
namespace {

using StepKind = FormulaStep::Kind;

double value_of(const FormulaStep& step, const FormulaValues& values) {
  switch (step.kind) {
    case StepKind::block:
      return values.block[step.index];
    case StepKind::coordinate:
      return values.coordinate[step.index];
    case StepKind::grid:
      return values.grid[step.index];
    case StepKind::extent:
      return values.extent[step.index];
    case StepKind::partner:
      return values.partner[step.index];
    default:
      return step.value;
  }
}

double of_one(StepKind kind, double a) {
  return kind == StepKind::negate  ? -a
         : kind == StepKind::ceil  ? std::ceil(a)
         : kind == StepKind::floor ? std::floor(a)
                                   : std::log2(a);
}

double of_two(StepKind kind, double a, double b) {
  switch (kind) {
    case StepKind::add:
      return a + b;
    case StepKind::subtract:
      return a - b;
    case StepKind::multiply:
      return a * b;
    case StepKind::divide:
      if (b == 0.0) {
        throw FormulaError("division by 0");
      }
      return a / b;
    case StepKind::less:
      return a < b ? 1.0 : 0.0;
    case StepKind::less_equal:
      return a <= b ? 1.0 : 0.0;
    case StepKind::greater:
      return a > b ? 1.0 : 0.0;
    case StepKind::greater_equal:
      return a >= b ? 1.0 : 0.0;
    case StepKind::equal:
      return a == b ? 1.0 : 0.0;
    case StepKind::not_equal:
      return a != b ? 1.0 : 0.0;
    case StepKind::minimum:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}

double of_cut(StepKind kind, const FormulaValues& values, double n, double coordinates, double at) {
  constexpr double most = 1e12;
  const auto whole = [](double number) { return number == std::floor(number); };
  if (!(n >= 0.0 && n <= most && coordinates >= 1.0 && coordinates <= most && at >= 0.0 &&
        at < coordinates && whole(n) && whole(coordinates) && whole(at))) {
    throw FormulaError(
        "block and begin take whole numbers: n elements, P processes, one of them from 0 to P - 1");
  }
  const double begin = values.begin(n, coordinates, at);
  return kind == StepKind::begin_of ? begin : values.begin(n, coordinates, at + 1.0) - begin;
}

}  // namespace

double evaluate(std::span<const FormulaStep> formula, const FormulaValues& values) {
  std::vector<double> stack;
  stack.reserve(formula.size());
  const auto pop = [&] {
    const double top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const FormulaStep& step : formula) {
    if (step.kind <= StepKind::partner) {
      stack.push_back(value_of(step, values));
    } else if (step.kind == StepKind::length_of || step.kind == StepKind::begin_of) {
      const double at = pop();
      const double coordinates = pop();
      stack.back() = of_cut(step.kind, values, stack.back(), coordinates, at);
    } else if (step.kind == StepKind::negate || step.kind == StepKind::ceil ||
               step.kind == StepKind::floor || step.kind == StepKind::log2) {
      stack.back() = of_one(step.kind, stack.back());
    } else {
      const double b = pop();
      stack.back() = of_two(step.kind, stack.back(), b);
    }
  }
  if (!std::isfinite(stack.back())) {
    throw FormulaError("the value is not finite");
  }
  return stack.back();
}

}  // namespace gridcast::trace
