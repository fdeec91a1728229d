#pragma once
/// Search strategies: which grids are evaluated, in which order, and what was best. A strategy
/// hands out grids that may be evaluated now and takes their results in any order; neither its
/// result nor the set of grids that it hands out depends on that order or on how many are asked for
/// at a time (docs/model.md §7; docs/search.md explains each mode).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "gridcast/machine/grid.h"
#include "gridcast/machine/grid_box.h"
#include "gridcast/search/best.h"
#include "gridcast/search/candidates.h"
#include "gridcast/search/front.h"

namespace gridcast::search {

/// Modes of the search with their numbers (`search = n` of a .par file, --mode n).
enum class Mode : std::uint8_t {
  none = 0,        ///< only the given grid
  heuristic = 1,   ///< few grids, no guarantee
  not_bad = 2,     ///< every candidate that leaves no processor empty
  all = 3,         ///< every candidate
  exact = 4,       ///< branch and bound: the result of `all` with few evaluations
  comparison = 5,  ///< `heuristic`, then `not_bad`, and how they compare
};

/// The mode with this number. Throws InputError if there is none.
[[nodiscard]] Mode mode_from_number(int number);

/// Variants of mode 1 (--heuristic).
enum class Heuristic : std::uint8_t {
  classic,  ///< as the historical predictor (docs/model.md §7)
  descent,  ///< powers of two, then local descents from the best of them (docs/search.md)
};

/// What is certain of all grids of a box that are candidates, also after rounding; and what is
/// likely, where a search goes by that (docs/search.md, "Free processes").
struct BoxBounds {
  double time = 0.0;          ///< never above a predicted execution time, seconds
  double efficiency = 0.0;    ///< never below a predicted efficiency; infinite: nothing is known
  double likely_time = time;  ///< no time is expected below this; at least `time`
  double likely_efficiency = efficiency;  ///< none is expected above this
};

/// What mode 4 has proved so far, and what it has not.
struct Proof {
  std::uint64_t evaluated = 0;  ///< candidates with a result, failed ones included
  std::uint64_t excluded = 0;   ///< candidates that the bounds show to be worse
  std::uint64_t left = 0;       ///< candidates that are likely to be worse, which is not proven
  std::uint64_t open = 0;       ///< candidates that are none of these
  std::uint64_t boxes = 0;      ///< boxes that were bounded
  /// No open candidate, and none that was left, has a time below this, or an efficiency above it
  /// (by the objective); nothing if there is none.
  std::optional<double> least;
  /// How much better than the best one found one of these may be, in parts of the best one; 0 if
  /// none is, nothing if none was found yet.
  std::optional<double> gap;
};

/// Candidates of mode 4 that have no result and are not excluded: open ones, and those left.
struct OpenBox {
  machine::GridBox box;  ///< some of its grids may have results, or be no candidates
  /// None has a time, or a cost, below this, or an efficiency above it (by the objective); not a
  /// number: nothing is known.
  double bound = 0.0;
  bool operator==(const OpenBox&) const = default;
};

/// A box whose bounds are asked for.
struct AskedBox {
  machine::GridBox box;
  /// A single grid that is about to be evaluated: its closest bounds, which may take long.
  bool close = false;
};

/// Choices of a search that do not belong to the space.
struct StrategyOptions {
  Heuristic heuristic = Heuristic::descent;
  Goal goal;
  std::size_t keep = 1;         ///< how many of the best grids are wanted (--best)
  std::vector<double> front{};  ///< shares of the front (--front), ascending
  /// Whose numbers the front is about, beside processors, for all threads; empty: nobody's.
  std::shared_ptr<const machine::NodeList> nodes{};
  bool close = false;  ///< mode 4: closer bounds of a grid take less time than its evaluation
};

/// What mode 5 finds out.
struct Comparison {
  std::optional<Outcome> heuristic_best;
  std::optional<Outcome> not_bad_best;
  std::uint64_t heuristic_evaluated = 0;
  std::uint64_t not_bad_evaluated = 0;  ///< counts grids whose result the heuristic had already
};

/// A running search.
class Strategy {
public:
  virtual ~Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  /// Up to `max` grids that may be evaluated now, each handed out once. Empty: either finished(),
  /// or results that are still out decide what comes next.
  [[nodiscard]] std::vector<machine::Grid> next(std::size_t max);

  /// Takes the result of a grid from next(), in any order, exactly once each.
  void report(const Outcome& outcome);

  /// Mode 4: up to `max` boxes whose bounds are asked for, each handed out once, none if results
  /// decide. The candidates of a box are its grids of at most SearchSpace::max_processors of the
  /// space of its threads.
  [[nodiscard]] virtual std::vector<AskedBox> next_boxes(std::size_t /*max*/) { return {}; }

  /// Takes the bounds of a box from next_boxes(), in any order, exactly once each.
  virtual void report(const machine::GridBox& /*box*/, const BoxBounds& /*bounds*/) {}

  /// Everything was handed out and reported.
  [[nodiscard]] virtual bool finished() const = 0;

  [[nodiscard]] std::uint64_t candidates() const noexcept { return plan_.candidates; }
  [[nodiscard]] std::uint64_t not_bad() const noexcept { return plan_.not_bad; }
  [[nodiscard]] std::uint64_t handed_out() const noexcept { return handed_out_; }
  [[nodiscard]] std::uint64_t evaluated() const noexcept { return evaluated_; }  ///< reported

  /// The best of what was reported so far.
  [[nodiscard]] const Best& best() const noexcept { return best_; }

  /// The steps of the front among what was reported so far.
  [[nodiscard]] const FrontSteps& steps() const noexcept { return steps_; }

  /// What is certain of each share of the front; proven in mode 4 by bounds, in modes 2, 3 and 5
  /// when finished, over their candidates.
  [[nodiscard]] virtual std::vector<FrontState> front_states() const;

  /// Mode 5 when finished; nothing otherwise.
  [[nodiscard]] virtual std::optional<Comparison> comparison() const { return std::nullopt; }

  /// Mode 4 at any time; nothing otherwise.
  [[nodiscard]] virtual std::optional<Proof> proof() const { return std::nullopt; }

  /// Mode 4: what is open or was left, without overlaps; nothing otherwise.
  [[nodiscard]] virtual std::vector<OpenBox> open_boxes() const { return {}; }

protected:
  Strategy(std::span<const SearchSpace> spaces, const StrategyOptions& options);

private:
  [[nodiscard]] virtual std::vector<machine::Grid> choose(std::size_t max) = 0;
  virtual void take(const Outcome& outcome) = 0;
  /// True if every candidate of the mode is evaluated when it is finished.
  [[nodiscard]] virtual bool evaluates_all() const { return false; }

  Plan plan_;
  Best best_;
  FrontSteps steps_;
  std::size_t shares_;  ///< of the front
  std::uint64_t handed_out_ = 0;
  std::uint64_t evaluated_ = 0;
};

/// The strategy of a mode over spaces of different numbers of threads. Throws InputError if a space
/// is invalid or the given grid (modes 0, 1, 5) takes more processors than there are.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(Mode mode,
                                                      std::span<const SearchSpace> spaces,
                                                      const StrategyOptions& options);
[[nodiscard]] inline std::unique_ptr<Strategy> make_strategy(Mode mode, const SearchSpace& space,
                                                             const StrategyOptions& options) {
  return make_strategy(mode, std::span(&space, 1), options);
}

}  // namespace gridcast::search
