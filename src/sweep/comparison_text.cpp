#include "comparison_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "gridcast/base/readable.h"

namespace gridcast::sweep {
namespace {

std::string described(const std::optional<search::Outcome>& best, std::uint64_t evaluated) {
  if (!best) {
    return fmt::format("no grid ({} evaluated)", evaluated);
  }
  return fmt::format("{} with {}, efficiency {:.4f} ({} evaluated)", best->grid.text(),
                     seconds_text(best->execution_time), best->efficiency, evaluated);
}

}  // namespace

std::string comparison_text(const search::Comparison& comparison, const search::Goal& goal) {
  std::string text =
      "heuristic: " + described(comparison.heuristic_best, comparison.heuristic_evaluated) +
      "; all that leave no processor empty: " +
      described(comparison.not_bad_best, comparison.not_bad_evaluated);
  if (comparison.heuristic_best && comparison.not_bad_best) {
    const double found = search::cost(goal, *comparison.heuristic_best);
    const double best = search::cost(goal, *comparison.not_bad_best);
    const double regret = best == 0.0 ? 0.0 : (found - best) / std::abs(best);
    text += fmt::format("; the heuristic is {:.3f} % from the best", 100.0 * regret);
  }
  return text;
}

}  // namespace gridcast::sweep
