#include "gridcast/bound/box_bound.h"

#include <algorithm>
#include <limits>
#include <string>

#include "block_work.h"
#include "box_walk.h"
#include "free_walk.h"
#include "gridcast/base/error.h"
#include "gridcast/base/interruption.h"
#include "gridcast/free/free_processes.h"
#include "gridcast/machine/placement.h"
#include "gridcast/rules/grid_details.h"
#include "gridcast/rules/shape_table.h"
#include "gridcast/rules/walk.h"

namespace gridcast::model {

void require_room(const machine::GridBox& box, const machine::Cluster& cluster) {
  if (box.least_processors() > cluster.processors()) {
    throw InputError("a grid of " + std::to_string(box.least_processors()) + " processors",
                     "the cluster has " + std::to_string(cluster.processors()));
  }
}

BoxBounds BoxBound::Walk::run(const machine::GridBox& box, std::int64_t most) {
  require_room(box, *cluster_);
  const std::int64_t at_most = box.most_processors(std::min(most, cluster_->processors()));
  most_ = static_cast<double>(at_most);
  machine_.reset(box.least_processors(), at_most);
  mapping_.reset(box, at_most, machine_.spread());
  clocks_ = {};
  reader_ = {};
  current_ = root_view;
  outer_.clear();
  aside_ = 0.0;
  ends_.assign(ends_.size(), std::nullopt);
  int inside = 0;  // of what the grid may leave out
  for (const Op& op : script_->tables().ops) {
    inside += op.kind == Op::Kind::repeat ? 1 : op.kind == Op::Kind::end_repeat ? -1 : 0;
    if (inside == 0) {
      walk(*this, *script_, op);
    }
  }
  settle();
  const double rounding = slack();
  BoxBounds bounds;
  bounds.time = std::max(clocks_.latest, aside_) * (1.0 - rounding);
  const auto least = static_cast<double>(box.least_processors());
  bounds.efficiency =
      least > 1.0 && bounds.time > 0.0 && script_->tables().statements.empty()
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
  advance((call + ret) * machine_.inverse(), (call + ret) * machine_.inverse_of_first());
}

/// All clocks, and that of processor 0 if it has a part in it for sure.
void BoxBound::Walk::advance(double least, double first) {
  clocks_.latest += least;
  clocks_.mean += least;
  clocks_.earliest += least;
  clocks_.first += at_root() ? first : 0.0;
  clocks_.middle += at_root() ? least : 0.0;
  reader_.last += at_root() ? least : 0.0;
}

/// The latest clock is none of those below it.
void BoxBound::Walk::settle() {
  clocks_.latest = std::max({clocks_.latest, clocks_.mean, clocks_.earliest});
  if (at_root()) {
    clocks_.latest = std::max({clocks_.latest, clocks_.first, clocks_.middle});
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
    reader_ = {};
    if (at_root()) {
      clocks_.first = clocks_.middle = clocks_.latest;
    }
  }
  return clocks_.latest;
}

void BoxBound::Walk::pay(double seconds, Operation /*operation*/, bool /*pipelined*/) {
  if (!options_.extrapolate_iterations) {
    advance(seconds, seconds);
  }
}

void BoxBound::Walk::start(CommunicationId communication, std::uint32_t token, double start) {
  pending_[token] = launch(communication, start);
}

void BoxBound::Walk::wait(std::uint32_t token, Operation /*operation*/) { raise(pending_[token]); }

void BoxBound::Walk::transfer(CommunicationId communication, double start, Operation /*operation*/,
                              bool /*pipelined*/) {
  raise(launch(communication, start));
}

BoxBound::Walk::Pending BoxBound::Walk::launch(CommunicationId communication, double start) {
  std::optional<LeastEnds>& ends = ends_[communication];
  if (!ends) {
    ends = communications_.ends(script_->tables().communications[communication]);
  }
  return {start, *ends, current_};
}

void BoxBound::Walk::raise(const Pending& pending) {
  if (options_.extrapolate_iterations || pending.view != current_) {
    return;
  }
  settle();
  clocks_.latest = std::max(clocks_.latest, pending.start + pending.ends.last);
  if (pending.ends.each > 0.0) {
    clocks_.earliest = std::max(clocks_.earliest, pending.start + pending.ends.each);
    clocks_.mean = std::max(clocks_.mean, clocks_.earliest);
  }
  if (at_root()) {
    const auto raised = [&](double clock, double end) {
      return std::max({clock, clocks_.earliest, end > 0.0 ? pending.start + end : 0.0});
    };
    clocks_.first = raised(clocks_.first, pending.ends.first);
    clocks_.middle = raised(clocks_.middle, pending.ends.middle);
  }
  // Who waited for a buffer runs the loop that reads it later than the others do.
  const LeastReader& reader = pending.ends.reader;
  const double last = pending.start + reader.last;
  if (at_root() && reader.loop != none &&
      script_->tables().placements[reader.loop].view == current_ &&
      (reader_.loop == none || last > reader_.last)) {
    reader_ = {reader.loop, last};
  }
}

void BoxBound::Walk::broadcast(double bytes) {
  if (bytes > 0.0) {
    const double last = machine_.fan(mapping_.view(current_).least - 1.0, bytes);
    raise({clocks_.first, {0.0, last}, current_});
  }
}

// --- loops
// -----------------------------------------------------------------------------------------------

bool BoxBound::Walk::share(double seconds, PlacementId placement, PortionId portion) {
  const LeastLayout& loop = mapping_.layout(placement);
  if (!(loop.elements > 0.0)) {
    return false;  // nobody has iterations on any grid
  }
  if (loop.view != current_ || !loop.product) {
    return true;
  }
  // Parts of the loop that somebody, processor 0 and everybody who runs iterations has.
  double longest = 1.0;
  double first = 1.0;
  double shortest = 1.0;
  bool complete = true;  // every iteration is executed by somebody
  for (const LeastCut& cut : loop.cuts) {
    complete = complete && cut.complete;
    longest *= cut.longest / cut.extent;
    first *= cut.first / cut.extent;
    shortest *= cut.shortest / cut.extent;
  }
  const bool part = portion != none && script_->tables().portions[portion].bounds.count > 0;
  if (part) {
    longest = first = shortest = 0.0;
  }
  if (at_root()) {
    const double middle = mapping_.share_of(placement, portion, std::span(&mapping_.middle(), 1));
    clocks_.middle += seconds * machine_.inverse() * middle;
  }
  seconds *= portion == none ? 1.0 : ShapeFactor::of(*script_, placement, portion).least();
  const double own = seconds * machine_.inverse();
  clocks_.latest = std::max(clocks_.latest, clocks_.earliest + own * longest);
  if (complete) {
    clocks_.mean +=
        at_root() ? seconds * machine_.inverse_sum() : own / mapping_.view(current_).most;
  }
  if (at_root()) {
    clocks_.first += seconds * machine_.inverse_of_first() * first;
    if (reader_.loop == placement) {
      reader_.last += own * shortest;
      clocks_.latest = std::max(clocks_.latest, reader_.last);
    }
  }
  return true;
}

/// The loop takes its time, too: as one whose processors do not wait for each other.
bool BoxBound::Walk::pipeline(PipelineId pipeline, double seconds) {
  if (options_.extrapolate_iterations || !at_root()) {
    return false;
  }
  const PipelineSpec& spec = script_->tables().pipelines[pipeline];
  const double least = ShapeFactor::of(*script_, spec.placement, spec.portion).least();
  const double time = communications_.pipeline(spec, seconds * least * machine_.inverse());
  clocks_.latest = std::max(clocks_.latest, clocks_.earliest + time);
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
  const bool same = !outer_.empty() && outer_.back().first == current_;
  current_ = view;
  if (outer_.empty()) {
    return;
  }
  const LeastClocks inner = clocks_;
  clocks_ = outer_.back().second;
  outer_.pop_back();
  aside_ = std::max(aside_, inner.latest);
  clocks_.first = std::max(clocks_.first, inner.first);
  clocks_.latest =
      std::max({clocks_.latest, same ? inner.latest : 0.0, outer_.empty() ? aside_ : 0.0});
  clocks_.earliest = std::max(clocks_.earliest, same ? inner.earliest : 0.0);
}

namespace {

/// A single grid takes so long at least, but for the rounding of clocks: as much work in more time.
void raise(BoxBounds& bounds, double least) noexcept {
  least *= 1.0 - clock_rounding;
  if (least > bounds.time) {
    bounds.efficiency *= bounds.time > 0.0 ? bounds.time / least * (1.0 + clock_rounding) : 1.0;
    bounds.time = least;
  }
}

}  // namespace

bool has_close_bounds(const ModelOptions& options) noexcept {
  return options.processes == ProcessKind::free &&
         options.placement.kind != machine::Placement::Kind::search;
}

/// A single grid of free processes, every message of which passes its ports alone.
class BoxBound::Alone {
public:
  Alone(const Script& script, const machine::Cluster& cluster, const ModelOptions& options)
      : placement_(options.placement),
        details_(script, cluster, options, interruption_),
        processes_(script, options, details_, interruption_) {}

  double operator()(const machine::Grid& grid) {
    if (placement_ != machine::Placement{}) {
      const machine::ProcessorSystem& system = details_.expand(grid);
      details_.displace(machine::order_of(grid, machine::placement_on(system, grid, placement_)));
    }
    return processes_.least(grid);
  }

private:
  machine::Placement placement_;
  Interruption interruption_;
  GridDetails details_;
  FreeProcesses processes_;
};

BoxBound::BoxBound(const Script& script, const machine::Cluster& cluster,
                   const ModelOptions& options) {
  if (options.processes == ProcessKind::free) {
    free_ = std::make_unique<FreeBoxWalk>(script, cluster, options);
  } else {
    walk_ = std::make_unique<Walk>(script, cluster, options);
  }
  if (has_close_bounds(options)) {
    alone_ = std::make_unique<Alone>(script, cluster, options);
  }
  if (!script.tables().statements.empty()) {
    work_ = std::make_unique<BlockWork>(script, cluster, options);
  }
}
BoxBound::~BoxBound() = default;
BoxBound::BoxBound(BoxBound&&) noexcept = default;
BoxBound& BoxBound::operator=(BoxBound&&) noexcept = default;

BoxBounds BoxBound::clocks_of(const machine::GridBox& box, std::int64_t most) {
  return walk_ != nullptr ? walk_->run(box, most) : free_->run(box, most);
}

BoxBounds BoxBound::operator()(const machine::GridBox& box, std::int64_t most) {
  BoxBounds bounds = clocks_of(box, most);
  if (work_ != nullptr && box.single()) {
    raise(bounds, work_->most(box.first_grid()));
  }
  return bounds;
}

BoxBounds BoxBound::operator()(const machine::Grid& grid) {
  const machine::GridBox box(grid);
  if (alone_ == nullptr) {
    return (*this)(box, grid.processors());
  }
  BoxBounds bounds = clocks_of(box, grid.processors());
  raise(bounds, (*alone_)(grid));  // it computes what statements say, too
  return bounds;
}

}  // namespace gridcast::model
