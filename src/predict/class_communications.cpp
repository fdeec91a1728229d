/// Shares of loops and ends of communications, once per grid and stretch.

#include <algorithm>

#include "class_exchange.h"
#include "class_predictor.h"
#include "gridcast/network/networks.h"

namespace gridcast::model {

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
      list(share, placement, portion);
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
  share.set_copies(loop.copies);
}

void ClassPredictor::list(ClassShare& share, PlacementId placement, PortionId portion) {
  details_.shares(placement, portion, share.fraction);
  share.listed = true;
  share.sum = 0.0;
  for (double& fraction : share.fraction) {
    share.any = share.any || fraction > 0.0;
    fraction *= inverse_;
    share.sum += fraction;
  }
  share.set_copies(mapping_.layout(placement).copies);
}

// --- communications
// ----------------------------------------------------------------------------------------------

const ClassEnds* ClassPredictor::time_each(Timed& timed) {
  ListedEnds& listed = timed.times.list();
  if (timed.source.communication != none) {
    const std::span<const double> ends = details_.idle_ends(timed.source.communication);
    if (details_.transfers(timed.source).empty()) {
      return timed.times.nothing();
    }
    listed.assign(mapping_.classes(), ends, false, details_.overheads(timed.source));
  } else {
    network::Networks scratch(details_.system());
    scratch.ask(&interruption_);
    each_.resize(members());
    scratch.reset(details_.mapping().grid());
    scratch.run(details_.transfers(timed.source), 0.0, each_);
    listed.assign(mapping_.classes(), each_, false, details_.overheads(timed.source));
  }
  return &listed;
}

const ClassEnds* ClassPredictor::time(Timed& timed, const CommunicationSpec& spec) {
  const ProcessorClasses& classes = mapping_.classes();
  if (members() == 1) {
    return timed.times.nothing();
  }
  switch (spec.kind) {
    case CommunicationSpec::Kind::nothing:
      return timed.times.nothing();
    case CommunicationSpec::Kind::shadow:
    case CommunicationSpec::Kind::old_values:
      find_messages(mapping_, spec, timed.exchange);
      timed.sent.exchange = &timed.exchange;
      return timed.times.exchange(classes, timed.exchange);
    case CommunicationSpec::Kind::reduction:
      return options_.reduction == ReductionKind::tree && !networks_.links()
                 ? nullptr
                 : timed.times.reduction(classes, mapping_.layout(spec.placement), spec.bytes);
    case CommunicationSpec::Kind::copy:
    case CommunicationSpec::Kind::remote:
      timed.sent.spread = mapping_.spread(timed.source.communication);
      return timed.sent.spread == nullptr ? nullptr
                                          : timed.times.spread(classes, *timed.sent.spread);
    case CommunicationSpec::Kind::move:
      break;
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
    timed_lately_.push_back(communication);
    timed->participants.clear();
    const CommunicationSpec& spec = script_->tables().communications[communication];
    // A reduction leaves channels idle until its broadcast begins, packing until it is done.
    timed->gapless = spec.kind == CommunicationSpec::Kind::reduction
                         ? networks_.one_channel() && options_.reduction == ReductionKind::linear
                         : !(cluster_->library().copy > 0.0);
    timed->sent = {};
    timed->ends = time(*timed, spec);
    if (timed->ends == nullptr) {
      timed->ends = time_each(*timed);
    }
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
    network::Fan fan;
    fan.any = bytes > 0.0 && mapping_.classes().processors() > 1;
    fan.representatives = 1.0;
    fan.bytes = bytes;
    timed->shape = fan;
    timed->sent.fan = &timed->shape;
    timed->ends = timed->times.broadcast(mapping_.classes(), fan);
    if (timed->ends == nullptr) {
      timed->ends = time_each(*timed);
    }
  }
  return *timed;
}

}  // namespace gridcast::model
