#include "least_ends.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gridcast/rules/reduction_choice.h"
#include "least_rounds.h"

namespace gridcast::model {

using mapping::AxisRule;

bool LeastCommunications::reduces(const CommunicationSpec& spec) const {
  const LeastLayout& loop = mapping_->layout(spec.placement);
  if (!loop.split || !loop.product || !(spec.bytes > 0.0) || !(loop.elements > 0.0) ||
      !is_within(loop.view, spec.view)) {
    return false;
  }
  for (int dim = 0; dim < mapping_->view(loop.view).rank; ++dim) {
    if (loop.cuts[in(dim)].holders == 0.0) {
      return false;  // maybe nobody runs iterations
    }
  }
  return true;
}

std::optional<ReductionKind> LeastCommunications::reduction_kind(
    const CommunicationSpec& spec) const {
  const LeastView& view = mapping_->view(spec.view);
  return reduction_of(options_, machine_->allreduce(), spec.bytes, view.least, view.most);
}

LeastEnds LeastCommunications::reduction(const CommunicationSpec& spec) const {
  LeastEnds ends;
  if (!reduces(spec)) {
    return ends;
  }
  const LeastLayout& loop = mapping_->layout(spec.placement);
  const LeastView& view = mapping_->view(spec.view);
  const bool here = loop.view == spec.view;
  double members = 1.0;
  double links = 0.0;
  for (int dim = 0; dim < mapping_->view(loop.view).rank; ++dim) {
    const LeastCut& cut = loop.cuts[in(dim)];
    if (cut.dim >= 0) {
      members *= here ? cut.holders : 1.0;
    }
    const auto extent = static_cast<double>(mapping_->view(loop.view).first[in(dim)]);
    // 2 * (n / 2) + P - n is at least P - 1, whoever has the n coordinates that run iterations.
    const AxisRule* const rule = mapping_->rule(spec.placement, dim);
    const bool splits = rule != nullptr && rule->kind != AxisRule::Kind::replicated;
    links += cut.cuts && splits ? extent - 1.0 : 0.0;
  }
  if (machine_->links() != nullptr) {
    if (here) {
      ends.each = ends.last = links * machine_->arrival(spec.bytes);
    }
    return ends;
  }
  const std::optional<ReductionKind> kind = reduction_kind(spec);
  if (!kind) {
    return ends;
  }
  if (kind == ReductionKind::tree) {
    // The root takes one message after the other, from the participants 1, 2, 4, ..., and so many
    // pass on the longest way back. Numbers are no nearer to each other than the participants are.
    const auto rounds = [&](double most, bool consecutive) {
      double time = 0.0;
      for (std::int64_t step = 1; static_cast<double>(step) < most; step *= 2) {
        time += machine_->arrival(spec.bytes, consecutive ? static_cast<double>(step) : 1.0);
      }
      return time;
    };
    const bool root = loop.view == root_view && spec.view == root_view;
    // Free, the root gets the message of the last participant while it waits for others.
    ends.each = rounds(free() ? std::exp2(std::floor(std::log2(members))) : members, root);
    ends.last = ends.each + rounds(std::exp2(std::floor(std::log2(view.least))), root);
    const bool from_first = std::all_of(loop.cuts.begin(), loop.cuts.end(),
                                        [](const LeastCut& cut) { return cut.first >= 1.0; });
    if (root && from_first && mapping_->box().single()) {
      // The way back to a processor takes the messages of the bits of its number.
      ends.middle = ends.each;
      for (std::int64_t left = mapping_->number_of(mapping_->middle()); left > 0;
           left &= left - 1) {
        ends.middle += machine_->arrival(spec.bytes, static_cast<double>(left & -left));
      }
    }
    return ends;
  }
  if (kind != ReductionKind::linear) {
    const LeastRounds rounds = least_rounds(*kind, spec.bytes, view);
    for (const LeastRound& round : rounds.there) {
      ends.each += machine_->arrival(round.bytes, spec.view == root_view ? round.distance : 1.0);
    }
    ends.each *= rounds.doubled == false ? 2.0 : 1.0;
    ends.last = ends.each;
    return ends;
  }
  ends.each = ends.last = machine_->fan(members - 1.0, spec.bytes, network::FanWay::in);
  if (view.least > 1.0) {
    ends.last += machine_->fan(view.least - 1.0, spec.bytes);
  }
  return ends;
}

/// Whether the processors of a system are surely in another one: a task may use arrays of others.
bool LeastCommunications::is_within(std::uint32_t system, std::uint32_t current) {
  return current == root_view || system == current;
}

LeastEnds LeastCommunications::ends(const CommunicationSpec& spec) const {
  const auto& tables = mapping_->script().tables();
  LeastEnds ends;
  if (mapping_->view(spec.view).most <= 1.0) {
    return ends;
  }
  if (spec.kind == CommunicationSpec::Kind::reduction) {
    return reduction(spec);
  }
  if (free() && spec.kind != CommunicationSpec::Kind::shadow &&
      (machine_->has_ports() || machine_->has_links())) {
    return ends;
  }
  if (spec.kind == CommunicationSpec::Kind::remote) {
    return remote(spec);
  }
  // How much is copied depends on both placements: nothing is counted. Neither are former values.
  for (const std::uint32_t id : mapping_->script().part_ids(spec.parts)) {
    if (spec.kind == CommunicationSpec::Kind::shadow) {
      ends.last = std::max(ends.last, exchange(spec, tables.shadow_parts[id].placement));
    } else if (spec.kind == CommunicationSpec::Kind::move) {
      ends.last = std::max(ends.last, move(tables.copy_parts[id], spec.view));
    }
  }
  if (spec.kind == CommunicationSpec::Kind::shadow) {
    if (!free()) {
      exchange_on_grid(spec, ends);
    }
  } else if (spec.kind == CommunicationSpec::Kind::move) {
    move_on_grid(spec, ends);
  }
  return ends;
}

}  // namespace gridcast::model
