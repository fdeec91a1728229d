#include "free_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "free_iterations.h"
#include "gridcast/rules/shape_table.h"
#include "gridcast/rules/walk.h"
#include "least_rounds.h"

namespace gridcast::model {

FreeBoxWalk::FreeBoxWalk(const Script& script, const machine::Cluster& cluster,
                         const ModelOptions& options)
    : script_(&script),
      cluster_(&cluster),
      options_(options),
      machine_(LeastMachine::of_free(cluster, options.placement != machine::Placement{})),
      whole_(cluster, options.placement != machine::Placement{}),
      mapping_(script, options),
      communications_(mapping_, machine_, options),
      pending_(script.header().tokens) {
  if (options.iterations > 0) {
    loops_ = find_repetitions(script.tables().ops);
  }
  productive_ = productive_seconds(script, script.tables().ops, loops_, options.iterations);
}

BoxBounds FreeBoxWalk::run(const machine::GridBox& box, std::int64_t most) {
  require_room(box, *cluster_);
  if (!script_->tables().statements.empty()) {
    // What a process does with its block is not bounded: nothing is excluded.
    return {0.0, std::numeric_limits<double>::infinity()};
  }
  const std::int64_t at_most = box.most_processors(std::min(most, cluster_->processors()));
  most_ = static_cast<double>(at_most);
  machine_.reset(box.least_processors(), at_most);
  whole_.reset(box.least_processors(), at_most);
  mapping_.reset(box, at_most, machine_.spread());
  neighbours_ = FreeNeighbours::of(mapping_);
  clocks_ = {};
  current_ = root_view;
  pending_.assign(pending_.size(), Pending{});
  edges_.clear();
  shares_.clear();
  walk_all(script_->tables().ops, loops_);
  settle();
  BoxBounds bounds;
  bounds.time = clocks_.latest * (1.0 - clock_rounding);
  const auto least = static_cast<double>(box.least_processors());
  bounds.efficiency =
      least > 1.0 && bounds.time > 0.0
          ? productive_ * machine_.inverse_most() / (least * bounds.time) * (1.0 + clock_rounding)
          : std::numeric_limits<double>::infinity();
  return bounds;
}

// --- iterations
// ------------------------------------------------------------------------------------------

void FreeBoxWalk::walk_all(std::span<const Op> ops, std::span<const Repetition> loops) {
  std::size_t at = 0;
  const auto walk_until = [&](std::size_t end) {
    for (; at < end; ++at) {
      walk(*this, *script_, ops[at]);
    }
  };
  for (const Repetition& loop : loops) {
    walk_until(loop.begin);
    walk_loop(ops.subspan(loop.begin, loop.period * loop.count), loop);
    at = loop.end();
  }
  walk_until(ops.size());
}

/// The first iterations as they are simulated, then what those grew by for which the last of them
/// stand.
void FreeBoxWalk::walk_loop(std::span<const Op> ops, const Repetition& loop) {
  const auto [simulated, last, rest] = simulated_of(loop, options_.iterations);
  const auto walk_iterations = [&, count = simulated](std::size_t begin) {
    for (std::size_t i = begin; i < count; ++i) {
      walk_all(ops.subspan(i * loop.period, loop.period), loop.nested);
    }
  };
  walk_iterations(0);
  if (simulated == loop.count) {
    return;
  }
  settle();
  const Clocks before = clocks_;
  clocks_ = {};
  clocks_.met = false;
  walk_iterations(simulated - last);
  settle();
  const Clocks grown = clocks_;
  clocks_ = before;
  const double each = grown.earliest;
  clocks_.latest += rest * each;
  clocks_.earliest += rest * each;
  clocks_.mean += rest * std::max(grown.mean, each);
  clocks_.first += rest * std::max(grown.first, each);
  clocks_.inner += rest * std::max(grown.inner, each);
  clocks_.middle += rest * std::max(grown.middle, each);
}

// --- clocks
// ----------------------------------------------------------------------------------------------

void FreeBoxWalk::settle() {
  if (clocks_.met) {
    for (double Clocks::*clock : {&Clocks::mean, &Clocks::first, &Clocks::inner, &Clocks::middle}) {
      clocks_.*clock = std::max(clocks_.*clock, clocks_.earliest);
      clocks_.latest = std::max(clocks_.latest, clocks_.*clock);
    }
  }
}

void FreeBoxWalk::advance(double least, double first) {
  for (double Clocks::*clock :
       {&Clocks::latest, &Clocks::earliest, &Clocks::mean, &Clocks::inner, &Clocks::middle}) {
    clocks_.*clock += least;
  }
  clocks_.first += first;
}

void FreeBoxWalk::work(double call, double ret) {
  if (at_root()) {
    advance((call + ret) * machine_.inverse(), (call + ret) * machine_.inverse_of_first());
  }
}

void FreeBoxWalk::io_work(double seconds) {
  clocks_.first += seconds * machine_.inverse_of_first();
  clocks_.mean += seconds * machine_.inverse_sum();
}

void FreeBoxWalk::pay(double seconds, Operation /*operation*/, bool /*pipelined*/) {
  if (at_root()) {
    advance(seconds, seconds);
  }
}

/// All wait for processor 0.
void FreeBoxWalk::broadcast(double bytes) {
  if (!(bytes > 0.0) || !at_root() || !clocks_.met) {
    return;
  }
  settle();
  clocks_.earliest = std::max(clocks_.earliest, clocks_.first);
  clocks_.latest = std::max(
      clocks_.latest, clocks_.first + machine_.fan(mapping_.view(root_view).least - 1.0, bytes));
  settle();
}

bool FreeBoxWalk::copied(CommunicationId /*communication*/, double ret) {
  if (most_ == 1.0) {
    return false;
  }
  clocks_.mean += at_root() ? ret * machine_.inverse_sum() : 0.0;
  return true;
}

bool FreeBoxWalk::share(double seconds, PlacementId placement, PortionId portion) {
  const LeastLayout& loop = mapping_.layout(placement);
  if (!(loop.elements > 0.0)) {
    return false;  // nobody has iterations on any grid
  }
  if (!at_root() || loop.view != current_ || !loop.product) {
    return true;
  }
  double least = 0.0;  // that everybody has, seconds
  if (mapping_.box().single()) {
    const Shares& shares = shares_of(placement, portion);
    const double own = seconds * machine_.inverse();
    clocks_.middle += own * shares.middle;
    clocks_.inner += own * shares.inner;
    least = own * shares.each;
  }
  seconds *= portion == none ? 1.0 : ShapeFactor::of(*script_, placement, portion).least();
  // Parts of the loop that somebody and processor 0 has.
  double longest = 1.0;
  double first = 1.0;
  bool complete = true;  // every iteration is executed by somebody
  for (const LeastCut& cut : loop.cuts) {
    complete = complete && cut.complete;
    longest *= cut.longest / cut.extent;
    first *= cut.first / cut.extent;
  }
  if (portion != none && script_->tables().portions[portion].bounds.count > 0) {
    longest = first = 0.0;
  }
  clocks_.latest += least;
  if (clocks_.met) {
    clocks_.latest =
        std::max(clocks_.latest, clocks_.earliest + seconds * machine_.inverse() * longest);
  }
  clocks_.earliest += least;
  clocks_.mean += complete ? seconds * machine_.inverse_sum() : 0.0;
  clocks_.first += seconds * machine_.inverse_of_first() * first;
  return true;
}

const FreeBoxWalk::Shares& FreeBoxWalk::shares_of(PlacementId placement, PortionId portion) {
  const auto [known, fresh] = shares_.try_emplace({placement, portion});
  if (fresh) {
    known->second = {
        mapping_.share_of(placement, portion, std::span(&mapping_.middle(), 1)),
        mapping_.share_of(placement, portion, neighbours_.all),
        mapping_.share_of(placement, portion, mapping_.edges()),
    };
  }
  return known->second;
}

/// Each computes its part, and the last one is not through before the pipeline is.
bool FreeBoxWalk::pipeline(PipelineId pipeline, double seconds) {
  const PipelineSpec& spec = script_->tables().pipelines[pipeline];
  const double begin = clocks_.earliest;
  const bool shared = share(seconds, spec.placement, spec.portion);
  if (shared && at_root() && clocks_.met) {
    const double least = ShapeFactor::of(*script_, spec.placement, spec.portion).least();
    const double time = communications_.pipeline(spec, seconds * least * machine_.inverse());
    clocks_.latest = std::max(clocks_.latest, begin + time);
  }
  return shared;
}

// --- messages
// --------------------------------------------------------------------------------------------

double FreeBoxWalk::message(double bytes, double distance) const {
  return (machine_.is_eager(bytes) ? whole_ : machine_).arrival(bytes, distance);
}

double FreeBoxWalk::overhead(double bytes, double distance) const {
  return machine_.is_eager(bytes) ? whole_.least_overhead(distance) : 0.0;
}

const FreeExchange& FreeBoxWalk::edges_of(CommunicationId communication) {
  const auto [known, fresh] = edges_.try_emplace(communication);
  if (fresh) {
    const CommunicationSpec& spec = script_->tables().communications[communication];
    const LeastEnds ends = communications_.ends(spec);
    if (spec.kind == CommunicationSpec::Kind::shadow) {
      known->second = free_exchange(mapping_, spec, neighbours_, whole_.port_levels());
    }
    known->second.last = std::max(known->second.last, ends.last);
  }
  return known->second;
}

void FreeBoxWalk::start(CommunicationId communication, std::uint32_t token, double /*start*/) {
  pending_[token] = {communication, clocks_.earliest, clocks_.inner, at_root() && clocks_.met};
  const CommunicationSpec& spec = script_->tables().communications[communication];
  if (at_root() && spec.kind == CommunicationSpec::Kind::shadow) {
    const FreeExchange& edges = edges_of(communication);
    clocks_.middle += edges.send_middle;
    clocks_.inner += edges.send_inner;
  }
}

void FreeBoxWalk::wait(std::uint32_t token, Operation /*operation*/) {
  Pending& pending = pending_[token];
  const CommunicationSpec& spec = script_->tables().communications[pending.communication];
  if (at_root() && spec.view == root_view) {
    if (spec.kind == CommunicationSpec::Kind::reduction) {
      reduce(spec);
    } else {
      exchange(pending, edges_of(pending.communication));
    }
  }
  pending.met = false;
}

void FreeBoxWalk::transfer(CommunicationId communication, double /*start*/, Operation /*operation*/,
                           bool /*pipelined*/) {
  const CommunicationSpec& spec = script_->tables().communications[communication];
  const Pending pending{communication, clocks_.earliest, clocks_.inner, clocks_.met};
  if (!at_root() || spec.view != root_view) {
    return;
  }
  if (spec.kind == CommunicationSpec::Kind::reduction) {
    reduce(spec);
    return;
  }
  const FreeExchange& edges = edges_of(communication);
  clocks_.middle += edges.send_middle;
  clocks_.inner += edges.send_inner;
  exchange(pending, edges);
}

void FreeBoxWalk::exchange(const Pending& pending, const FreeExchange& edges) {
  clocks_.middle += edges.receive_middle;
  clocks_.inner += edges.receive_inner;
  if (!pending.met) {
    return;
  }
  clocks_.latest = std::max({clocks_.latest, pending.earliest + edges.last,
                             edges.last_around > 0.0 ? pending.inner + edges.last_around : 0.0});
  if (edges.middle > 0.0) {
    clocks_.middle = std::max(clocks_.middle, pending.inner + edges.middle);
  }
  clocks_.inner = std::max(clocks_.inner, pending.inner + edges.inner);
  settle();
}

/// Those in which all take part follow from the schedules of docs/model.md §10.
FreeBoxWalk::FreeReduction FreeBoxWalk::free_reduction(const CommunicationSpec& spec) {
  const LeastView& view = mapping_.view(spec.view);
  FreeReduction chain;
  if (!communications_.reduces(spec) || view.least < 2.0) {
    return chain;
  }
  const std::optional<ReductionKind> kind = communications_.reduction_kind(spec);
  if (!kind) {
    return chain;
  }
  if (kind == ReductionKind::linear || kind == ReductionKind::tree) {
    const LeastEnds ends = machine_.links() != nullptr ? LeastEnds{} : communications_.ends(spec);
    return {ends.each, ends.last, 0.0, false};
  }
  chain.all_depend = true;
  if (kind == ReductionKind::ring) {
    const double steps = 2.0 * (view.least - 1.0);
    const double bytes = spec.bytes / view.most;
    const double one = steps * message(bytes, 1.0);
    return {one, one, steps * overhead(spec.bytes, 1.0), true};
  }
  const LeastRounds rounds = least_rounds(*kind, spec.bytes, view);
  for (const LeastRound& round : rounds.there) {
    chain.each += message(round.bytes, round.distance);
    chain.own += rounds.doubled.value_or(false) ? overhead(spec.bytes, round.distance) : 0.0;
  }
  if (rounds.doubled == false) {
    // Halves there, and as many messages back, which all wait for.
    chain.own = chain.each;
    chain.each *= 2.0;
  }
  chain.last = chain.each;
  return chain;
}

/// By doubling, Rabenseifner and ring the end of each process depends on the clock of each other
/// one, over so many messages one after the other.
void FreeBoxWalk::reduce(const CommunicationSpec& spec) {
  const FreeReduction chain = free_reduction(spec);
  if (!chain.all_depend) {
    if (clocks_.met) {
      clocks_.latest = std::max(clocks_.latest, clocks_.earliest + chain.last);
      clocks_.earliest += chain.each;
      settle();
    }
    return;
  }
  settle();
  const bool met = clocks_.met;
  if (!met) {
    // From here on all clocks count from the latest one when the iterations began: what each has
    // grown by itself says nothing about the others.
    clocks_ = {};
  }
  // Somebody is through `last` after the latest, nobody earlier than `own` after him.
  const double latest = clocks_.latest;
  for (double Clocks::*clock : {&Clocks::mean, &Clocks::first, &Clocks::inner, &Clocks::middle}) {
    clocks_.*clock += chain.own;
  }
  clocks_.earliest = std::max(latest + chain.own, met ? clocks_.earliest + chain.each : 0.0);
  clocks_.latest = latest + chain.last;
  settle();
}

}  // namespace gridcast::model
