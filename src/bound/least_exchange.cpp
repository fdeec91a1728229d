/// Shadow edges: who sends how much to whom, at least.

#include <algorithm>
#include <limits>

#include "gridcast/network/least.h"
#include "least_ends.h"

namespace gridcast::model {

namespace {

using Shift = std::array<int, machine::max_grid_rank>;

/// The next way to go at most one step along each of `rank` dimensions; false after the last.
bool next_shift(Shift& shift, int rank) {
  for (int dim = rank; dim-- > 0;) {
    if (++shift[in(dim)] <= 1) {
      return true;
    }
    shift[in(dim)] = -1;
  }
  return false;
}

Shift first_shift(int rank) {
  Shift shift{};
  std::fill_n(shift.begin(), rank, -1);
  return shift;
}

/// Whether the processor that many steps away runs earlier iterations of the loop: the first
/// dimension of the loop that differs decides.
bool runs_earlier(const LeastLayout& loop, const Shift& shift, int rank) {
  int first = -1;
  for (int dim = 0; dim < rank; ++dim) {
    const int of_loop = loop.cuts[in(dim)].dim;
    if (shift[in(dim)] != 0 && of_loop >= 0 && (first < 0 || of_loop < loop.cuts[in(first)].dim)) {
      first = dim;
    }
  }
  return first >= 0 && (shift[in(first)] < 0) == loop.cuts[in(first)].ascending;
}

}  // namespace

/// The edges of one array.
struct LeastCommunications::Edges {
  const Script* script;
  const ShadowPart* part;
  const LeastLayout* layout;
  int rank;

  [[nodiscard]] double width(int dim, int step) const {
    const LeastCut& cut = layout->cuts[in(dim)];
    const bool to_left = (step < 0) == cut.ascending;
    return static_cast<double>(
        script->ints(to_left ? part->high : part->low)[static_cast<std::size_t>(cut.dim)]);
  }

  /// Elements along the dimensions of the array that no dimension of the grid cuts.
  [[nodiscard]] double uncut() const {
    double product = static_cast<double>(part->element_size) * layout->elements;
    for (int dim = 0; dim < rank; ++dim) {
      const LeastCut& cut = layout->cuts[in(dim)];
      product /= cut.dim >= 0 ? cut.extent : 1.0;
    }
    return product;
  }

  /// Whether the edges exist at all.
  [[nodiscard]] bool go(const Shift& shift) const {
    std::int64_t steps = 0;
    for (int dim = 0; dim < rank; ++dim) {
      if (shift[in(dim)] != 0) {
        ++steps;
        if (layout->cuts[in(dim)].dim < 0 || !(width(dim, shift[in(dim)]) > 0.0)) {
          return false;
        }
      }
    }
    return steps > 0 && steps <= part->tuple_limit;
  }

  /// All messages of this way.
  [[nodiscard]] Stream all(const Shift& shift, const machine::GridBox& box) const {
    Stream stream{1.0, uncut(), uncut(), 0.0};
    for (int dim = 0; dim < rank; ++dim) {
      const LeastCut& cut = layout->cuts[in(dim)];
      const int step = shift[in(dim)];
      if (step == 0) {
        stream.count *= cut.holders;
        stream.bytes *= cut.dim >= 0 ? cut.held : cut.holders;
        continue;
      }
      // The first sender may hold less than a block.
      const double wide = std::min(width(dim, step), std::max(cut.full, 1.0));
      stream.count *= cut.pairs;
      stream.bytes *= cut.pairs > 0.0 ? (cut.pairs - 1.0) * wide + 1.0 : 0.0;
      const auto stride = static_cast<double>(layout->view == 0 ? box.least_stride(dim) : 1);
      stream.distance = std::max(stream.distance - stride, stride);
    }
    const bool straight = std::count(shift.begin(), shift.begin() + rank, 0) == rank - 1;
    stream.distance = straight ? std::max(stream.distance, 1.0) : 1.0;
    return stream;
  }

  /// Bytes of a candidate's messages: what it sends that way, and what it gets from there.
  struct Own {
    double sent = 0.0;      ///< at least; 0 if that may be nothing
    double received = 0.0;  ///< the same
  };

  [[nodiscard]] Own own(const Candidate& candidate, const Shift& shift) const {
    Own bytes{uncut(), uncut()};
    for (int dim = 0; dim < rank; ++dim) {
      const LeastCut& cut = layout->cuts[in(dim)];
      const auto place = static_cast<std::size_t>(candidate[in(dim)]);
      const int step = shift[in(dim)];
      if (step == 0) {
        const double part = cut.dim >= 0 || cut.cuts ? cut.part[place] : 1.0;
        bytes.sent *= part;
        bytes.received *= part;
        continue;
      }
      // The neighbour's block may be shorter, and the edges on the two sides of a block differ.
      const bool there = step < 0 ? cut.lower[place] : cut.upper[place];
      const double least = std::min(1.0, cut.part[place]);
      bytes.sent *= there ? std::min(width(dim, step), cut.part[place]) : 0.0;
      bytes.received *= there ? least * std::min(width(dim, -step), cut.shortest) : 0.0;
    }
    return bytes;
  }

  [[nodiscard]] Stream before(const Candidate& candidate, const Shift& shift, int lead,
                              double rows) const;

  /// Calls f with each way that edges go; `straight`: to direct neighbours only; `loop`: only to
  /// where it runs earlier, if set.
  template <class F>
  void for_each_way(const LeastLayout* loop, bool straight, F&& f) const {
    Shift shift = first_shift(rank);
    do {
      const auto still = std::count(shift.begin(), shift.begin() + rank, 0);
      if (go(shift) && (!straight || still == rank - 1) &&
          (loop == nullptr || runs_earlier(*loop, shift, rank))) {
        f(shift);
      }
    } while (next_shift(shift, rank));
  }
};

/// Over links the messages that go farthest decide, however short they are: corners, edges that
/// wrap, those of a processor system in another shape.
double LeastCommunications::least_apart(const CommunicationSpec& spec) const {
  if ((spec.kind != CommunicationSpec::Kind::shadow &&
       spec.kind != CommunicationSpec::Kind::old_values) ||
      !machine_->has_links()) {
    return 0.0;
  }
  bool apart = false;
  double least = std::numeric_limits<double>::infinity();
  for (const std::uint32_t id : mapping_->script().part_ids(spec.parts)) {
    const ShadowPart& part = mapping_->script().tables().shadow_parts[id];
    apart = apart || part.rings != 0 || part.tuple_limit > 1 ||
            mapping_->layout(part.placement).view != 0;
    least = std::min(least, static_cast<double>(part.element_size));
  }
  return apart ? least : 0.0;
}

LeastEnds LeastCommunications::exchange(const ShadowPart& part, const LeastLayout* before,
                                        double apart) const {
  LeastEnds ends;
  const LeastLayout& layout = mapping_->layout(part.placement);
  const int rank = mapping_->view(layout.view).rank;
  if (!layout.product || !layout.split) {
    return ends;
  }
  const Edges edges{&mapping_->script(), &part, &layout, rank};
  const auto candidates = mapping_->candidates();
  Load load;
  edges.for_each_way(before, false, [&](const Shift& shift) {
    const Stream stream = edges.all(shift, mapping_->box());
    load += machine_->load(stream);
    if (stream.count > 0.0) {
      const double bytes = apart > 0.0 ? apart : edges.uncut();
      ends.last = std::max(ends.last, machine_->arrival(bytes, stream.distance));
    }
    for (std::size_t k = 0; layout.located && k < candidates.size(); ++k) {
      const Edges::Own bytes = edges.own(candidates[k], shift);
      if (bytes.sent > 0.0) {
        const double sent = machine_->message(apart > 0.0 ? apart : bytes.sent, stream.distance);
        ends.own[k] = std::max(ends.own[k], sent);
      }
      if (bytes.received > 0.0 && before == nullptr) {
        const double received = apart > 0.0 ? apart : bytes.received;
        ends.own[k] = std::max(ends.own[k], machine_->arrival(received, stream.distance));
      }
    }
  });
  ends.last = std::max(ends.last, load.longest());
  ends.idle = ends.own;
  if (!(apart > 0.0)) {
    take_turns(edges, before, ends);
  }
  return ends;
}

/// Messages one way of processors that are before the candidate along dimension `lead`, the first
/// in which it is not the first.
Stream LeastCommunications::Edges::before(const Candidate& candidate, const Shift& shift, int lead,
                                          double rows) const {
  const LeastCut& along = layout->cuts[in(lead)];
  const double here = shift[in(lead)] < 0 ? rows - 1.0 : rows;
  Stream stream{here, uncut(), uncut(), 1.0};
  for (int dim = 0; dim < rank; ++dim) {
    const LeastCut& cut = layout->cuts[in(dim)];
    const auto place = static_cast<std::size_t>(candidate[in(dim)]);
    if (dim < lead) {
      stream.bytes *= cut.dim >= 0 ? cut.part[place] : 1.0;
    } else if (dim == lead) {
      const double positions = candidate[in(dim)] == Place::late
                                   ? along.beyond[place]
                                   : along.part[static_cast<std::size_t>(Place::first)];
      stream.bytes *= shift[in(dim)] != 0 ? here : positions;
    } else {
      stream.count *= shift[in(dim)] != 0 ? cut.pairs : cut.holders;
      stream.bytes *= shift[in(dim)] != 0 ? cut.pairs : cut.dim >= 0 ? cut.held : cut.holders;
    }
  }
  return stream;
}

/// Messages of a candidate wait for those that surely come before them in the list.
void LeastCommunications::take_turns(const Edges& edges, const LeastLayout* before,
                                     LeastEnds& ends) const {
  const std::span<const LeastCut> cuts(edges.layout->cuts.data(), in(edges.rank));
  if (!edges.layout->located || std::any_of(cuts.begin(), cuts.end(), [](const LeastCut& cut) {
        return cut.cuts && !cut.covers;
      })) {
    return;
  }
  const auto candidates = mapping_->candidates();
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    int lead = 0;
    while (lead < edges.rank && mapping_->coordinate(candidates[k], lead) == 0.0) {
      ++lead;
    }
    if (lead == edges.rank || cuts[in(lead)].dim < 0) {
      continue;
    }
    const double rows = mapping_->coordinate(candidates[k], lead);
    double count = 0.0;     // on the network that connects all
    double time = 0.0;      // on a bus
    double farthest = 0.0;  // of the candidate's own
    edges.for_each_way(before, true, [&](const Shift& shift) {
      if (std::any_of(shift.begin(), shift.begin() + lead, [](int step) { return step != 0; })) {
        return;
      }
      Stream stream = edges.before(candidates[k], shift, lead, rows);
      stream.distance = edges.all(shift, mapping_->box()).distance;
      if (edges.own(candidates[k], shift).sent > 0.0) {
        farthest = std::max(farthest, stream.distance);
      }
      count += machine_->crossing(stream);
      if (const machine::Network* bus = machine_->bus(); bus != nullptr) {
        time += network::least_load(*bus, stream.count, stream.bytes, 1.0);
      }
    });
    if (farthest > 0.0) {
      const double turn = machine_->turn(count, edges.uncut(), farthest);
      ends.idle[k] = std::max({ends.idle[k], turn, time + ends.own[k]});
    }
  }
}

}  // namespace gridcast::model
