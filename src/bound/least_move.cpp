/// Redistribution: who sends how much to whom, at least.

#include <algorithm>
#include <cmath>

#include "least_ends.h"

namespace gridcast::model {

/// Where an array is cut along a dimension and will not be, everybody needs all of that dimension
/// and has a block of it: all others that have one send it theirs.
LeastEnds LeastCommunications::move(const MovePart& part) const {
  LeastEnds ends;
  const LeastLayout& from = mapping_->layout(part.from);
  const LeastLayout& to = mapping_->layout(part.to);
  if (from.view != to.view || !from.product || !to.product || !(from.elements > 0.0)) {
    return ends;
  }
  double senders = 1.0;   // to each receiver, itself perhaps included
  double kept = 1.0;      // of what a receiver needs, the part that it may have itself
  double distance = 0.0;  // to the farthest of them
  double receivers = 1.0;
  double elements = to.elements;  // that all receivers together need
  int along = -1;                 // if messages go along one dimension
  bool one = from.located;
  for (int dim = 0; dim < mapping_->view(to.view).rank; ++dim) {
    const LeastCut& old = from.cuts[in(dim)];
    const LeastCut& cut = to.cuts[in(dim)];
    if (old.cuts && !old.complete) {
      return ends;
    }
    receivers *= cut.holders;
    elements *= cut.dim >= 0 ? cut.held / cut.extent : cut.holders;
    const bool together = old.cuts && old.dim >= 0 &&
                          std::none_of(to.cuts.begin(), to.cuts.end(), [&](const LeastCut& other) {
                            return other.cuts && other.dim == old.dim;
                          });
    one = one && (together ? along < 0 : mapping_->cut_alike(part.from, part.to, dim));
    if (together) {
      along = dim;
      senders *= old.holders;
      kept *= std::min(old.longest_most / old.extent, 1.0);
      distance += std::ceil((old.holders - 1.0) / 2.0);
    }
  }
  const auto element = static_cast<double>(part.element_size);
  if (!(senders > 1.0) || !(receivers > 0.0)) {
    return ends;
  }
  if (machine_->links() != nullptr) {
    ends.last = from.located ? machine_->fan_over_links(distance, element) : 0.0;
    return ends;
  }
  const double bytes = elements * (1.0 - kept) * element;
  const auto stride = static_cast<double>(one ? mapping_->box().least_stride(along) : 1);
  const Stream stream{receivers * (senders - 1.0), bytes, element, stride, senders - 1.0};
  ends.last = std::max(machine_->load(stream).longest(), machine_->fan(senders - 1.0, element));
  return ends;
}

}  // namespace gridcast::model
