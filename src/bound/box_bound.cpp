#include "gridcast/bound/box_bound.h"

#include <algorithm>
#include <limits>
#include <string>

#include "box_walk.h"
#include "gridcast/base/error.h"
#include "gridcast/rules/walk.h"

namespace gridcast::model {
BoxBounds BoxBound::Walk::run(const machine::GridBox& box, std::int64_t most) {
  if (box.least_processors() > cluster_->processors()) {
    throw InputError("a grid of " + std::to_string(box.least_processors()) + " processors",
                     "the cluster has " + std::to_string(cluster_->processors()));
  }
  const std::int64_t at_most = box.most_processors(std::min(most, cluster_->processors()));
  most_ = static_cast<double>(at_most);
  machine_.reset(box.least_processors(), at_most);
  mapping_.reset(box, at_most, machine_.spread());
  candidates_ = mapping_.candidates().size();
  clocks_ = {};
  readers_ = {};
  current_ = root_view;
  outer_.clear();
  aside_ = 0.0;
  broadcasts_.clear();
  under_way_ = 0;
  for (Ends& ends : ends_) {
    ends.ready = false;
  }
  for (auto& [key, share] : shares_) {
    share.ready = false;
  }
  for (const Op& op : script_->tables().ops) {
    walk(*this, *script_, op);
  }
  settle();
  const double rounding = slack();
  BoxBounds bounds;
  bounds.time = std::max(clocks_.latest, aside_) * (1.0 - rounding);
  const auto least = static_cast<double>(box.least_processors());
  bounds.efficiency =
      least > 1.0 && bounds.time > 0.0
          ? productive_ * machine_.inverse_most() / (least * bounds.time) * (1.0 + rounding)
          : std::numeric_limits<double>::infinity();
  return bounds;
}

/// A prediction adds the same terms in another order, those of a channel one after the other.
double BoxBound::Walk::slack() const {
  constexpr double each = std::numeric_limits<double>::epsilon();
  constexpr double messages = 8.0;  // of a processor in a communication
  const double ops = static_cast<double>(script_->tables().ops.size());
  const double queued = machine_.links() != nullptr ? 0.0 : messages * most_;
  return each * (64.0 + 8.0 * ops + queued);
}

/// What is written is written by somebody; if nothing is, all processors work.
bool BoxBound::Walk::copied(CommunicationId /*communication*/, double ret) {
  if (most_ == 1.0) {
    return false;
  }
  clocks_.mean += at_root() ? ret * machine_.inverse_sum() : 0.0;
  return true;
}

void BoxBound::Walk::work(double call, double ret) {
  const double seconds = call + ret;
  const double least = seconds * machine_.inverse();
  clocks_.advance(least, at_root() ? seconds * machine_.inverse_of_first() : 0.0,
                  at_root() ? candidates_ : 1);
  readers_.last += at_root() ? least : 0.0;
  readers_.each += at_root() ? least : 0.0;
}

/// The latest clock is none of those below it.
void BoxBound::Walk::settle() {
  clocks_.latest = std::max({clocks_.latest, clocks_.mean, clocks_.earliest});
  for (std::size_t k = 0; at_root() && k < candidates_; ++k) {
    clocks_.latest = std::max(clocks_.latest, clocks_.of[k]);
  }
}

double BoxBound::Walk::latest() {
  settle();
  return clocks_.latest;
}

/// With extrapolated iterations only the computation of each processor is certain.
double BoxBound::Walk::synchronize(Operation /*operation*/, bool /*pipelined*/) {
  settle();
  if (!options_.extrapolate_iterations) {
    clocks_.mean = clocks_.earliest = clocks_.latest;
    readers_ = {};
    if (at_root()) {
      clocks_.of.fill(clocks_.latest);
    }
  }
  return clocks_.latest;
}

void BoxBound::Walk::pay(double seconds, Operation /*operation*/, bool /*pipelined*/) {
  if (!options_.extrapolate_iterations) {
    clocks_.advance(seconds, at_root() ? seconds : 0.0, at_root() ? candidates_ : 1);
  }
}

void BoxBound::Walk::start(CommunicationId communication, std::uint32_t token, double start) {
  pending_[token] = launch(communication, start);
  ++under_way_;
}

void BoxBound::Walk::wait(std::uint32_t token, Operation /*operation*/) {
  raise(pending_[token]);
  --under_way_;
}

void BoxBound::Walk::transfer(CommunicationId communication, double start, Operation /*operation*/,
                              bool /*pipelined*/) {
  raise(launch(communication, start));
}

BoxBound::Walk::Pending BoxBound::Walk::launch(CommunicationId communication, double start) {
  Ends& ends = ends_[communication];
  if (!ends.ready) {
    ends.ready = true;
    ends.ends = communications_.ends(script_->tables().communications[communication]);
  }
  const bool idle = under_way_ == 0 && !script_->header().has_tasks;
  return {start, &ends.ends, current_, idle};
}

void BoxBound::Walk::raise(const Pending& pending) {
  if (options_.extrapolate_iterations || pending.view != current_ || pending.ends == nullptr) {
    return;
  }
  const LeastEnds& ends = *pending.ends;
  settle();
  clocks_.latest = std::max(clocks_.latest, pending.start + ends.last);
  if (ends.each > 0.0) {
    clocks_.earliest = std::max(clocks_.earliest, pending.start + ends.each);
    clocks_.mean = std::max(clocks_.mean, clocks_.earliest);
  }
  for (std::size_t k = 0; at_root() && k < candidates_; ++k) {
    const double end = pending.idle ? ends.idle[k] : ends.own[k];
    // Who may have no part in it waits for nothing.
    clocks_.of[k] = end > 0.0 ? std::max(clocks_.of[k], pending.start + end) : clocks_.of[k];
  }
  remember(ends.readers, pending.start);
}

/// Who waited for a buffer runs the loop that reads it later than the others do.
void BoxBound::Walk::remember(const LeastReaders& readers, double start) {
  if (!at_root() || readers.loop == none ||
      script_->tables().placements[readers.loop].view != current_) {
    return;
  }
  LeastReaders since = readers;
  since.last += start;
  since.each += start;
  readers_ = since.later_than(readers_) ? since : readers_;
}

void BoxBound::Walk::broadcast(double bytes) {
  const auto key = std::pair(current_, bytes);
  const auto known = broadcasts_.find(key);
  const LeastEnds& ends =
      known != broadcasts_.end()
          ? known->second
          : broadcasts_.emplace(key, communications_.broadcast(current_, bytes)).first->second;
  raise({clocks_.of[0], &ends, current_, false});
}

// --- loops
// -----------------------------------------------------------------------------------------------

BoxBound::Walk::LeastShare BoxBound::Walk::work_out(PlacementId placement, PortionId portion) {
  LeastShare share;
  share.ready = true;
  const LeastLayout& loop = mapping_.layout(placement);
  share.any = loop.elements > 0.0;
  if (!share.any || loop.view != current_ || !loop.product) {
    return share;
  }
  bool complete = true;
  share.longest = share.least = share.all = machine_.inverse();
  const auto candidates = mapping_.candidates();
  share.of.fill(loop.located && at_root() ? machine_.inverse() : 0.0);
  share.of[0] = loop.located && at_root() ? machine_.inverse_of_first() : 0.0;
  for (std::size_t dim = 0; dim < machine::max_grid_rank; ++dim) {
    const LeastCut& cut = loop.cuts[dim];
    if (!cut.cuts) {
      continue;
    }
    complete = complete && cut.complete;
    share.longest *= cut.longest / cut.extent;
    share.least *= cut.shortest / cut.extent;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      share.of[k] *= cut.part[static_cast<std::size_t>(candidates[k][dim])] / cut.extent;
    }
  }
  // Every iteration is executed by somebody.
  share.mean = complete ? at_root() ? machine_.inverse_sum()
                                    : machine_.inverse() / mapping_.view(current_).most
                        : 0.0;
  if (portion != none) {
    const bool part = script_->tables().portions[portion].bounds.count > 0;
    const double least = ShapeFactor::of(*script_, placement, portion).least();
    share.mean *= least;
    share.longest *= part ? 0.0 : least;
    share.least *= part ? 0.0 : least;
    share.all *= part ? 0.0 : least;
    for (double& own : share.of) {
      own *= part ? 0.0 : least;
    }
  }
  return share;
}

const BoxBound::Walk::LeastShare& BoxBound::Walk::share_of(PlacementId placement,
                                                           PortionId portion) {
  LeastShare& share = shares_[std::pair(placement, portion)];
  if (!share.ready || current_ != 0) {
    share = work_out(placement, portion);
    share.ready = current_ == 0;
  }
  return share;
}

bool BoxBound::Walk::share(double seconds, PlacementId placement, PortionId portion) {
  const LeastShare& share = share_of(placement, portion);
  if (!share.any) {
    return false;
  }
  clocks_.latest = std::max(clocks_.latest, clocks_.earliest + seconds * share.longest);
  clocks_.mean += seconds * share.mean;
  if (at_root() && readers_.loop == placement) {
    readers_.last += seconds * share.least;
    const double longest = readers_.each + seconds * share.all * readers_.longest;
    clocks_.latest = std::max({clocks_.latest, readers_.last, longest});
  }
  for (std::size_t k = 0; at_root() && k < candidates_; ++k) {
    clocks_.of[k] += seconds * share.of[k];
  }
  return true;
}

/// The loop takes its time, too: as one whose processors do not wait for each other.
bool BoxBound::Walk::pipeline(PipelineId pipeline, double seconds) {
  if (options_.extrapolate_iterations || !at_root()) {
    return false;
  }
  const PipelineSpec& spec = script_->tables().pipelines[pipeline];
  const LeastPipeline times = pipelines_.times(
      spec, seconds, ShapeFactor::of(*script_, spec.placement, spec.portion).least());
  const double begin = clocks_.earliest;
  for (std::size_t k = 0; k < candidates_; ++k) {
    clocks_.of[k] = std::max(clocks_.of[k], begin + times.fill[k]);
  }
  clocks_.latest = std::max(clocks_.latest, begin + times.last);
  return false;
}

// --- tasks
// -----------------------------------------------------------------------------------------------

void BoxBound::Walk::enter(ViewId view) {
  settle();
  outer_.emplace_back(current_, clocks_);
  current_ = view;
  // Nothing is known of its members but that they are of the whole system: a task in a task need
  // not run on processors of the outer one.
  const double earliest = std::min(clocks_.earliest, outer_.front().second.earliest);
  clocks_.latest = clocks_.mean = clocks_.earliest = earliest;
}

void BoxBound::Walk::leave(ViewId view) {
  settle();
  const double latest = clocks_.latest;
  const double first = clocks_.of[0];
  const double earliest = clocks_.earliest;
  if (outer_.empty()) {
    current_ = view;
    return;
  }
  const bool same = outer_.back().first == current_;
  current_ = view;
  clocks_ = outer_.back().second;
  outer_.pop_back();
  aside_ = std::max(aside_, latest);
  if (outer_.empty()) {
    clocks_.latest = std::max(clocks_.latest, aside_);
  } else if (same) {
    clocks_.latest = std::max(clocks_.latest, latest);
  }
  clocks_.of[0] = std::max(clocks_.of[0], first);
  clocks_.earliest = same ? std::max(clocks_.earliest, earliest) : clocks_.earliest;
}

BoxBound::BoxBound(const Script& script, const machine::Cluster& cluster,
                   const ModelOptions& options)
    : walk_(std::make_unique<Walk>(script, cluster, options)) {}
BoxBound::~BoxBound() = default;
BoxBound::BoxBound(BoxBound&&) noexcept = default;
BoxBound& BoxBound::operator=(BoxBound&&) noexcept = default;

BoxBounds BoxBound::operator()(const machine::GridBox& box, std::int64_t most) {
  return walk_->run(box, most);
}

}  // namespace gridcast::model
