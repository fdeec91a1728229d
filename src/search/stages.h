#pragma once
/// Internal: the questions that mode 4 answers one after another over the same boxes of grids
/// (docs/search.md): the best, with --within the fewest processors that are good enough, the
/// fastest, and the fewest processors of each share of the front.

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "gridcast/search/strategy.h"

namespace gridcast::search {

/// A box with what is certain of its grids. Parts of a box are bounded by what bounds the box.
struct BoundedBox {
  machine::GridBox box;
  double time = -std::numeric_limits<double>::infinity();       ///< never above a time, seconds
  double efficiency = std::numeric_limits<double>::infinity();  ///< never below one
  double cost = time;  ///< least of its grids by the goal of a stage, as results are compared
  /// The same two as far as they are proven; a search goes by what is likely.
  double proven_time = time;
  double proven_efficiency = efficiency;
  bool close = false;  ///< AskedBox::close

  /// True if something that is not proven keeps the search from this box.
  [[nodiscard]] bool is_likely_only() const noexcept {
    return proven_time < time || proven_efficiency > efficiency;
  }
  /// The box as far as it is proven.
  [[nodiscard]] BoundedBox proven() const noexcept {
    BoundedBox box = *this;
    box.time = proven_time;
    box.efficiency = proven_efficiency;
    return box;
  }
};

/// True if a box must be looked at.
enum class Verdict : std::uint8_t {
  needed,  ///< a grid of it may change the answer
  useless,
  over,  ///< useless, and so are all that come later
};

/// One question. What it knows of results changes between rounds only.
class Stage {
public:
  explicit Stage(Goal goal) : goal_(std::move(goal)) {}
  virtual ~Stage() = default;
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

  /// Looks at the results so far; to be called when a round begins.
  virtual void look() {}

  /// The order in which boxes are looked at.
  [[nodiscard]] virtual bool comes_later(const BoundedBox& a, const BoundedBox& b) const noexcept;

  /// True if the box is needed now.
  [[nodiscard]] virtual Verdict judge(const BoundedBox& box) const = 0;

  /// True if the box may be needed now or later; once false it stays false. Also before the stage
  /// has begun.
  [[nodiscard]] virtual bool may_need(const BoundedBox& box) const = 0;

  /// Sets the cost of the box by the goal of this stage.
  void price(BoundedBox& box) const noexcept;

  [[nodiscard]] const Goal& goal() const noexcept { return goal_; }

protected:
  /// True if a grid of the box may be efficient enough.
  [[nodiscard]] bool may_be_eligible(const BoundedBox& box) const noexcept;
  [[nodiscard]] double cost_of(const BoundedBox& box) const noexcept;

private:
  Goal goal_;
};

/// True if every grid with that cost in the box comes after `rival` in the order of results.
[[nodiscard]] bool loses(const Goal& goal, double cost, const machine::GridBox& box,
                         const Outcome& rival) noexcept;

/// All questions of a search, in their order. `best` and `steps` collect its results; the first
/// `objective_stages` of them find what the objective asks for.
struct Stages {
  std::vector<std::unique_ptr<Stage>> list;
  std::size_t objective_stages = 0;
  std::size_t first_of_front = 0;  ///< the rest: shares of the front, the largest first
  std::size_t of_share = 1;        ///< questions about each
};
[[nodiscard]] Stages make_stages(const StrategyOptions& options, const Best& best,
                                 const FrontSteps& steps);

}  // namespace gridcast::search
