#include "least_pipeline.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gridcast/rules/pipeline.h"
#include "gridcast/rules/portions.h"

namespace gridcast::model {
namespace {

/// Where a prediction extrapolates portions or processors it is this much of a full simulation at
/// least (docs/model.md §6).
constexpr double extrapolated = 0.95;

/// The quantised dimensions in so many portions.
Portions cut(const LeastLayout& loop, int rank, std::int64_t quanta) {
  std::vector<std::int64_t> extents;
  const auto cuts = std::span(loop.cuts).first(in(rank));
  for (int dim = 0; dim < static_cast<int>(loop.extents.size()); ++dim) {
    if (std::none_of(cuts.begin(), cuts.end(),
                     [dim](const LeastCut& each) { return each.dim == dim; })) {
      extents.push_back(loop.extents[in(dim)]);
    }
  }
  Portions portions;
  portions.cut(extents, quanta);
  return portions;
}

}  // namespace

/// The dimensions along which the loop is a pipeline.
struct LeastPipelines::Lines {
  const LeastLayout* loop = nullptr;
  int rank = 0;
  std::array<bool, machine::max_grid_rank> along{};
  std::array<double, machine::max_grid_rank> width{};  ///< Σ over the arrays
  double element_size = 0.0;                           ///< the largest
  bool any = false;
};

LeastPipelines::Lines LeastPipelines::lines(const PipelineSpec& spec) const {
  const Script& script = mapping_->script();
  Lines lines;
  lines.loop = &mapping_->layout(spec.placement);
  lines.rank = mapping_->view(lines.loop->view).rank;
  for (const std::uint32_t id : script.part_ids(spec.parts)) {
    const ShadowPart& part = script.tables().shadow_parts[id];
    const LeastLayout& array = mapping_->layout(part.placement);
    for (int dim = 0; array.view == lines.loop->view && dim < lines.rank; ++dim) {
      const LeastCut& cut = lines.loop->cuts[in(dim)];
      const LeastCut& of_array = array.cuts[in(dim)];
      if (cut.dim < 0 || of_array.dim < 0) {
        continue;
      }
      const auto place = static_cast<std::size_t>(of_array.dim);
      const std::int64_t low = script.ints(part.low)[place];
      const std::int64_t high = script.ints(part.high)[place];
      const bool forward = cut.ascending == of_array.ascending;
      if (const std::int64_t width = forward || high == 0 ? low : high; width > 0) {
        lines.any = lines.along[in(dim)] = true;
        lines.width[in(dim)] += static_cast<double>(width);
        lines.element_size = std::max(lines.element_size, static_cast<double>(part.element_size));
      }
    }
  }
  return lines;
}

/// The number of portions ascends with every figure of the shape but the start time: with the most
/// or the least of each it bounds those of all grids.
PipelineShape LeastPipelines::shape(const Lines& lines, double call, bool most) const {
  const LeastLayout& loop = *lines.loop;
  const LeastView& view = mapping_->view(loop.view);
  PipelineShape shape;
  shape.portion_cost = machine_->library().portion;
  if (mapping_->options().portions == PortionChoice::trace) {
    shape.traced_start = mapping_->script().header().portion_start;
  }
  shape.quantised = loop.elements;
  double parallel = 1.0;
  double processors = 1.0;
  const auto longest = [&](int dim) {
    const LeastCut& cut = loop.cuts[in(dim)];
    return most ? cut.longest_most : cut.longest;
  };
  for (int dim = 0; dim < lines.rank; ++dim) {
    const LeastCut& cut = loop.cuts[in(dim)];
    if (cut.dim < 0) {
      continue;
    }
    shape.quantised /= cut.extent;
    if (lines.along[in(dim)]) {
      shape.pipelined *= cut.extent;
      processors *= static_cast<double>(most ? view.last[in(dim)] : view.first[in(dim)]);
    } else {
      parallel *= longest(dim);
    }
  }
  shape.processors = std::min(processors, view.most);
  for (int dim = 0; dim < lines.rank; ++dim) {
    if (!lines.along[in(dim)]) {
      continue;
    }
    double others = parallel;
    for (int other = 0; other < lines.rank; ++other) {
      others *= other != dim && lines.along[in(other)] ? longest(other) : 1.0;
    }
    shape.edge_width += (most ? lines.width[in(dim)] : 1.0) * others;
  }
  const double slow = most ? machine_->inverse_most() : machine_->inverse();
  shape.iteration_time = call / loop.elements * slow * parallel;
  // Whichever networks connect neighbours: the least, the most that a portion costs beside its
  // bytes.
  double byte_time = most ? 0.0 : std::numeric_limits<double>::infinity();
  PipelineShape dearest;
  for (const machine::Network& network : machine_->below()) {
    PipelineShape one;
    one.add_network(network);
    byte_time =
        most ? std::max(byte_time, network.byte_time) : std::min(byte_time, network.byte_time);
    dearest.add_network(network);
    shape.overhead = most && shape.ports ? std::min(shape.overhead, one.each_portion())
                                         : std::max(shape.overhead, one.each_portion());
    shape.ports = true;
  }
  shape.overhead = most ? shape.overhead : std::max(shape.overhead, dearest.each_portion());
  shape.element_transfer = lines.element_size * byte_time;
  return shape;
}

/// Whoever is behind others along a line begins after the first portion of each and the edges
/// between them. The way goes along one dimension after the other.
double LeastPipelines::fill(const Lines& lines, const Candidate& candidate, double portion) const {
  const LeastLayout& loop = *lines.loop;
  double time = 0.0;
  double cut_before = 1.0;  // of the dimensions that are behind us: the candidate's part
  for (int dim = 0; dim < lines.rank; ++dim) {
    const LeastCut& cut = loop.cuts[in(dim)];
    if (cut.dim < 0) {
      continue;
    }
    const auto place = static_cast<std::size_t>(candidate[in(dim)]);
    const bool behind = lines.along[in(dim)] && cut.full >= 1.0 &&
                        candidate[in(dim)] == (cut.ascending ? Place::late : Place::second);
    if (behind && cut.part[place] > 0.0) {
      double points = cut.beyond[place] * cut_before;
      for (int other = dim + 1; other < lines.rank; ++other) {
        const LeastCut& rest = loop.cuts[in(other)];
        const bool waits = lines.along[in(other)];
        const auto from = waits ? static_cast<std::size_t>(Place::first)
                                : static_cast<std::size_t>(candidate[in(other)]);
        points *= rest.dim < 0 ? 1.0 : waits && !rest.ascending ? 0.0 : rest.part[from];
      }
      // Whoever holds what lies beyond is a step away from the next.
      const double steps = std::ceil(cut.beyond[place] / std::max(cut.longest_most, 1.0));
      const auto stride =
          static_cast<double>(loop.view == 0 ? mapping_->box().least_stride(dim) : 1);
      time += points * portion + steps * machine_->arrival(0.0, stride);
    }
    cut_before *= cut.part[place];
  }
  return time;
}

/// Edges of at least so many portions; those that a prediction extrapolates do not count.
double LeastPipelines::load(const Lines& lines, std::int64_t quanta) const {
  const LeastLayout& loop = *lines.loop;
  double depth = 0.0;
  Load time;
  for (int dim = 0; dim < lines.rank; ++dim) {
    if (!lines.along[in(dim)]) {
      continue;
    }
    depth += static_cast<double>(mapping_->view(loop.view).first[in(dim)] - 1);
    Stream edges{loop.cuts[in(dim)].pairs, 0.0, 0.0, 1.0};
    for (int other = 0; other < lines.rank; ++other) {
      edges.count *= other != dim ? loop.cuts[in(other)].holders : 1.0;
    }
    edges.distance = static_cast<double>(loop.view == 0 ? mapping_->box().least_stride(dim) : 1);
    time += machine_->load(edges);
  }
  const double portions = cut(loop, lines.rank, quanta).count();
  const double simulated = depth + 2.0 * static_cast<double>(steady_portions);
  return time.longest() * (mode_ == PipelineMode::full ? portions : std::min(portions, simulated));
}

LeastPipeline LeastPipelines::times(const PipelineSpec& spec, double call, double shaped) const {
  LeastPipeline result;
  const Lines lines = this->lines(spec);
  const LeastLayout& loop = *lines.loop;
  // A dimension that one coordinate holds is no line and no parallel one, but quantised.
  const auto cuts = std::span(loop.cuts).first(in(lines.rank));
  const bool several = std::none_of(cuts.begin(), cuts.end(), [&](const LeastCut& cut) {
    return cut.cuts &&
           mapping_->view(loop.view).first[static_cast<std::size_t>(&cut - loop.cuts.data())] == 1;
  });
  if (!lines.any || !several || !loop.product || !loop.located || spec.view != loop.view ||
      !(loop.elements > 0.0) || machine_->below().empty()) {
    return result;
  }
  const PipelineShape high = shape(lines, call, true);
  const PipelineShape low = shape(lines, call, false);
  const bool chosen = mode_ != PipelineMode::exhaustive;
  const double most =
      chosen ? std::min(std::floor(high.ideal_quanta()) + 1.0, high.quantised) : high.quantised;
  const double least =
      chosen ? std::clamp(std::floor(low.ideal_quanta()), 1.0, low.quantised) : 1.0;
  const double points = cut(loop, lines.rank, static_cast<std::int64_t>(most)).size(0);
  const double portion = points * call / loop.elements * machine_->inverse() * shaped;
  const bool all = mode_ == PipelineMode::full ||
                   cut(loop, lines.rank, static_cast<std::int64_t>(most)).count() <=
                       2.0 * static_cast<double>(steady_portions);
  const double certain = all ? 1.0 : extrapolated;
  const auto candidates = mapping_->candidates();
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    result.fill[k] = certain * fill(lines, candidates[k], portion);
  }
  result.last = certain * load(lines, static_cast<std::int64_t>(least));
  return result;
}

}  // namespace gridcast::model
