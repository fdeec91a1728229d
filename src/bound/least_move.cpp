/// Redistribution: who sends how much to whom, at least.

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

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

/// Bytes that the processors with neighbouring numbers, `part` of them, of which one is this, have
/// after a redistribution on a single grid and none of them has before; 0 if that is not known.
double LeastCommunications::moved_into(const CommunicationSpec& spec, std::int64_t processor,
                                       std::int64_t part) const {
  const std::int64_t begin = processor / part * part;
  const std::int64_t end = std::min(begin + part, mapping_->box().least_processors());
  double bytes = 0.0;
  std::vector<LeastMapping::Block> before(static_cast<std::size_t>(end - begin));
  for (const std::uint32_t id : mapping_->script().part_ids(spec.parts)) {
    const CopyPart& copy = mapping_->script().tables().copy_parts[id];
    const std::size_t rank = mapping_->layout(copy.to).extents.size();
    for (std::int64_t own = begin; own < end; ++own) {
      before[static_cast<std::size_t>(own - begin)] =
          mapping_->block_of(copy.from, mapping_->coordinates_of(own));
    }
    for (std::int64_t own = begin; own < end; ++own) {
      const LeastMapping::Block after = mapping_->block_of(copy.to, mapping_->coordinates_of(own));
      if (!after.known || !before.front().known) {
        return 0.0;
      }
      const auto elements = std::span(after.ranges).first(rank);
      double missing = 1.0;
      for (const mapping::IndexRange& range : elements) {
        missing *= static_cast<double>(range.size());
      }
      for (const LeastMapping::Block& there : before) {
        double common = 1.0;
        for (std::size_t dim = 0; dim < rank; ++dim) {
          common *= static_cast<double>(intersect(elements[dim], there.ranges[dim]).size());
        }
        missing -= common;
      }
      bytes += std::max(missing, 0.0) * static_cast<double>(copy.element_size);
    }
  }
  return bytes;
}

/// On a single grid over ports: what enters the port of the processor in the middle.
void LeastCommunications::move_on_grid(const CommunicationSpec& spec, LeastEnds& ends) const {
  constexpr std::int64_t largest_part = 64;  // each of its processors is compared with each other
  const std::span<const PortLevel> levels = machine_->port_levels();
  if (levels.empty() || levels.front().part > largest_part || !mapping_->box().single() ||
      spec.view != root_view) {
    return;
  }
  const machine::Network& network = *levels.front().network;
  const auto end_of = [&](std::int64_t processor) {
    const double bytes = moved_into(spec, processor, levels.front().part);
    return bytes > 0.0 ? bytes * network.byte_time + network::least_besides_load(network) : 0.0;
  };
  const double end = end_of(mapping_->number_of(mapping_->middle()));
  ends.last = std::max(ends.last, end);
  if (levels.front().part == 1) {
    ends.middle = end;
    ends.first = end_of(0);
  }
}

}  // namespace gridcast::model
