/// Shadow edges: who sends how much to whom, at least.

#include <algorithm>

#include "least_ends.h"

namespace gridcast::model {

/// Edges straight along the dimensions of the grid; corners come on top. Over links messages that
/// go farther than others, however short, decide how long all of them take.
double LeastCommunications::exchange(const ShadowPart& part, ViewId view) const {
  const LeastLayout& layout = mapping_->layout(part.placement);
  const int rank = mapping_->view(layout.view).rank;
  if (!layout.product || !layout.split || !is_within(layout.view, view)) {
    return 0.0;
  }
  const Script& script = mapping_->script();
  double all = 0.0;
  double longest = 0.0;
  for (int dim = 0; dim < rank; ++dim) {
    const LeastCut& cut = layout.cuts[in(dim)];
    if (cut.dim < 0) {
      continue;
    }
    // One way along this dimension, one element wide.
    const double alike = static_cast<double>(part.element_size) * layout.elements / cut.extent;
    Stream stream{cut.pairs(), alike, alike};
    stream.distance =
        layout.view == root_view ? static_cast<double>(mapping_->box().least_stride(dim)) : 1.0;
    double message = alike;
    for (int other = 0; other < rank; ++other) {
      const LeastCut& across = layout.cuts[in(other)];
      if (other != dim) {
        stream.count *= across.holders;
        stream.bytes *= across.dim >= 0 ? across.held / across.extent : across.holders;
        stream.own /= across.dim >= 0 ? across.extent : 1.0;
        message *= across.dim >= 0 ? across.longest / across.extent : 1.0;
      }
    }
    if (!(stream.count > 0.0)) {
      continue;
    }
    const double alone = stream.bytes;
    for (const Slice widths : {part.low, part.high}) {
      const auto width = static_cast<double>(script.ints(widths)[in(cut.dim)]);
      if (width > 0.0) {
        // The first sender may hold less than a block.
        stream.bytes =
            alone * ((cut.pairs() - 1.0) * std::min(width, std::max(cut.full, 1.0)) + 1.0);
        all += machine_->load(stream);
        longest = std::max(
            longest, machine_->arrival(machine_->has_links() ? 1.0 : message, stream.distance));
      }
    }
  }
  return std::max(all, longest);
}

}  // namespace gridcast::model
