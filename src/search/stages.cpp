#include "stages.h"

#include <algorithm>
#include <utility>

#include "gridcast/base/comparable.h"

namespace gridcast::search {

using machine::GridBox;

bool loses(const Goal& goal, double cost_of_box, const GridBox& box,
           const Outcome& rival) noexcept {
  const double rival_cost = cost(goal, rival);
  return cost_of_box > rival_cost ||
         (cost_of_box == rival_cost && machine::compare(box.first_grid(), rival.grid) > 0);
}

bool Stage::comes_later(const BoundedBox& a, const BoundedBox& b) const noexcept {
  return a.cost > b.cost ||
         (a.cost == b.cost && machine::compare(a.box.first_grid(), b.box.first_grid()) > 0);
}

/// More processors are on no fewer nodes: the first grid of the box has the cheapest.
double Stage::cost_of(const BoundedBox& box) const noexcept {
  return comparable(goal_.cost(box.box.first_grid(), box.time, box.efficiency));
}

void Stage::price(BoundedBox& box) const noexcept { box.cost = cost_of(box); }

bool Stage::may_be_eligible(const BoundedBox& box) const noexcept {
  return (!goal_.min_efficiency ||
          comparable(box.efficiency) >= comparable(*goal_.min_efficiency)) &&
         (goal_.objective != Objective::efficiency || !box.box.single() ||
          box.box.least_processors() > 1);
}

namespace {

/// The best `keep` by the objective, and the best without the condition on efficiency.
class BestStage final : public Stage {
public:
  BestStage(const Goal& goal, std::size_t keep, const Best& best)
      : Stage(goal), keep_(keep), best_(&best) {}

  [[nodiscard]] Verdict judge(const BoundedBox& box) const override {
    if (loses_to_best(box, box.cost)) {
      return Verdict::over;  // boxes come in the very order in which results are compared
    }
    return may_need(box) ? Verdict::needed : Verdict::useless;
  }

  /// The unconstrained best is no worse than the top: what loses cannot become that either.
  [[nodiscard]] bool may_need(const BoundedBox& box) const override {
    const double cost = cost_of(box);
    const bool one = goal().objective == Objective::efficiency && box.box.single() &&
                     box.box.least_processors() == 1;
    return !one && !loses_to_best(box, cost) &&
           (may_be_eligible(box) || !best_->unconstrained() ||
            !loses(goal(), cost, box.box, *best_->unconstrained()));
  }

private:
  [[nodiscard]] bool loses_to_best(const BoundedBox& box, double cost) const {
    const auto top = best_->top();
    return top.size() >= keep_ && loses(goal(), cost, box.box, top[keep_ - 1]);
  }

  std::size_t keep_;
  const Best* best_;
};

/// What takes fewer processors of the machine comes first.
class FewestStage : public Stage {
public:
  using Stage::Stage;

  [[nodiscard]] bool comes_later(const BoundedBox& a, const BoundedBox& b) const noexcept final {
    const std::int64_t least_a = a.box.least_cores();
    const std::int64_t least_b = b.box.least_cores();
    return least_a > least_b || (least_a == least_b && Stage::comes_later(a, b));
  }
};

/// The first `keep` of those within the limit of the best, by processors.
class WithinStage final : public FewestStage {
public:
  WithinStage(const Goal& goal, const Best& best)
      : FewestStage(goal), best_(&best), choices_(best.choices()) {}

  void look() override {
    begun_ = true;
    choices_ = best_->choices();
  }

  [[nodiscard]] Verdict judge(const BoundedBox& box) const override {
    if (best_->top().empty()) {
      return Verdict::over;
    }
    if (choices_.size() == best_->keep() && box.box.least_cores() > choices_.back().grid.cores()) {
      return Verdict::over;
    }
    return may_need(box) ? Verdict::needed : Verdict::useless;
  }

  [[nodiscard]] bool may_need(const BoundedBox& box) const override {
    if (!may_be_eligible(box) || (begun_ && comes_too_late(box))) {
      return false;
    }
    const auto top = best_->top();
    return top.empty() || cost_of(box) <= goal().highest_cost(cost(goal(), top.front()));
  }

private:
  /// The best is known, so that choices only improve.
  [[nodiscard]] bool comes_too_late(const BoundedBox& box) const {
    if (choices_.size() < best_->keep()) {
      return false;
    }
    const Outcome& last = choices_.back();
    const std::int64_t least = box.box.least_cores();
    return least > last.grid.cores() ||
           (least == last.grid.cores() && loses(goal(), cost_of(box), box.box, last));
  }

  const Best* best_;
  bool begun_ = false;
  std::vector<Outcome> choices_;
};

/// The fastest eligible grid, where the objective is another one.
class FastestStage final : public Stage {
public:
  explicit FastestStage(const Staircase& steps) : Stage(steps.goal()), steps_(&steps) {}

  [[nodiscard]] Verdict judge(const BoundedBox& box) const override {
    const Outcome* const rival = steps_->fastest();
    return rival != nullptr && loses(goal(), box.cost, box.box, *rival) ? Verdict::over
           : may_be_eligible(box)                                       ? Verdict::needed
                                                                        : Verdict::useless;
  }

  [[nodiscard]] bool may_need(const BoundedBox& box) const override {
    const Outcome* const rival = steps_->fastest();
    return may_be_eligible(box) &&
           (rival == nullptr || !loses(goal(), cost_of(box), box.box, *rival));
  }

private:
  const Staircase* steps_;
};

/// A question about a share of the front. What it needs now is for those below to say; what is
/// within the limit may be needed by either.
template <class Order>
class FrontStage : public Order {
public:
  FrontStage(double share, const FrontSteps& steps)
      : Order(steps.by_processors.goal()), share_(share), steps_(&steps) {}

  [[nodiscard]] bool may_need(const BoundedBox& box) const final {
    return this->may_be_eligible(box) && this->cost_of(box) <= steps_->by_processors.limit(share_);
  }

protected:
  [[nodiscard]] const FrontSteps& steps() const noexcept { return *steps_; }

  /// Takes the answer so far of one of the staircases.
  void look_at(const Staircase& staircase) {
    limit_ = steps_->by_processors.limit(share_);
    answer_ = staircase.fewest(share_);
    reached_ = answer_ != nullptr ? staircase.number_of(answer_->grid) : 0;
  }

  /// `least`: the fewest processors, or nodes, of a grid of the box. It is needed if a grid of it
  /// may be on fewer than the answer, or on as many and faster.
  [[nodiscard]] Verdict judge_by(const BoundedBox& box, std::int64_t least) const {
    if (answer_ == nullptr || least > reached_) {
      return Verdict::over;
    }
    return box.cost <= limit_ && this->may_be_eligible(box) &&
                   (least < reached_ || !loses(this->goal(), box.cost, box.box, *answer_))
               ? Verdict::needed
               : Verdict::useless;
  }

private:
  double share_;
  const FrontSteps* steps_;
  double limit_ = 0.0;
  const Outcome* answer_ = nullptr;
  std::int64_t reached_ = 0;
};

/// The fewest processors on which the program is at most a share slower than the fastest. Each box
/// with a bound within the limit is looked at, from the fewest processors on.
class FewestProcessorsStage final : public FrontStage<FewestStage> {
public:
  using FrontStage::FrontStage;

  void look() override { look_at(steps().by_processors); }

  [[nodiscard]] Verdict judge(const BoundedBox& box) const override {
    return judge_by(box, box.box.least_cores());
  }
};

/// The fastest grid on the fewest nodes that hold one which is good enough: of boxes on as few
/// nodes those with the least bounds come first.
class FewestNodesStage final : public FrontStage<Stage> {
public:
  using FrontStage::FrontStage;

  void look() override { look_at(steps().by_nodes); }

  [[nodiscard]] bool comes_later(const BoundedBox& a, const BoundedBox& b) const noexcept override {
    const std::int64_t least_a = nodes(a);
    const std::int64_t least_b = nodes(b);
    return least_a > least_b || (least_a == least_b && Stage::comes_later(a, b));
  }

  [[nodiscard]] Verdict judge(const BoundedBox& box) const override {
    return judge_by(box, nodes(box));
  }

private:
  [[nodiscard]] std::int64_t nodes(const BoundedBox& box) const {
    return steps().by_nodes.number_of(box.box.first_grid());
  }
};

}  // namespace

Stages make_stages(const StrategyOptions& options, const Best& best, const FrontSteps& steps) {
  Stages stages;
  const bool within = options.goal.within.has_value();
  stages.list.push_back(std::make_unique<BestStage>(options.goal, within ? 1 : options.keep, best));
  if (within) {
    stages.list.push_back(std::make_unique<WithinStage>(options.goal, best));
  }
  stages.objective_stages = stages.list.size();
  if (!options.front.empty() && options.goal.objective != Objective::time) {
    stages.list.push_back(std::make_unique<FastestStage>(steps.by_processors));
  }
  stages.first_of_front = stages.list.size();
  stages.of_share = steps.nodes != nullptr ? 2 : 1;
  for (auto share = options.front.rbegin(); share != options.front.rend(); ++share) {
    if (steps.nodes != nullptr) {
      stages.list.push_back(std::make_unique<FewestNodesStage>(*share, steps));
    }
    stages.list.push_back(std::make_unique<FewestProcessorsStage>(*share, steps));
  }
  return stages;
}

}  // namespace gridcast::search
