#include "least_ends.h"

#include <algorithm>
#include <cmath>

namespace gridcast::model {

using mapping::AxisRule;

void LeastEnds::raise_all(double time) noexcept {
  each = std::max(each, time);
  last = std::max(last, time);
  for (std::size_t k = 0; k < most_candidates; ++k) {
    own[k] = std::max(own[k], time);
    idle[k] = std::max(idle[k], time);
  }
}

LeastEnds LeastCommunications::reduction(const CommunicationSpec& spec) const {
  LeastEnds ends;
  const LeastLayout& loop = mapping_->layout(spec.placement);
  const LeastView& view = mapping_->view(spec.view);
  if (!loop.split || !loop.product || !(spec.bytes > 0.0) || !(loop.elements > 0.0)) {
    return ends;
  }
  const bool here = loop.view == spec.view;
  double members = 1.0;
  double links = 0.0;
  for (int dim = 0; dim < mapping_->view(loop.view).rank; ++dim) {
    const LeastCut& cut = loop.cuts[in(dim)];
    if (cut.dim >= 0) {
      members *= here ? cut.holders : 1.0;
    }
    if (cut.holders == 0.0) {
      return ends;  // maybe nobody runs iterations
    }
    const auto extent = static_cast<double>(mapping_->view(loop.view).first[in(dim)]);
    // 2 * (n / 2) + P - n is at least P - 1, whoever has the n coordinates that run iterations.
    const AxisRule* const rule = mapping_->rule(spec.placement, dim);
    const bool splits = rule != nullptr && rule->kind != AxisRule::Kind::replicated;
    links += cut.cuts && splits ? extent - 1.0 : 0.0;
  }
  if (machine_->links() != nullptr) {
    if (here) {
      ends.raise_all(links * machine_->arrival(spec.bytes));
    }
    return ends;
  }
  // Along a tree the root takes one message after the other, and so many pass on the longest way
  // back.
  const double one = machine_->arrival(spec.bytes);
  const double gathered =
      tree_ ? std::ceil(std::log2(members)) * one : machine_->fan(members - 1.0, spec.bytes);
  ends.raise_all(gathered);
  if (view.least > 1.0) {
    ends.last = gathered + (tree_ ? std::floor(std::log2(view.least)) * one
                                  : machine_->fan(view.least - 1.0, spec.bytes));
  }
  if (!loop.located || view.least <= 1.0) {
    return ends;
  }
  // The root is the first that runs iterations; each other one gets one more message.
  const auto candidates = mapping_->candidates();
  bool zero_is_root = true;
  for (int dim = 0; dim < mapping_->box().rank(); ++dim) {
    zero_is_root = zero_is_root && loop.cuts[in(dim)].part[0] > 0.0;
  }
  for (std::size_t k = 1; zero_is_root && k < candidates.size(); ++k) {
    if (const double number = mapping_->number(candidates[k]); number > 0.0) {
      ends.own[k] = gathered + machine_->arrival(spec.bytes);
      ends.idle[k] = tree_ ? ends.own[k] : gathered + machine_->fan_to(number, spec.bytes);
    }
  }
  return ends;
}

LeastEnds LeastCommunications::broadcast(ViewId view, double bytes) const {
  LeastEnds ends;
  const double others = mapping_->view(view).least - 1.0;
  if (bytes > 0.0 && others > 0.0) {
    ends.last = machine_->fan(others, bytes);
    const auto candidates = mapping_->candidates();
    for (std::size_t k = 1; k < candidates.size(); ++k) {
      if (mapping_->number(candidates[k]) > 0.0) {
        ends.own[k] = ends.idle[k] = machine_->arrival(bytes);
      }
    }
  }
  return ends;
}

LeastEnds LeastCommunications::ends(const CommunicationSpec& spec) const {
  const auto& tables = mapping_->script().tables();
  LeastEnds ends;
  const auto take = [&](const LeastEnds& part) {
    ends.each = std::max(ends.each, part.each);
    ends.last = std::max(ends.last, part.last);
    for (std::size_t k = 0; k < most_candidates; ++k) {
      ends.own[k] = std::max(ends.own[k], part.own[k]);
      ends.idle[k] = std::max(ends.idle[k], part.idle[k]);
    }
  };
  if (mapping_->view(spec.view).most <= 1.0) {
    return ends;
  }
  const double apart = least_apart(spec);
  for (const std::uint32_t id : mapping_->script().part_ids(spec.parts)) {
    switch (spec.kind) {
      case CommunicationSpec::Kind::shadow:
        take(exchange(tables.shadow_parts[id], nullptr, apart));
        break;
      case CommunicationSpec::Kind::old_values: {
        const LeastLayout& loop = mapping_->layout(spec.placement);
        if (tables.placements[tables.shadow_parts[id].placement].view == loop.view) {
          take(exchange(tables.shadow_parts[id], &loop, apart));
        }
        break;
      }
      case CommunicationSpec::Kind::remote:
        break;  // all together, below
      case CommunicationSpec::Kind::move:
        take(move(tables.move_parts[id]));
        break;
      default:
        break;  // how much is copied depends on both placements: nothing is counted
    }
  }
  if (spec.kind == CommunicationSpec::Kind::reduction) {
    take(reduction(spec));
  } else if (spec.kind == CommunicationSpec::Kind::remote) {
    const LeastEnds loaded = remote(spec);
    take(loaded);
    ends.readers = loaded.readers;
  }
  return ends;
}

}  // namespace gridcast::model
