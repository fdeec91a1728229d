/// Shares of loops and ends of communications, once per grid and stretch.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "class_predictor.h"
#include "gridcast/network/port_rounds.h"
#include "gridcast/rules/reduction_rounds.h"

namespace gridcast::model {
namespace {

/// Numbers in lists of ends that are kept at a time, about, and the lists that always are: more
/// than are looked at by turns.
constexpr std::size_t most_listed = std::size_t{1} << 23;
constexpr std::ptrdiff_t least_lists = 3;

/// Its ports are free from then on, seconds.
double busy_of(const network::Profile& idle) {
  double busy = 0.0;
  for (const network::Profile::PortUse& use : idle.port_uses) {
    busy = std::max(busy, use.since + use.load.total());
  }
  return busy;
}

}  // namespace

// --- shares
// ----------------------------------------------------------------------------------------------

const ClassShare& ClassPredictor::share_of(PlacementId placement, PortionId portion) {
  ClassShare& share = shares_[std::pair(placement, portion)];
  if (share.epoch != epoch_) {
    share.epoch = epoch_;
    share.any = false;
    if (portion == none) {
      work_out(share, placement);
    } else {
      list(share, details_.share(placement, portion, root_view));
    }
  }
  return share;
}

void ClassPredictor::work_out(ClassShare& share, PlacementId placement) const {
  const ClassLayout& loop = mapping_.layout(placement);
  const double all = loop.elements();
  share.listed = false;
  if (!(all > 0.0)) {
    return;
  }
  loop.counts(mapping_.classes(), share.fraction);
  const std::span<const double> members = mapping_.classes().members();
  share.sum = 0.0;
  for (std::size_t c = 0; c < members.size(); ++c) {
    share.any = share.any || share.fraction[c] > 0.0;
    share.fraction[c] = share.fraction[c] / all * inverse_;
    share.sum += share.fraction[c] * members[c];
  }
  share.once = share.sum / std::max(loop.copies, 1.0);
}

void ClassPredictor::list(ClassShare& share, const Share& of_processors) {
  share.any = of_processors.any;
  share.listed = true;
  share.fraction = of_processors.parts;
  share.sum = of_processors.sum;
  share.once = of_processors.once_sum;
}

// --- communications
// ----------------------------------------------------------------------------------------------

bool ClassPredictor::in_rounds(CommunicationId id) const {
  if (id == none || (!networks_.ports() && networks_.levels().empty())) {
    return false;  // on links it matters how far messages go
  }
  const CommunicationSpec& spec = script_->tables().communications[id];
  if (spec.kind != CommunicationSpec::Kind::reduction) {
    return false;
  }
  const ReductionKind kind = reduction_of(spec);
  return kind != ReductionKind::linear && kind != ReductionKind::tree &&
         network::reduction_fan(mapping_.classes(), mapping_.layout(spec.placement), spec.bytes)
                 .bytes > 0.0;
}

const ClassPredictor::EndsOfEach& ClassPredictor::time_rounds(const Timed& timed) {
  if (std::exchange(in_rounds_of_, members()) != members()) {
    in_rounds_.clear();
  }
  const CommunicationSpec& spec = script_->tables().communications[timed.source.communication];
  EndsOfEach& known = in_rounds_[spec.bytes];
  if (!known.ends.empty()) {
    return known;
  }
  if (!networks_.ports()) {
    const network::Profile& idle = details_.timed(timed.source)->idle;
    return known = {idle.ends, idle.overheads, busy_of(idle)};
  }
  std::vector<std::uint32_t> all(members());
  std::iota(all.begin(), all.end(), 0U);
  network::PortRounds rounds(networks_.port_levels(), std::ssize(all), interruption_);
  for_each_round(reduction_of(spec), all, spec.bytes,
                 [&](std::span<const network::Transfer> round) { rounds.run(round); });
  return known = {rounds.ends(), rounds.overheads(), rounds.busy()};
}

ClassEnds* ClassPredictor::time_each(Timed& timed) {
  const auto list = [&](std::span<const double> ends, std::span<const double> overheads,
                        double busy) -> ClassEnds* {
    if (ends.empty()) {
      return timed.times.nothing();
    }
    ListedEnds& listed = timed.times.list();
    listed.assign(mapping_.classes(), ends, false, overheads, busy);
    return &listed;
  };
  if (in_rounds(timed.source.communication)) {
    const EndsOfEach& known = time_rounds(timed);
    return list(known.ends, known.overheads, known.busy);
  }
  const network::Profile& idle = details_.timed(timed.source)->idle;
  return list(idle.ends, idle.overheads, busy_of(idle));
}

ClassEnds* ClassPredictor::time_reduction(const CommunicationSpec& spec,
                                          network::ClassCommunication& times) {
  const ProcessorClasses& classes = mapping_.classes();
  const auto& loop = mapping_.layout(spec.placement);
  const ReductionKind kind = reduction_of(spec);
  // On links all kinds of reductions take the same time.
  if (kind == ReductionKind::linear || networks_.links()) {
    return times.reduction(classes, loop, spec.bytes);
  }
  return kind == ReductionKind::tree ? times.tree_reduction(classes, loop, spec.bytes) : nullptr;
}

ClassEnds* ClassPredictor::time(const Timed& timed, network::ClassCommunication& times) {
  const ProcessorClasses& classes = mapping_.classes();
  const CommunicationId id = timed.source.communication;
  if (members() == 1) {
    return times.nothing();
  }
  if (id == none) {
    return times.broadcast(classes, {timed.source.bytes});
  }
  const CommunicationSpec& spec = script_->tables().communications[id];
  switch (spec.kind) {
    case CommunicationSpec::Kind::nothing:
      return times.nothing();
    case CommunicationSpec::Kind::shadow:
    case CommunicationSpec::Kind::old_values:
      return times.exchange(classes, timed.exchange);
    case CommunicationSpec::Kind::reduction:
      return time_reduction(spec, times);
    case CommunicationSpec::Kind::copy:
    case CommunicationSpec::Kind::remote:
      if (const Spread* const spread = mapping_.spread(id)) {
        return times.spread(classes, *spread);
      }
      [[fallthrough]];
    case CommunicationSpec::Kind::move:
      if (const Transposition* const moved = mapping_.transposition(id)) {
        return times.transposition(classes, *moved);
      }
      break;
    default:
      break;  // unsupported
  }
  return nullptr;
}

ClassPredictor::Timed& ClassPredictor::timed(CommunicationId communication) {
  std::unique_ptr<Timed>& timed = timed_[communication];
  if (!timed) {
    timed = std::make_unique<Timed>(networks_);
    timed->source.communication = communication;
  }
  if (timed->epoch != epoch_) {
    timed->epoch = epoch_;
    timed->participants.clear();
    const CommunicationSpec& spec = script_->tables().communications[communication];
    // A reduction leaves channels idle until its broadcast begins, packing until it is done.
    timed->gapless = spec.kind == CommunicationSpec::Kind::reduction
                         ? networks_.one_channel() && reduction_of(spec) == ReductionKind::linear
                         : !(cluster_->library().copy > 0.0);
    if (spec.kind == CommunicationSpec::Kind::shadow ||
        spec.kind == CommunicationSpec::Kind::old_values) {
      find_messages(mapping_, spec, timed->exchange);
    }
    find_ends(*timed);
  }
  return *timed;
}

ClassPredictor::Timed& ClassPredictor::timed_broadcast(double bytes) {
  std::unique_ptr<Timed>& timed = broadcasts_[bytes];
  if (!timed) {
    timed = std::make_unique<Timed>(networks_);
    timed->source.bytes = bytes;
  }
  if (timed->epoch != epoch_) {
    timed->epoch = epoch_;
    find_ends(*timed);
  }
  return *timed;
}

void ClassPredictor::find_ends(Timed& timed) {
  timed.ends = time(timed, timed.times);
  if (timed.ends == nullptr) {
    timed.ends = time_each(timed);
  }
  make_room_beside(timed);
}

void ClassPredictor::make_room_beside(Timed& latest) {
  if (latest.ends->kept() == 0) {
    return;
  }
  listed_.push_back(&latest);
  std::size_t kept = 0;
  for (const Timed* const timed : listed_) {
    kept += timed->ends->kept();
  }
  auto oldest = listed_.begin();
  for (; kept > most_listed && listed_.end() - oldest > least_lists; ++oldest) {
    Timed& timed = **oldest;
    kept -= timed.ends->kept();
    timed.ends->put_away([this, &timed] {
      if (timed.epoch == epoch_) {  // nobody asks about classes that are no more
        find_ends(timed);
      }
    });
  }
  listed_.erase(listed_.begin(), oldest);
}

void ClassPredictor::forget_ends() {
  ++epoch_;
  for (Timed* const timed : listed_) {
    timed->ends->put_away(nullptr);
  }
  listed_.clear();
  occasions_used_ = lists_used_ = 0;
}

}  // namespace gridcast::model
