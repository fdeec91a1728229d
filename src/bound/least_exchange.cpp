/// Shadow edges: who sends how much to whom, at least.

#include <algorithm>
#include <limits>

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

  /// The longest of them, at least.
  [[nodiscard]] double longest(const Shift& shift) const {
    double bytes = uncut();
    for (int dim = 0; dim < rank; ++dim) {
      const LeastCut& cut = layout->cuts[in(dim)];
      bytes *= shift[in(dim)] == 0 && cut.dim >= 0 ? cut.longest : 1.0;
    }
    return bytes;
  }

  /// Calls f with each way that edges go; only to where the loop runs earlier, if it is set.
  template <class F>
  void for_each_way(const LeastLayout* loop, F&& f) const {
    Shift shift{};
    std::fill_n(shift.begin(), rank, -1);
    do {
      if (go(shift) && (loop == nullptr || runs_earlier(*loop, shift, rank))) {
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

double LeastCommunications::exchange(const ShadowPart& part, ViewId view, const LeastLayout* before,
                                     double apart) const {
  const LeastLayout& layout = mapping_->layout(part.placement);
  const int rank = mapping_->view(layout.view).rank;
  if (!layout.product || !layout.split || !is_within(layout.view, view)) {
    return 0.0;
  }
  const Edges edges{&mapping_->script(), &part, &layout, rank};
  double all = 0.0;
  double longest = 0.0;
  edges.for_each_way(before, [&](const Shift& shift) {
    const Stream stream = edges.all(shift, mapping_->box());
    all += machine_->load(stream);
    if (stream.count > 0.0) {
      const double bytes = apart > 0.0 ? apart : edges.longest(shift);
      longest = std::max(longest, machine_->arrival(bytes, stream.distance));
    }
  });
  return std::max(all, longest);
}

}  // namespace gridcast::model
