/// Pipelined loops: how long they take at least (docs/search.md, "Pipelines").

#include <algorithm>
#include <cmath>

#include "least_ends.h"

namespace gridcast::model {
namespace {

/// Where a prediction extrapolates portions or processors it is this much of a full simulation at
/// least (docs/model.md §6).
constexpr double extrapolated = 0.95;

using Lines = std::array<bool, machine::max_grid_rank>;

/// Three coordinates or more hold something, so that those between the first and the last of them
/// hold whole blocks.
bool on_way(const LeastCut& cut) { return cut.full >= 1.0 && cut.holders >= 3.0; }

/// The dimensions of the grid along which processors of the loop wait for each other.
Lines lines_of(const PipelineSpec& spec, LeastMapping& mapping) {
  const Script& script = mapping.script();
  const LeastLayout& loop = mapping.layout(spec.placement);
  Lines lines{};
  for (const std::uint32_t id : script.part_ids(spec.parts)) {
    const ShadowPart& part = script.tables().shadow_parts[id];
    const LeastLayout& array = mapping.layout(part.placement);
    for (std::size_t dim = 0; array.view == loop.view && dim < lines.size(); ++dim) {
      const LeastCut& cut = loop.cuts[dim];
      const LeastCut& of_array = array.cuts[dim];
      if (cut.dim < 0 || of_array.dim < 0) {
        continue;
      }
      const auto place = static_cast<std::size_t>(of_array.dim);
      const std::int64_t low = script.ints(part.low)[place];
      const std::int64_t high = script.ints(part.high)[place];
      const bool forward = cut.ascending == of_array.ascending;
      lines[dim] = lines[dim] || (forward || high == 0 ? low : high) > 0;
    }
  }
  return lines;
}

}  // namespace

double LeastCommunications::pipeline(const PipelineSpec& spec, double seconds) const {
  const LeastLayout& loop = mapping_->layout(spec.placement);
  const Lines lines = lines_of(spec, *mapping_);
  if (!loop.product || loop.view != root_view || spec.view != loop.view || !(loop.elements > 0.0)) {
    return 0.0;
  }
  // Positions of each dimension that a processor has: where there is a way along it, any but the
  // first and the last along it, else the one with the longest part.
  double block = 1.0;  // positions of all dimensions that are cut
  double all = 1.0;
  for (std::size_t dim = 0; dim < lines.size(); ++dim) {
    const LeastCut& cut = loop.cuts[dim];
    if (cut.cuts && mapping_->view(loop.view).first[dim] == 1) {
      return 0.0;  // a dimension that one coordinate holds is no line, but quantised
    }
    block *= lines[dim] && on_way(cut) ? cut.full : cut.longest;
    all *= cut.extent;
  }
  if (!(block > 0.0)) {
    return 0.0;  // maybe nobody has iterations
  }
  double fill = 0.0;
  double ends = 2.0;  // coordinates of a line that its way leaves out
  for (std::size_t dim = 0; dim < lines.size(); ++dim) {
    const LeastCut& cut = loop.cuts[dim];
    if (!lines[dim] || !on_way(cut)) {
      continue;
    }
    const double positions = std::max(cut.held - ends * cut.longest_most, 0.0);
    const auto stride = static_cast<double>(mapping_->box().least_stride(static_cast<int>(dim)));
    fill += positions * block / cut.full * seconds / loop.elements;
    fill += std::ceil(positions / cut.longest_most) * machine_->arrival(0.0, stride);
    ends = 3.0;  // it begins where the one before it went along: behind the first
  }
  const double certain = options_.pipeline == PipelineMode::full ? 1.0 : extrapolated;
  return certain * fill + seconds * block / all;
}

}  // namespace gridcast::model
