/// Shadow edges: who sends how much to whom, at least.

#include <algorithm>
#include <limits>
#include <vector>

#include "least_ends.h"
#include "least_ports.h"

namespace gridcast::model {

/// Edges across one dimension of the arrays of a group that lie alike: they go in one message.
struct LeastCommunications::Edges {
  /// Bytes of the edges into low and into high shadows, per position of the other dimensions.
  struct Widths {
    double low = 0.0, high = 0.0;
  };
  Widths one;   ///< of a block of one position or more
  Widths full;  ///< of a block of LeastCut::full or more
  Widths all;   ///< whatever the block, at most
  double full_positions = 1.0;

  void add(double element, double low, double high) {
    const auto widen = [&](Widths& widths, double most) {
      widths.low += element * std::min(low, most);
      widths.high += element * std::min(high, most);
    };
    widen(one, 1.0);
    widen(full, full_positions);
    widen(all, std::numeric_limits<double>::infinity());
  }
};

namespace {

/// A processor in the middle of the grid, as far as it is known to have one: it has whole blocks
/// along dimensions with three coordinates or more that hold something, and two neighbours there.
struct Middle {
  double neighbours = 0.0;
  double positions = 0.0;

  explicit Middle(const LeastCut& cut) : positions(cut.longest) {
    if (cut.pairs() >= 2.0) {
      neighbours = 2.0;
      positions = cut.full;
    } else if (cut.pairs() >= 1.0) {
      neighbours = 1.0;
    }
  }
};

}  // namespace

LeastCommunications::Edges LeastCommunications::edges(const CommunicationSpec& spec,
                                                      PlacementId placement,
                                                      std::size_t array_dim) const {
  const Script& script = mapping_->script();
  Edges edges;
  for (const LeastCut& cut : mapping_->layout(placement).cuts) {
    if (cut.dim >= 0 && in(cut.dim) == array_dim) {
      edges.full_positions = std::max(cut.full, 1.0);
    }
  }
  for (const std::uint32_t id : script.part_ids(spec.parts)) {
    const ShadowPart& part = script.tables().shadow_parts[id];
    if (part.placement == placement) {
      edges.add(static_cast<double>(part.element_size),
                static_cast<double>(script.ints(part.low)[array_dim]),
                static_cast<double>(script.ints(part.high)[array_dim]));
    }
  }
  return edges;
}

/// Edges straight along the dimensions of the grid; corners come on top. Over links messages that
/// go farther than others, however short, decide how long all of them take.
double LeastCommunications::exchange(const CommunicationSpec& spec, PlacementId placement) const {
  const LeastLayout& layout = mapping_->layout(placement);
  const int rank = mapping_->view(layout.view).rank;
  if (!layout.product || !layout.split || !is_within(layout.view, spec.view)) {
    return 0.0;
  }
  std::vector<Stream> streams;
  std::vector<network::LeastMessages> sent;      // by a processor in the middle
  std::vector<network::LeastMessages> received;  // by it
  double longest = 0.0;
  for (int dim = 0; dim < rank; ++dim) {
    const LeastCut& cut = layout.cuts[in(dim)];
    if (cut.dim < 0) {
      continue;
    }
    // One way along this dimension, one element wide and of a byte.
    const double alike = layout.elements / cut.extent;
    Stream stream{cut.pairs(), alike, alike};
    stream.distance =
        layout.view == root_view ? static_cast<double>(mapping_->box().least_stride(dim)) : 1.0;
    stream.longest = alike;
    double message = alike;
    double of_middle = alike;
    for (int other = 0; other < rank; ++other) {
      const LeastCut& across = layout.cuts[in(other)];
      if (other != dim) {
        stream.count *= across.holders;
        stream.bytes *= across.dim >= 0 ? across.held / across.extent : across.holders;
      }
      if (other != dim && across.dim >= 0) {
        stream.own /= across.extent;
        stream.longest *= across.longest_most / across.extent;
        message *= across.longest / across.extent;
        of_middle *= Middle(across).positions / across.extent;
      }
    }
    if (!(stream.count > 0.0)) {
      continue;
    }
    const Edges edges = this->edges(spec, placement, in(cut.dim));
    const Middle middle(cut);
    using Widths = Edges::Widths;
    const auto least = [](const Widths& widths) { return std::min(widths.low, widths.high); };
    if (middle.neighbours == 1.0) {
      sent.push_back({least(edges.one) > 0.0 ? 1.0 : 0.0, of_middle * least(edges.one)});
      received.push_back(sent.back());
    }
    for (const auto side : {&Widths::low, &Widths::high}) {
      if (!(edges.all.*side > 0.0)) {
        continue;
      }
      // The first sender may hold less than a block.
      Stream one = stream;
      one.bytes *= (cut.pairs() - 1.0) * edges.full.*side + edges.one.*side;
      one.own *= edges.one.*side;
      one.longest *= edges.all.*side;
      streams.push_back(one);
      longest = std::max(longest,
                         machine_->arrival(machine_->has_links() ? 1.0 : message * edges.one.*side,
                                           stream.distance));
      if (middle.neighbours == 2.0) {
        sent.push_back({1.0, of_middle * edges.full.*side});
        received.push_back({1.0, of_middle * (cut.pairs() >= 4.0 ? edges.full : edges.one).*side});
      }
    }
  }
  if (free()) {
    return std::max(longest, machine_->load(streams));
  }
  return std::max({longest, machine_->load(streams),
                   machine_->of_one(sent, network::FanWay::either),
                   machine_->of_one(received, network::FanWay::in)});
}

/// On a single grid over ports: of the processor in the middle and of processor 0.
void LeastCommunications::exchange_on_grid(const CommunicationSpec& spec, LeastEnds& ends) const {
  if (machine_->port_levels().empty() || !mapping_->box().single() || spec.view != root_view) {
    return;
  }
  PortEdges edges(*mapping_, spec);
  if (edges.known()) {
    ends.middle = edges.end_of(mapping_->middle(), machine_->port_levels());
    ends.first = edges.end_of({}, machine_->port_levels());
    ends.last = std::max({ends.last, ends.middle, ends.first});
  }
}

}  // namespace gridcast::model
