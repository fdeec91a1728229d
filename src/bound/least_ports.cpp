#include "least_ports.h"

#include <algorithm>

namespace gridcast::model {

PortEdges::PortEdges(LeastMapping& mapping, const CommunicationSpec& spec) : mapping_(&mapping) {
  const std::span<const std::uint32_t> ids = mapping.script().part_ids(spec.parts);
  arrays_.reserve(ids.size());
  for (const std::uint32_t id : ids) {
    const ShadowPart& shadow = mapping.script().tables().shadow_parts[id];
    const ExactLayout* const layout = mapping.exact(shadow.placement);
    known_ = known_ && layout != nullptr;
    if (mapping.layout(shadow.placement).split) {
      arrays_.push_back({&shadow, layout});
    }
  }
}

bool PortEdges::step(const Array& array, const GridCoordinates& from, const Steps& steps,
                     GridCoordinates& to) const {
  to = from;
  for (int dim = 0; dim < mapping_->box().rank(); ++dim) {
    const mapping::AxisCut& cut = array.layout->cuts[in(dim)];
    if (steps[in(dim)] != 0) {
      const bool ring = (array.part->rings >> static_cast<unsigned>(cut.dim()) & 1U) != 0;
      std::int64_t& there = to[in(dim)];
      there += steps[in(dim)];
      if (ring && from[in(dim)] == cut.first() && steps[in(dim)] < 0) {
        there = cut.end() - 1;
      } else if (ring && from[in(dim)] == cut.end() - 1 && steps[in(dim)] > 0) {
        there = cut.first();
      }
      if (there < 0 || there >= mapping_->box().first(dim) || there == from[in(dim)]) {
        return false;
      }
    }
    if (cut.active() && (cut.range(from[in(dim)]).empty() || cut.range(to[in(dim)]).empty())) {
      return false;
    }
  }
  return true;
}

double PortEdges::bytes_of(const Array& array, const GridCoordinates& from,
                           const Steps& steps) const {
  const Script& script = mapping_->script();
  const LeastLayout& layout = mapping_->layout(array.part->placement);
  double bytes = static_cast<double>(array.part->element_size) * layout.elements;
  for (int dim = 0; dim < mapping_->box().rank(); ++dim) {
    const mapping::AxisCut& cut = array.layout->cuts[in(dim)];
    if (!cut.active() || cut.dim() < 0) {
      continue;
    }
    std::int64_t positions = cut.range(from[in(dim)]).size();
    if (steps[in(dim)] != 0) {
      const bool to_left = (steps[in(dim)] < 0) == cut.ascending();
      const Slice widths = to_left ? array.part->high : array.part->low;
      positions = std::min(positions, script.ints(widths)[in(cut.dim())]);
    }
    bytes *= static_cast<double>(positions) / static_cast<double>(layout.extents[in(cut.dim())]);
  }
  return bytes;
}

void PortEdges::find(std::int64_t processor, const PortLevel& level, bool out) {
  edges_.clear();
  const GridCoordinates here = mapping_->coordinates_of(processor);
  for (const Array& array : arrays_) {
    std::array<int, machine::max_grid_rank> dims{};
    int cuts = 0;
    for (int dim = 0; dim < mapping_->box().rank(); ++dim) {
      const mapping::AxisCut& cut = array.layout->cuts[in(dim)];
      if (cut.active() && cut.dim() >= 0) {
        dims[in(cuts++)] = dim;
      }
    }
    int ways = 1;
    for (int k = 0; k < cuts; ++k) {
      ways *= 3;
    }
    for (int way = 1; way < ways; ++way) {
      Steps steps{};
      Steps back{};
      int taken = 0;
      for (int k = 0, rest = way; k < cuts; ++k, rest /= 3) {
        const int one = rest % 3 == 2 ? -1 : rest % 3;
        steps[in(dims[in(k)])] = one;
        back[in(dims[in(k)])] = -one;
        taken += one != 0 ? 1 : 0;
      }
      GridCoordinates there{};
      if (taken > array.part->tuple_limit || !step(array, here, out ? steps : back, there)) {
        continue;
      }
      const std::int64_t other = mapping_->number_of(there);
      const double bytes = bytes_of(array, out ? here : there, steps);
      if (other / level.part == processor / level.part ||
          other / level.whole != processor / level.whole || !(bytes > 0.0)) {
        continue;
      }
      const auto known = std::find_if(edges_.begin(), edges_.end(),
                                      [other](const Edge& edge) { return edge.other == other; });
      if (known == edges_.end()) {
        edges_.push_back({other, bytes});
      } else {
        known->bytes += bytes;
      }
    }
  }
}

void PortEdges::pass(std::int64_t processor, const PortLevel& level, bool out,
                     network::PortPassage& passage) {
  for_each_of_part(processor, level, out, [&](std::int64_t, std::int64_t, double bytes) {
    passage.add(0.0, network::port_time(*level.network, bytes));
  });
  network::Port port;
  port.enter(passage);
}

void PortEdges::add_arrivals(std::int64_t processor, const PortLevel& level) {
  find(processor, level, false);
  if (edges_.empty()) {
    return;
  }
  const std::vector<Edge> own = edges_;
  network::PortPassage into;
  pass(processor, level, false, into);
  for (const Edge& edge : own) {
    double through = into.end(*level.network, edge.bytes, 0.0);
    if (level.part == 1) {  // of a larger part that costs more than it tells
      network::PortPassage out;
      pass(edge.other, level, true, out);
      through = std::max(through, out.end(*level.network, edge.bytes, 0.0));
    }
    arrivals_.push_back({level.network->send_time + through + level.network->start_time,
                         level.network->receive_time});
  }
}

double PortEdges::end_of(const GridCoordinates& processor, std::span<const PortLevel> levels) {
  arrivals_.clear();
  for (const PortLevel& level : levels) {
    add_arrivals(mapping_->number_of(processor), level);
  }
  std::sort(arrivals_.begin(), arrivals_.end(),
            [](const Arrival& a, const Arrival& b) { return a.time < b.time; });
  double received = 0.0;
  for (const Arrival& arrival : arrivals_) {
    received = std::max(received, arrival.time) + arrival.receive_time;
  }
  return received;
}

}  // namespace gridcast::model
