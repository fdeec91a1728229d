/// Redistribution: who sends how much to whom, at least.

#include <algorithm>
#include <cmath>

#include "least_ends.h"

namespace gridcast::model {

/// What each receiver needs from others, at least.
struct LeastCommunications::Moved {
  const LeastLayout* from = nullptr;
  const LeastLayout* to = nullptr;
  double element = 1.0;   ///< bytes
  double senders = 1.0;   ///< to each receiver, itself perhaps included
  double kept = 1.0;      ///< of what a receiver needs, the part that it may have itself
  double distance = 0.0;  ///< over links, to the farthest of them
  double receivers = 1.0;
  double elements = 1.0;  ///< that all receivers together need
  int along = -1;         ///< the dimension of the grid along which messages go, if `one`
  bool one = false;       ///< they go along one dimension
  double readers = 1.0;   ///< processors that have something after, at most
  double numbers = 1.0;   ///< all that have something are among so many from processor 0 on
};

/// Where an array is cut along a dimension and will not be, everybody needs all of that dimension
/// and has a block of it: all others that have one send it theirs. False if nothing is certain.
bool LeastCommunications::look_at(const CopyPart& part, Moved& moved) const {
  const LeastLayout& from = mapping_->layout(part.from);
  const LeastLayout& to = mapping_->layout(part.to);
  if (from.view != to.view || !from.product || !to.product || !(from.elements > 0.0)) {
    return false;
  }
  moved.from = &from;
  moved.to = &to;
  moved.element = static_cast<double>(part.element_size);
  moved.elements = to.elements;
  moved.one = from.view == root_view;
  const LeastView& view = mapping_->view(to.view);
  double stride = 1.0;  // at most
  for (int dim = 0; dim < view.rank; ++dim) {
    const LeastCut& old = from.cuts[in(dim)];
    const LeastCut& cut = to.cuts[in(dim)];
    if (old.cuts && !old.complete) {
      return false;
    }
    const auto extent = static_cast<double>(view.last[in(dim)]);
    moved.readers *= std::min(cut.holders_most, extent);
    moved.receivers *= cut.holders;
    moved.elements *= cut.dim >= 0 ? cut.held / cut.extent : cut.holders;
    const bool together = old.cuts && old.dim >= 0 &&
                          std::none_of(to.cuts.begin(), to.cuts.end(), [&](const LeastCut& other) {
                            return other.cuts && other.dim == old.dim;
                          });
    moved.one =
        moved.one && (together ? moved.along < 0 : mapping_->cut_alike(part.from, part.to, dim));
    if (together) {
      moved.along = dim;
      moved.senders *= old.holders;
      moved.kept *= std::min(old.longest_most / old.extent, 1.0);
      moved.distance += std::ceil((old.holders - 1.0) / 2.0);
    }
  }
  for (int dim = view.rank; dim-- > 0;) {
    const auto extent = static_cast<double>(view.last[in(dim)]);
    const double last =
        std::min(std::max(from.cuts[in(dim)].reach, to.cuts[in(dim)].reach), extent) - 1.0;
    moved.numbers += last * stride;
    stride *= extent;
  }
  return moved.senders > 1.0 && moved.receivers > 0.0;
}

/// Along one line of the grid everybody that has something before sends to everybody that has
/// something after.
double LeastCommunications::along_line(const Moved& moved) const {
  const LeastCut& along = moved.to->cuts[in(moved.along)];
  const double others = moved.senders - 1.0;
  // In the order of the list the last of the receivers is the last one for all senders.
  const double last = machine_->late_fan(others, std::max(along.holders - 2.0, 0.0), moved.element);
  // The line with the lowest numbers, if they are consecutive.
  double elements =
      moved.to->elements * (along.dim >= 0 ? along.held / along.extent : along.holders);
  for (int dim = 0; dim < mapping_->box().rank(); ++dim) {
    const LeastCut& cut = moved.to->cuts[in(dim)];
    if (dim != moved.along) {
      elements *=
          dim < moved.along || mapping_->box().last(dim) == 1 ? cut.first / cut.extent : 0.0;
    }
  }
  if (!(elements > 0.0)) {
    return last;
  }
  const double here = std::min(std::max(moved.from->cuts[in(moved.along)].reach, along.reach),
                               static_cast<double>(mapping_->box().last(moved.along)));
  return std::max(last, machine_->load_among_first(
                            {along.holders * others, elements * (1.0 - moved.kept) * moved.element,
                             moved.element, 1.0, others, here},
                            here));
}

double LeastCommunications::move(const CopyPart& part, ViewId view) const {
  Moved moved;
  if (!look_at(part, moved) || !is_within(moved.to->view, view)) {
    return 0.0;
  }
  if (machine_->links() != nullptr) {
    return moved.from->view == root_view ? machine_->fan_over_links(moved.distance, moved.element)
                                         : 0.0;
  }
  const auto stride =
      static_cast<double>(moved.one ? mapping_->box().least_stride(moved.along) : 1);
  const double others = moved.senders - 1.0;
  double near = others;  // that have something and are in the same part of the machine, at most
  if (moved.one && !machine_->scattered()) {
    near = std::min(near, mapping_->most_of(part.from, moved.along, machine_->in_part(stride)));
  }
  const Stream stream{moved.receivers * others,
                      moved.elements * (1.0 - moved.kept) * moved.element,
                      moved.element,
                      stride,
                      near,
                      moved.readers};
  double last = std::max(machine_->load(stream), machine_->fan(others, moved.element));
  if (moved.from->view == root_view) {
    last = std::max(last, machine_->load_among_first(stream, moved.numbers));
  }
  return moved.one ? std::max(last, along_line(moved)) : last;
}

}  // namespace gridcast::model
