#pragma once
/// What the search looks for and the best that it has found (docs/model.md §7, [Forecasting §2.3]).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "gridcast/machine/grid.h"
#include "gridcast/machine/nodes.h"

namespace gridcast::search {

/// The result of evaluating one grid: a plain value that can travel in an MPI message.
struct Outcome {
  machine::Grid grid;
  bool failed = false;          ///< no prediction: the numbers below mean nothing
  double execution_time = 0.0;  ///< seconds, of the whole program
  double efficiency = 0.0;      ///< of the whole program, 0 ... 1
  std::int32_t placement = 0;   ///< machine::code_of() it; does not count in comparisons
};

/// What makes one grid better than another.
enum class Objective : std::uint8_t {
  time,        ///< least execution time
  efficiency,  ///< highest efficiency, one processor left out (it always wins: [Predictor2010 §5])
  node_hours,  ///< least execution time times what the nodes in use cost per hour
};

/// "time", "efficiency", "node-hours".
[[nodiscard]] const char* name(Objective objective) noexcept;

/// Objective and conditions of a search.
struct Goal {
  Objective objective = Objective::time;
  std::optional<double> min_efficiency;  ///< only grids that reach it count; 0 ... 1
  /// Of all grids that are at most so much worse than the best (0.05: by 5 %), the one with the
  /// fewest processors is chosen.
  std::optional<double> within{};
  /// Needed for node_hours; knows the threads of the grids.
  std::shared_ptr<const machine::NodeList> nodes{};

  /// The number that the objective makes small: execution time (seconds), minus the efficiency, or
  /// seconds times the price of the nodes per hour. Rises with the time and falls with the
  /// efficiency, also after rounding.
  [[nodiscard]] double cost(const machine::Grid& grid, double execution_time,
                            double efficiency) const noexcept;

  /// The highest cost that counts as within the limit of a best one, as costs are compared.
  [[nodiscard]] double highest_cost(double best_cost) const noexcept;
};

/// The cost of an outcome, rounded to the digits that are compared (docs/model.md §7).
[[nodiscard]] double cost(const Goal& goal, const Outcome& outcome) noexcept;

/// True if the outcome counts if there is no condition: not failed, its numbers are finite, and not
/// one processor if efficiency is the objective.
[[nodiscard]] bool is_comparable(const Goal& goal, const Outcome& outcome) noexcept;

/// True if the outcome counts: comparable, and efficient enough.
[[nodiscard]] bool is_eligible(const Goal& goal, const Outcome& outcome) noexcept;

/// True if `a` beats `b`: by cost, then fewer processors of the machine, then fewer threads, then
/// the lexicographically smaller grid. A total order of different grids, so the best does not
/// depend on the order of results.
[[nodiscard]] bool is_better(const Goal& goal, const Outcome& a, const Outcome& b) noexcept;

/// Collects outcomes in any order and keeps the best `keep` of them, and the best without the
/// condition on efficiency. A grid that is added again changes nothing.
class Best {
public:
  /// Throws InputError if `keep` is 0 or a condition of the goal is out of its range.
  explicit Best(const Goal& goal, std::size_t keep = 1);

  void add(const Outcome& outcome);

  /// The chosen outcome, if any: the best eligible one, or with Goal::within the one with the
  /// fewest processors of those that are hardly worse.
  [[nodiscard]] std::optional<Outcome> best() const;

  /// The first `keep` in the order of choice: the chosen one, what would be chosen without it, ...
  [[nodiscard]] std::vector<Outcome> choices() const;

  /// The best if efficiency were not limited.
  [[nodiscard]] const std::optional<Outcome>& unconstrained() const noexcept {
    return unconstrained_;
  }

  /// The best eligible outcomes by the objective alone, best first; fewer than `keep` if there are
  /// no more.
  [[nodiscard]] std::span<const Outcome> top() const noexcept { return top_; }

  [[nodiscard]] std::size_t keep() const noexcept { return keep_; }
  [[nodiscard]] const Goal& goal() const noexcept { return *goal_; }

private:
  /// Fewer processors first, then as is_better().
  struct FewerProcessors {
    const Goal* goal;
    bool operator()(const Outcome& a, const Outcome& b) const noexcept;
  };

  void add_near(const Outcome& outcome);

  std::shared_ptr<const Goal> goal_;  ///< where the order of near_ finds it
  std::size_t keep_;
  std::vector<Outcome> top_;
  std::set<Outcome, FewerProcessors> near_;  ///< within the limit when they came
  std::size_t near_after_cleaning_ = 0;
  std::optional<Outcome> unconstrained_;
};

}  // namespace gridcast::search
