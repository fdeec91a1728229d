/// Redistribution: who sends how much to whom, at least.

#include <algorithm>
#include <cmath>

#include "least_ends.h"

namespace gridcast::model {

/// Along one line of the grid everybody that has something before sends to everybody that has
/// something after.
double LeastCommunications::along_line(const LeastLayout& from, const LeastLayout& to, int along,
                                       double others, double element) const {
  const LeastCut& cut = to.cuts[in(along)];
  // All send to the receivers in the same order: the last one is it for all of them.
  const double last = machine_->fan_after(others, element, std::max(cut.holders - 2.0, 0.0));
  // The line with the lowest numbers, if they are consecutive.
  const machine::GridBox& box = mapping_->box();
  for (int dim = 0; dim < box.rank(); ++dim) {
    if (dim < along ? to.cuts[in(dim)].first < 1.0 : dim > along && box.last(dim) > 1) {
      return last;
    }
  }
  const double messages = cut.holders * others;
  const double here = std::min(std::max(from.cuts[in(along)].reach, cut.reach),
                               static_cast<double>(box.last(along)));
  return std::max(last, machine_->load_among_first(
                            {messages, messages * element, element, 1.0, cut.holders}, here));
}

/// All who have something before or after are among so many processors from number 0 on.
double LeastCommunications::numbers_of(const LeastLayout& from, const LeastLayout& to) const {
  double numbers = 1.0;
  double stride = 1.0;  // at most
  for (int dim = mapping_->box().rank(); dim-- > 0;) {
    const auto extent = static_cast<double>(mapping_->box().last(dim));
    const double reach = std::max(from.cuts[in(dim)].reach, to.cuts[in(dim)].reach);
    numbers += (std::min(reach, extent) - 1.0) * stride;
    stride *= extent;
  }
  return numbers;
}

/// Where an array is cut along a dimension and will not be, everybody that has something after
/// needs all of that dimension: all others that have some of it before send theirs.
double LeastCommunications::move(const CopyPart& part, ViewId view) const {
  const LeastLayout& from = mapping_->layout(part.from);
  const LeastLayout& to = mapping_->layout(part.to);
  if (from.view != to.view || !from.product || !to.product || !(from.elements > 0.0) ||
      !is_within(to.view, view)) {
    return 0.0;
  }
  double senders = 1.0;   // to each receiver, itself perhaps included
  double distance = 0.0;  // over links, to the farthest of them
  double receivers = 1.0;
  int along = -1;  // a dimension along which messages go, if `one` the only one
  bool one = from.view == root_view;
  for (int dim = 0; dim < mapping_->view(to.view).rank; ++dim) {
    const LeastCut& old = from.cuts[in(dim)];
    const LeastCut& cut = to.cuts[in(dim)];
    if (!old.complete) {
      return 0.0;
    }
    receivers *= cut.holders;
    const bool together =
        old.dim >= 0 && std::none_of(to.cuts.begin(), to.cuts.end(),
                                     [&](const LeastCut& other) { return other.dim == old.dim; });
    one = one && (together ? along < 0 : mapping_->cut_alike(part.from, part.to, dim));
    if (together) {
      along = dim;
      senders *= old.holders;
      distance += std::ceil((old.holders - 1.0) / 2.0);
    }
  }
  const double others = senders - 1.0;
  const auto element = static_cast<double>(part.element_size);
  if (!(others > 0.0) || !(receivers > 0.0)) {
    return 0.0;
  }
  if (machine_->links() != nullptr) {
    return from.view == root_view ? machine_->fan_over_links(distance, element) : 0.0;
  }
  const double messages = receivers * others;
  const auto stride = static_cast<double>(one ? mapping_->box().least_stride(along) : 1);
  Stream stream{messages, messages * element, element, stride, receivers};
  if (one) {
    stream.near = mapping_->most_of(part.from, along, machine_->in_part(stride));
  }
  double last =
      std::max(machine_->load(stream), machine_->fan(others, element, network::FanWay::in));
  if (from.view == root_view) {
    last = std::max(last, machine_->load_among_first(stream, numbers_of(from, to)));
  }
  return one ? std::max(last, along_line(from, to, along, others, element)) : last;
}

}  // namespace gridcast::model
