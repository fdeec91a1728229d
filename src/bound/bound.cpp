/// Walks the operations like a prediction does, with lower bounds of a few clocks (docs/search.md,
/// "Lower bound").

#include "gridcast/bound/bound.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "bound_efficiency.h"
#include "bound_empty.h"
#include "bound_facts.h"
#include "bound_figures.h"
#include "bound_machine.h"
#include "bound_stretch.h"

namespace gridcast::model {
namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

}  // namespace

class LowerBound::Walk {
public:
  Walk(const Script& script, const machine::Cluster& cluster, const ModelOptions& options,
       Effort effort)
      : script_(&script),
        machine_(cluster),
        figures_(runs_on_root_grid(script) ? make_formula_figures(script, options, machine_, effort)
                                           : make_listed_figures(script, options, machine_)),
        facts_(find_operation_facts(script, options)),
        empty_(script, options),
        productive_(script, options, machine_) {
    if (!runs_on_root_grid(script)) {
      stretches_.emplace(script, options, machine_, *figures_->lists());
    }
  }

  /// For programs that do not stay on the root grid.
  double run_stretches(const machine::Grid& grid) {
    // Times of a run up to a few times the bound are looked at: longer ones are bounded by that.
    constexpr double longer = 4.0;
    const double bound = run(grid);
    const std::optional<double> total = stretches_->total(longer * bound);
    return total ? std::max(bound, *total * (1.0 - bound_rounding)) : bound;
  }

  /// An upper bound of the efficiency of a grid that takes `time` at least.
  double efficiency(const machine::Grid& grid, double time) {
    machine_.cover(grid.processors());
    return time > 0.0 ? productive_.most(grid) / (static_cast<double>(grid.processors()) * time)
                      : unknown;
  }

  [[nodiscard]] std::optional<machine::Grid> without_empty(const machine::Grid& grid) {
    return empty_.without(grid, machine_);
  }

  double run(const machine::Grid& grid) {
    machine_.cover(grid.processors());
    figures_->reset(grid);
    const double bound = walk(grid.processors());
    return figures_->extend() ? std::max(bound, walk(grid.processors())) : bound;
  }

private:
  double walk(std::int64_t processors) {
    candidates_ = figures_->candidates();
    clocks_.assign(candidates_.size(), 0.0);
    latest_.assign(script_->tables().views.size(), 0.0);
    pending_.assign(script_->header().tokens, {});
    least_ = 0.0;
    taken_from_ = 0.0;
    taken_ = 0.0;
    spread_ = 0.0;
    processors_ = processors;
    enter(0);
    const auto ops = script_->tables().ops;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      step(ops[i], facts_[i]);
    }
    return std::max(latest_[0], *std::max_element(clocks_.begin(), clocks_.end())) *
           (1.0 - bound_rounding);
  }

  /// An asynchronous operation under way.
  struct Pending {
    const BoundTimes* times = nullptr;
    double start = 0.0;
    OperationFacts facts;
    double free = 0.0;
    std::uint32_t view = 0;
    std::uint32_t communication = none;
    bool synchronized = false;             // everybody was at the same time when it started
    const BoundTimes* together = nullptr;  // with the one under way, from `together_from` on
    double together_from = 0.0;
  };

  void enter(std::uint32_t view) {
    view_ = view;
    fastest_ = machine_.fastest(processors_);
    slowest_ = machine_.slowest(processors_);
    members_.clear();
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      if (figures_->in_view(view, i)) {
        members_.push_back(i);
      }
    }
  }

  /// The latest clock of the current view is at least `time`.
  void raise_latest(double time) {
    latest_[view_] = std::max(latest_[view_], time);
    latest_[0] = std::max(latest_[0], time);
  }

  /// Everybody in the current view spends at least `time`, at most `most`.
  void pass(double time, double most) {
    raise_latest(latest_[view_] + time);
    if (view_ == 0) {
      least_ += time;
    }
    spread_ += most - (view_ == 0 ? time : 0.0);
  }

  [[nodiscard]] double latest() const {
    double latest = latest_[view_];
    for (const std::size_t i : members_) {
      latest = std::max(latest, clocks_[i]);
    }
    return latest;
  }

  void work(double time) {
    for (const std::size_t i : members_) {
      clocks_[i] += time / machine_.performance(candidates_[i]);
    }
    pass(time / fastest_, time / slowest_);
  }

  double synchronize() {
    const double time = latest();
    for (const std::size_t i : members_) {
      clocks_[i] = time;
    }
    raise_latest(time);
    if (view_ == 0) {
      std::fill(latest_.begin(), latest_.end(), time);
      least_ = time;
      spread_ = 0.0;
    }
    return time;
  }

  void share(const Op& op, std::uint32_t placement, std::uint32_t portion) {
    const BoundShare& share = figures_->share(view_, placement, portion);
    if (share.nobody) {
      work(op.call);
      return;
    }
    for (const std::size_t i : members_) {
      clocks_[i] += op.call * share.own[i];
    }
    pass(op.call * share.least, op.call * share.most);
  }

  /// When the top network is free for a communication behind the one of a token; 0 if unknown.
  [[nodiscard]] double top_free(const OperationFacts& facts) const {
    if (!facts.second || pending_[facts.first].times == nullptr) {
      return 0.0;
    }
    return pending_[facts.first].start + pending_[facts.first].times->top_free;
  }

  /// Ends of a communication that starts at `start`, for everybody or the current view only.
  void complete(const BoundTimes& times, double start, const OperationFacts& facts, double free,
                bool everybody) {
    const bool in_order = facts.idle || facts.second;  // each network serves it without gaps
    const double top = std::max(start, free);
    const auto raise = [&](std::size_t i) {
      const double time = in_order ? times.own[i] : times.own_shared[i];
      if (time > 0.0) {
        clocks_[i] = std::max(clocks_[i], start + time);
      }
      if (facts.second && times.own_top[i] > 0.0) {
        clocks_[i] = std::max(clocks_[i], top + times.own_top[i]);
      }
    };
    if (everybody) {
      for (std::size_t i = 0; i < clocks_.size(); ++i) {
        raise(i);
      }
    } else {
      std::for_each(members_.begin(), members_.end(), raise);
    }
    if (facts.idle && times.top > 0.0) {
      taken_from_ = start;
      taken_ = times.top;
      taken_spread_ = spread_;
    }
    spread_ = unknown;
    double last = in_order ? times.last : times.last_shared;
    if (last > 0.0) {
      last += start;
      if (facts.second && times.last_top > 0.0) {
        last = std::max(last, top + times.last_top);
      }
      if (facts.contained) {
        raise_latest(last);
      } else if (everybody) {
        latest_[0] = std::max(latest_[0], last);
      }
    }
  }

  void launch(const Op& op, const OperationFacts& facts, double start, bool synchronized) {
    const double free = top_free(facts);
    Pending pending{&figures_->times(op.a), start, facts, free, view_, op.a, synchronized};
    if (facts.second && pending_[facts.first].synchronized) {
      // Since that start clocks have only been added to: this one is at least `delay` behind it.
      const Pending& first = pending_[facts.first];
      pending.together = figures_->behind(first.communication, op.a, start - first.start);
      pending.together_from = first.start;
    }
    pending_[op.b] = pending;
  }

  void wait(const Op& op) {
    const Pending& pending = pending_[op.b];
    if (pending.times == nullptr || pending.view != view_) {
      return;
    }
    complete(*pending.times, pending.start, pending.facts, pending.free, false);
    if (pending.together != nullptr) {
      OperationFacts together;
      together.idle = true;
      together.contained = pending.facts.contained;
      complete(*pending.together, pending.together_from, together, 0.0, false);
    }
  }

  void copied(const Op& op) {
    const CommunicationSpec& spec = script_->tables().communications[op.a];
    if (spec.kind == CommunicationSpec::Kind::nothing) {
      work(op.ret);
      return;
    }
    spread_ = unknown;
    // Holders outside the view write as well, but a share of 1 is that of the view's processors.
    for (const std::size_t i : members_) {
      clocks_[i] += op.ret * figures_->written(op.a, i) / machine_.performance(candidates_[i]);
    }
  }

  void pipeline(const Op& op) {
    const PipelineSpec& spec = script_->tables().pipelines[op.a];
    BoundClocks clocks{clocks_, least_, latest_[0], taken_from_, taken_, taken_spread_};
    if (processors_ == 1 || !figures_->pipeline(op.a, op.call, clocks)) {
      share(op, spec.placement, none);
      return;
    }
    latest_[0] = std::max(latest_[0], clocks.latest);
    spread_ = unknown;
  }

  void step_computing(const Op& op) {
    taken_ = 0.0;
    spread_ = unknown;
    switch (op.kind) {
      case Op::Kind::work:
        work(op.call + op.ret);
        break;
      case Op::Kind::io_work:
        clocks_[0] += op.call / machine_.performance(0);
        break;
      case Op::Kind::share:
        share(op, op.a, op.b);
        break;
      case Op::Kind::pipeline:
        share(op, script_->tables().pipelines[op.a].placement, none);
        break;
      case Op::Kind::copied:
        copied(op);
        break;
      case Op::Kind::enter_view:
        enter(op.a);
        break;
      case Op::Kind::leave_view:
        enter(op.b);
        break;
      default:
        break;
    }
  }

  void step(const Op& op, const OperationFacts& facts) {
    if (facts.extrapolated) {
      step_computing(op);
      return;
    }
    switch (op.kind) {
      case Op::Kind::work:
        work(op.call + op.ret);
        break;
      case Op::Kind::io_work:
        clocks_[0] += op.call / machine_.performance(0);
        spread_ += op.call / machine_.performance(0);
        break;
      case Op::Kind::broadcast: {
        // It starts at the clock of processor 0, which may be before transfers of others end.
        const double own = clocks_[0];
        complete(figures_->broadcast(view_, op.call), own, facts, 0.0, false);
        clocks_[0] = own;
        break;
      }
      case Op::Kind::share:
        share(op, op.a, op.b);
        break;
      case Op::Kind::begin_interval:
      case Op::Kind::end_interval:
        break;
      case Op::Kind::enter_view:
        enter(op.a);
        break;
      case Op::Kind::leave_view:
        enter(op.b);
        break;
      case Op::Kind::synchronize:
        synchronize();
        break;
      case Op::Kind::start:
        launch(op, facts, synchronize(), true);
        break;
      case Op::Kind::send:
        launch(op, facts, latest(), false);
        break;
      case Op::Kind::wait:
        wait(op);
        break;
      case Op::Kind::transfer:
        complete(figures_->times(op.a), synchronize(), facts, top_free(facts), true);
        break;
      case Op::Kind::exchange:
        complete(figures_->times(op.a), latest(), facts, top_free(facts), true);
        break;
      case Op::Kind::copied:
        copied(op);
        break;
      case Op::Kind::pipeline:
        pipeline(op);
        break;
    }
  }

  const Script* script_;
  BoundMachine machine_;
  std::unique_ptr<BoundFigures> figures_;
  std::vector<OperationFacts> facts_;  // per operation
  EmptyProcessors empty_;
  ProductiveBound productive_;
  std::optional<BoundStretches> stretches_;
  std::int64_t processors_ = 1;
  std::span<const std::int64_t> candidates_;
  std::vector<double> clocks_;  // of the candidates, at least
  std::vector<double> latest_;  // per view, the latest clock, at least
  double least_ = 0.0;          // no clock is below this
  double taken_from_ =
      0.0;  // the top network carries messages for `taken_` over its channels from there
  double taken_ = 0.0;
  double taken_spread_ =
      0.0;               // the start of these messages is at most so far after the least clock
  double spread_ = 0.0;  // the latest clock is at most so far after the least
  std::uint32_t view_ = 0;
  double fastest_ = 1.0;
  double slowest_ = 1.0;
  std::vector<std::size_t> members_;  // candidates in the current view
  std::vector<Pending> pending_;
};

LowerBound::LowerBound(const Script& script, const machine::Cluster& cluster,
                       const ModelOptions& options)
    : walk_(std::make_unique<Walk>(script, cluster, options, Effort::quick)) {
  if (runs_on_root_grid(script)) {
    thorough_ = std::make_unique<Walk>(script, cluster, options, Effort::thorough);
  }
}
LowerBound::~LowerBound() = default;
LowerBound::LowerBound(LowerBound&&) noexcept = default;
LowerBound& LowerBound::operator=(LowerBound&&) noexcept = default;

double LowerBound::operator()(const machine::Grid& grid) { return walk_->run(grid); }

std::optional<machine::Grid> LowerBound::no_slower(const machine::Grid& grid) {
  return walk_->without_empty(grid);
}

double LowerBound::thorough(const machine::Grid& grid) {
  return thorough_ != nullptr ? thorough_->run(grid) : walk_->run_stretches(grid);
}

double LowerBound::efficiency(const machine::Grid& grid) {
  return walk_->efficiency(grid, walk_->run(grid));
}

double LowerBound::thorough_efficiency(const machine::Grid& grid) {
  return walk_->efficiency(grid, std::max(walk_->run(grid), thorough(grid)));
}

}  // namespace gridcast::model
