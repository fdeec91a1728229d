#pragma once
/// What the search looks for and the best that it has found (docs/model.md §7, [Forecasting §2.3]).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gridcast/machine/grid.h"

namespace gridcast::search {

/// The result of evaluating one grid: a plain value that can travel in an MPI message.
struct Outcome {
  machine::Grid grid;
  bool failed = false;          ///< no prediction: the numbers below mean nothing
  double execution_time = 0.0;  ///< seconds, of the whole program
  double efficiency = 0.0;      ///< of the whole program, 0 ... 1
};

/// What makes one grid better than another.
enum class Objective : std::uint8_t {
  time,        ///< least execution time
  efficiency,  ///< highest efficiency, one processor left out (it always wins: [Predictor2010 §5])
};

/// Objective and condition of a search.
struct Goal {
  Objective objective = Objective::time;
  std::optional<double> min_efficiency;  ///< only grids that reach it count; 0 ... 1
};

/// The number that the objective makes small: execution time, or minus the efficiency, rounded to
/// the digits that are compared (docs/model.md §7).
[[nodiscard]] double cost(Objective objective, const Outcome& outcome) noexcept;

/// Whether the outcome counts if there is no condition: not failed, its numbers are finite, and not
/// one processor if efficiency is the objective.
[[nodiscard]] bool is_comparable(Objective objective, const Outcome& outcome) noexcept;

/// Whether the outcome counts: comparable, and efficient enough.
[[nodiscard]] bool is_eligible(const Goal& goal, const Outcome& outcome) noexcept;

/// Whether `a` beats `b`: by cost, then fewer processors, then the lexicographically smaller grid.
/// A total order of different grids, so the best does not depend on the order of results.
[[nodiscard]] bool is_better(Objective objective, const Outcome& a, const Outcome& b) noexcept;

/// Collects outcomes in any order and keeps the best `keep` of them, and the best without the
/// condition on efficiency. A grid that is added again changes nothing.
class Best {
public:
  /// Throws InputError if `keep` is 0 or the condition is not within 0 ... 1.
  explicit Best(const Goal& goal, std::size_t keep = 1);

  void add(const Outcome& outcome);

  /// The best eligible outcome, if any.
  [[nodiscard]] std::optional<Outcome> best() const;

  /// The best if efficiency were not limited.
  [[nodiscard]] const std::optional<Outcome>& unconstrained() const noexcept {
    return unconstrained_;
  }

  /// The best eligible outcomes, best first; fewer than `keep` if there are no more.
  [[nodiscard]] std::span<const Outcome> top() const noexcept { return top_; }

  [[nodiscard]] std::size_t keep() const noexcept { return keep_; }
  [[nodiscard]] const Goal& goal() const noexcept { return goal_; }

private:
  Goal goal_;
  std::size_t keep_;
  std::vector<Outcome> top_;
  std::optional<Outcome> unconstrained_;
};

}  // namespace gridcast::search
