/// Buffers of remote elements: who sends how much to whom, at least.

#include <algorithm>
#include <cmath>
#include <limits>

#include "least_ends.h"

namespace gridcast::model {

using mapping::AxisRule;

/// What the readers of a buffer need lies where each of them is, but for the dimensions of which
/// all of them need the same position: one of those who differ there only has it for all of them.
struct LeastCommunications::Section {
  double readers = 1.0;   ///< who differ there only, at least
  double groups = 1.0;    ///< of such readers, at least
  double longest = 1.0;   ///< bytes that the readers of one of the groups need, at least
  double bytes = 1.0;     ///< one of each group, all together, at least
  double stride = 0.0;    ///< numbers of a sender and a receiver differ by so much, at least
  double distance = 0.0;  ///< over links, from each sender to the farthest of its receivers
};

namespace {

/// How far the farthest of `holders` coordinates that run the loop is from the one with a place of
/// the template, at least: as far as they are many if all are on one side of it.
double least_distance(const LeastCut& cut, const AxisRule& loop, std::int64_t place) {
  const auto steps = static_cast<std::int64_t>(cut.extent) - 1;
  const std::int64_t end = loop.constant + loop.coefficient * steps;
  const bool one_sided =
      loop.kind == AxisRule::Kind::linear &&
      (std::min(loop.constant, end) >= place || std::max(loop.constant, end) <= place);
  return one_sided ? cut.holders - 1.0 : std::ceil((cut.holders - 1.0) / 2.0);
}

/// Whether an array has all positions that iterations of a loop need of one of its dimensions.
bool has_all(const LeastLayout& array, std::size_t dim, const AxisRule& need,
             const LeastLayout& loop) {
  const bool linear = need.kind == AxisRule::Kind::linear;
  const std::int64_t steps = linear ? loop.extents[in(need.dim)] - 1 : 0;
  const std::int64_t last = need.constant + (linear ? need.coefficient * steps : 0);
  return need.kind == AxisRule::Kind::replicated ||
         (need.kind != AxisRule::Kind::bounded && std::min(need.constant, last) >= 0 &&
          std::max(need.constant, last) < array.extents[dim]);
}

}  // namespace

/// False if it is not known who needs what.
bool LeastCommunications::look_at(const RemotePart& part, Section& section) const {
  if (part.reader == none) {
    return false;
  }
  const Script& script = mapping_->script();
  const LeastLayout& array = mapping_->layout(part.array);
  const LeastLayout& loop = mapping_->layout(part.reader);
  const std::span<const AxisRule> needs = script.rules(part.needs);
  const auto& placements = script.tables().placements;
  if (array.view != root_view || !array.product || !loop.product || !(loop.elements > 0.0) ||
      placements[part.array].target != placements[part.reader].target ||
      needs.size() != array.extents.size()) {
    return false;
  }
  section.longest = static_cast<double>(part.element_size);
  for (std::size_t dim = 0; dim < needs.size(); ++dim) {
    if (!has_all(array, dim, needs[dim], loop)) {
      return false;
    }
    const bool whole = needs[dim].kind == AxisRule::Kind::replicated;
    section.longest *= whole ? static_cast<double>(array.extents[dim]) : 1.0;
  }
  section.bytes = section.longest;
  for (int dim = 0; dim < mapping_->box().rank(); ++dim) {
    const LeastCut& from = array.cuts[in(dim)];
    const LeastCut& to = loop.cuts[in(dim)];
    if (mapping_->box().last(dim) == 1) {
      continue;
    }
    if (from.dim < 0 || !from.complete || to.holders < 1.0) {
      return false;  // somebody may need nothing, or nobody hold what is needed
    }
    const AxisRule& need = needs[in(from.dim)];
    const AxisRule& of_array = *mapping_->rule(part.array, dim);
    const AxisRule& of_loop = *mapping_->rule(part.reader, dim);
    const std::int64_t place = of_array.coefficient * need.constant + of_array.constant;
    if (need.kind == AxisRule::Kind::constant) {
      const bool only = section.readers == 1.0 && section.stride == 0.0;
      section.stride = only ? static_cast<double>(mapping_->box().least_stride(dim)) : 1.0;
      section.readers *= to.holders;
      section.distance += least_distance(to, of_loop, place);
    } else if (need.kind == AxisRule::Kind::linear && of_loop.kind == AxisRule::Kind::linear &&
               need.dim == of_loop.dim && place == of_loop.constant &&
               of_array.coefficient * need.coefficient == of_loop.coefficient) {
      section.groups *= to.holders;
      section.longest *= to.longest;
      section.bytes *= to.held;
    } else {
      return false;
    }
  }
  return section.stride > 0.0;
}

/// If a communication loads several buffers, over links the farthest message may be of any of them
/// and decides, however short it is.
LeastEnds LeastCommunications::remote(const CommunicationSpec& spec) const {
  const auto& parts = mapping_->script().tables().remote_parts;
  LeastEnds ends;
  double distance = 0.0;
  double shortest = std::numeric_limits<double>::infinity();  // of the farthest messages, bytes
  for (const std::uint32_t id : mapping_->script().part_ids(spec.parts)) {
    Section section;
    const bool known = spec.view == root_view && look_at(parts[id], section);
    shortest = std::min(shortest, known ? section.longest : 1.0);
    const double others = section.readers - 1.0;
    if (!known || !(others > 0.0)) {
      continue;
    }
    double last = 0.0;
    if (machine_->links() == nullptr) {
      last = std::max(machine_->fan(others, machine_->has_links() ? 1.0 : section.longest),
                      machine_->load({others * section.groups, others * section.bytes,
                                      static_cast<double>(parts[id].element_size), section.stride,
                                      section.groups}));
    }
    distance = std::max(distance, section.distance);
    ends.last = std::max(ends.last, last);
    if (ends.reader.loop == none || last > ends.reader.last) {
      ends.reader = {parts[id].reader, last};
    }
  }
  if (machine_->links() != nullptr && distance > 0.0) {  // all at the same time
    ends.last = ends.reader.last = machine_->fan_over_links(distance, shortest);
  }
  return ends;
}

}  // namespace gridcast::model
