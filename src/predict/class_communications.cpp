/// Shares of loops and ends of communications, once per grid and stretch.

#include <algorithm>

#include "class_predictor.h"
#include "gridcast/network/networks.h"

namespace gridcast::model {

using machine::NetworkType;

namespace {

/// Whether the first and the last processor along some dimension are neighbours.
bool edges_wrap(const Script& script, const CommunicationSpec& spec) {
  const std::span<const std::uint32_t> parts = script.part_ids(spec.parts);
  return std::any_of(parts.begin(), parts.end(), [&](std::uint32_t part) {
    return script.tables().shadow_parts[part].rings != 0;
  });
}

}  // namespace

// --- shares
// ----------------------------------------------------------------------------------------------

const ClassShare& ClassPredictor::share_of(std::uint32_t placement, std::uint32_t portion) {
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

void ClassPredictor::work_out(ClassShare& share, std::uint32_t placement) const {
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

void ClassPredictor::list(ClassShare& share, std::uint32_t placement, std::uint32_t portion) {
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

void ClassPredictor::be_silent(Timed& timed) {
  timed.fan.work_out(mapping_.classes(), Fan{}, network_);
  timed.ends = &timed.fan;
}

void ClassPredictor::time_each(Timed& timed) {
  if (timed.source.communication != none) {
    const std::span<const double> ends = details_.idle_ends(timed.source.communication);
    if (details_.transfers(timed.source).empty()) {
      be_silent(timed);
      return;
    }
    timed.listed.assign(mapping_.classes(), ends, false, details_.overheads(timed.source));
  } else {
    network::Networks scratch(details_.system());
    each_.resize(static_cast<std::size_t>(mapping_.classes().processors()));
    scratch.reset(details_.mapping().grid());
    scratch.run(details_.transfers(timed.source), 0.0, each_);
    timed.listed.assign(mapping_.classes(), each_, false, details_.overheads(timed.source));
  }
  timed.ends = &timed.listed;
}

void ClassPredictor::time_spread(Timed& timed, const Spread& spread) {
  if (flat_) {
    timed.spread.work_out(mapping_.classes(), spread, network_);
    timed.ends = &timed.spread;
  } else if (!spread.sends) {
    be_silent(timed);
  } else if (const bool single = spread.single(mapping_.classes());
             single && !port_levels_.empty()) {
    timed.spread.work_out(mapping_.classes(), spread, port_levels_, Queues::ports);
    timed.ends = &timed.spread;
  } else if (links_below_) {
    time_each(timed);
  } else if (single && !levels_.empty()) {
    timed.spread.work_out(mapping_.classes(), spread, levels_, Queues::channels);
    timed.ends = &timed.spread;
  } else {
    timed.listed.work_out(mapping_.classes(), spread, details_.system());
    timed.ends = &timed.listed;
  }
}

void ClassPredictor::time_fan(Timed& timed, const Fan& fan, std::uint32_t placement) {
  const ClassLayout* const loop = placement == none ? nullptr : &mapping_.layout(placement);
  std::vector<std::uint8_t> speaks;
  std::vector<std::int64_t> speaking;
  if ((ports_ || !port_levels_.empty()) && placement != none) {
    mapping_.layout(placement).speakers(mapping_.classes(), speaks);
  }
  if (!port_levels_.empty()) {
    if (fan.gather) {
      mapping_.representatives_behind(placement, fan.root, port_levels_, speaking);
    }
    timed.port_fan.work_out(mapping_.classes(), fan, port_levels_, speaking, speaks);
    timed.ends = &timed.port_fan;
  } else if (ports_ && fan.any && mapping_.classes().processors() > 1) {
    timed.fan.work_out_ports(mapping_.classes(), fan, network_, speaks);
    timed.ends = &timed.fan;
  } else if (flat_) {
    timed.fan.work_out(mapping_.classes(), fan, network_);
    timed.ends = &timed.fan;
  } else if (links_below_) {
    time_each(timed);
  } else if (!levels_.empty()) {
    if (fan.gather) {
      mapping_.representatives_behind(placement, fan.root, levels_, speaking);
    }
    timed.folded_fan.work_out(mapping_.classes(), fan, levels_, speaking);
    timed.ends = &timed.folded_fan;
  } else {
    timed.listed.work_out(mapping_, fan, loop, details_.system());
    timed.ends = &timed.listed;
  }
}

void ClassPredictor::time_exchange(Timed& timed, const CommunicationSpec& spec) {
  timed.exchange.work_out(mapping_, spec);
  if (timed.exchange.empty()) {
    be_silent(timed);
  } else if (!port_levels_.empty()) {
    timed.port_rows.work_out(mapping_.classes(), timed.exchange, port_levels_,
                             cluster_->library().copy, port_nodes_);
    timed.ends = &timed.port_rows;
  } else if ((links_below_ && !flat_) || (cluster_->library().copy > 0.0 && !ports_)) {
    time_each(timed);  // links under others; packing lets messages begin at different times
  } else if (!edges_wrap(*script_, spec)) {
    time_rows(timed);
  } else if (ports_ || (flat_ && network_.type == NetworkType::transputer)) {
    time_each(timed);
  } else {  // of a ring the first and the last row are neighbours: no row repeats another
    timed.listed.work_out(mapping_.classes(), timed.exchange, details_.system());
    timed.ends = &timed.listed;
  }
}

void ClassPredictor::time_rows(Timed& timed) {
  const ProcessorClasses& classes = mapping_.classes();
  if (flat_ && network_.type == NetworkType::transputer) {
    timed.links.work_out(classes, timed.exchange, network_);
    timed.ends = &timed.links;
  } else if (ports_) {
    timed.ports.work_out(classes, timed.exchange, network_, cluster_->library().copy);
    timed.ends = &timed.ports;
  } else if (flat_ && network_.channels == 1) {
    timed.bus.work_out(classes, timed.exchange, network_);
    timed.ends = &timed.bus;
  } else if (!levels_.empty()) {
    timed.folded.work_out(classes, timed.exchange, levels_);
    timed.ends = &timed.folded;
  } else {
    timed.listed.work_out(classes, timed.exchange, details_.system());
    timed.ends = &timed.listed;
  }
}

void ClassPredictor::time_reduction(Timed& timed, const CommunicationSpec& spec) {
  const ClassLayout& loop = mapping_.layout(spec.placement);
  if (!flat_ || network_.type != NetworkType::transputer) {
    if (options_.reduction == ReductionKind::tree) {
      time_each(timed);
    } else {
      time_fan(timed, reduction_fan(mapping_, spec), spec.placement);
    }
    return;
  }
  if (loop.fully_replicated || !(spec.bytes > 0.0) || !(loop.elements() > 0.0)) {
    be_silent(timed);
    return;
  }
  std::int64_t distance = 0;
  for (int dim = 0; dim < mapping_.classes().rank(); ++dim) {
    const AxisCut& cut = loop.cuts[static_cast<std::size_t>(dim)];
    if (!loop.replicated[static_cast<std::size_t>(dim)]) {
      if (cut.holders() == 0) {  // nobody runs iterations
        be_silent(timed);
        return;
      }
      distance += 2 * (cut.holders() / 2) + mapping_.classes().extent(dim) - cut.holders();
    }
  }
  timed.fan.work_out_fixed(
      mapping_.classes(),
      (network_.start_time + network_.byte_time * spec.bytes) * static_cast<double>(distance));
  timed.ends = &timed.fan;
}

void ClassPredictor::time(Timed& timed, const CommunicationSpec& spec) {
  if (mapping_.classes().processors() == 1) {
    be_silent(timed);
    return;
  }
  switch (spec.kind) {
    case CommunicationSpec::Kind::nothing:
      be_silent(timed);
      break;
    case CommunicationSpec::Kind::shadow:
    case CommunicationSpec::Kind::old_values:
      time_exchange(timed, spec);
      break;
    case CommunicationSpec::Kind::reduction:
      time_reduction(timed, spec);
      break;
    case CommunicationSpec::Kind::copy:
    case CommunicationSpec::Kind::remote:
      if (const Spread* const spread = mapping_.spread(timed.source.communication)) {
        time_spread(timed, *spread);
        break;
      }
      [[fallthrough]];
    case CommunicationSpec::Kind::move:
      time_each(timed);
      break;
  }
}

ClassPredictor::Timed& ClassPredictor::timed(std::uint32_t communication) {
  std::unique_ptr<Timed>& timed = timed_[communication];
  if (!timed) {
    timed = std::make_unique<Timed>();
    timed->source.communication = communication;
  }
  if (timed->epoch != epoch_) {
    timed->epoch = epoch_;
    timed_lately_.push_back(communication);
    timed->participants.clear();
    const CommunicationSpec& spec = script_->tables().communications[communication];
    // A reduction leaves channels idle until its broadcast begins, packing until it is done.
    const bool one = flat_ && network_.channels == 1;
    timed->gapless = spec.kind == CommunicationSpec::Kind::reduction
                         ? one && options_.reduction == ReductionKind::linear
                         : !(cluster_->library().copy > 0.0);
    time(*timed, spec);
  }
  return *timed;
}

ClassPredictor::Timed& ClassPredictor::timed_broadcast(double bytes) {
  std::unique_ptr<Timed>& timed = broadcasts_[bytes];
  if (!timed) {
    timed = std::make_unique<Timed>();
    timed->source.bytes = bytes;
  }
  if (timed->epoch != epoch_) {
    timed->epoch = epoch_;
    Fan fan;
    fan.any = bytes > 0.0 && mapping_.classes().processors() > 1;
    fan.representatives = 1.0;
    fan.bytes = bytes;
    timed->shape = fan;
    if (fan.any) {
      time_fan(*timed, fan, none);
    } else {
      be_silent(*timed);
    }
  }
  return *timed;
}

}  // namespace gridcast::model
