/// Buffers of remote elements: who sends how much to whom, at least.

#include <algorithm>
#include <cmath>

#include "least_ends.h"

namespace gridcast::model {

using mapping::AxisRule;

/// What the readers need of an array.
struct LeastCommunications::Section {
  const LeastLayout* array = nullptr;
  const LeastView* system = nullptr;                     ///< of the array
  std::array<LeastCut, machine::max_grid_rank> readers;  ///< along each dimension of their system
  const LeastView* readers_system = nullptr;
  bool same_system = false;
  double element = 1.0;      ///< bytes
  double bytes = 1.0;        ///< of each reader, but for the dimensions in `linear`
  std::uint32_t fixed = 0;   ///< dimensions of the array of which all need the same position
  std::uint32_t linear = 0;  ///< dimensions of the loop whose iterations need other elements each
  /// But for `fixed`, what a reader needs is where the reader is.
  bool aligned = false;
  /// All readers are on one side of the position that they need.
  std::array<bool, machine::max_grid_rank> one_sided{};

  /// A position that all readers need is on one coordinate of this dimension.
  [[nodiscard]] bool fixed_along(int dim) const noexcept {
    const LeastCut& cut = array->cuts[in(dim)];
    return cut.cuts && cut.dim >= 0 && (fixed >> cut.dim & 1U) != 0;
  }
  [[nodiscard]] bool varies_along(int dim) const noexcept {
    const LeastCut& cut = readers[in(dim)];
    return cut.cuts && cut.dim >= 0 && (linear >> cut.dim & 1U) != 0;
  }
};

/// False if somebody may need nothing, or nobody may hold what is needed.
bool LeastCommunications::look_at(const RemotePart& part, Section& section) const {
  const LeastLayout& array = mapping_->layout(part.array);
  const LeastLayout* const loop = part.reader == none ? nullptr : &mapping_->layout(part.reader);
  const std::span<const AxisRule> needs = mapping_->script().rules(part.needs);
  const std::uint32_t system = loop == nullptr ? part.view : loop->view;
  if (!array.product || !array.split || needs.size() != array.extents.size() ||
      (loop != nullptr && (!loop->product || !(loop->elements > 0.0)))) {
    return false;
  }
  section.array = &array;
  section.system = &mapping_->view(array.view);
  section.readers_system = &mapping_->view(system);
  section.same_system = system == array.view;
  section.element = section.bytes = static_cast<double>(part.element_size);
  for (int dim = 0; dim < section.system->rank; ++dim) {
    const LeastCut& cut = array.cuts[in(dim)];
    if (cut.cuts && !cut.complete) {
      return false;
    }
  }
  for (std::size_t dim = 0; dim < needs.size(); ++dim) {
    const AxisRule& need = needs[dim];
    const auto exists = [&](std::int64_t position) {
      return position >= 0 && position < array.extents[dim];
    };
    if (need.kind == AxisRule::Kind::constant && exists(need.constant)) {
      section.fixed |= 1U << dim;
    } else if (need.kind == AxisRule::Kind::replicated) {
      section.bytes *= static_cast<double>(array.extents[dim]);
    } else if (need.kind == AxisRule::Kind::linear && loop != nullptr && exists(need.constant) &&
               exists(need.constant +
                      need.coefficient * (loop->extents[static_cast<std::size_t>(need.dim)] - 1))) {
      section.linear |= 1U << need.dim;
    } else {
      return false;
    }
  }
  for (int dim = 0; dim < section.readers_system->rank; ++dim) {
    if (loop != nullptr) {
      section.readers[in(dim)] = loop->cuts[in(dim)];
    } else {
      section.readers[in(dim)].holders =
          static_cast<double>(section.readers_system->first[in(dim)]);
    }
  }
  compare_places(part, section);
  return true;
}

/// What lies where, seen from the template.
void LeastCommunications::compare_places(const RemotePart& part, Section& section) const {
  const Script& script = mapping_->script();
  section.aligned = section.same_system && section.array->located && part.reader != none;
  for (int dim = 0; section.aligned && dim < section.system->rank; ++dim) {
    const LeastCut& from = section.array->cuts[in(dim)];
    const LeastCut& to = section.readers[in(dim)];
    if (!from.cuts) {
      continue;
    }
    const AxisRule* const array = mapping_->rule(part.array, dim);
    const AxisRule* const loop = mapping_->rule(part.reader, dim);
    const bool same_template = script.tables().placements[part.array].target ==
                               script.tables().placements[part.reader].target;
    if (from.dim < 0 || array == nullptr || loop == nullptr || !same_template) {
      section.aligned = false;
      continue;
    }
    const AxisRule& need = script.rules(part.needs)[static_cast<std::size_t>(from.dim)];
    const std::int64_t place = array->coefficient * need.constant + array->constant;
    const bool is_linear = loop->kind == AxisRule::Kind::linear && to.cuts;
    if (section.fixed_along(dim)) {
      const std::int64_t first = is_linear ? loop->constant : place;
      const auto steps = static_cast<std::int64_t>(to.extent) - 1;
      const std::int64_t last = is_linear ? first + loop->coefficient * steps : place;
      section.one_sided[in(dim)] =
          is_linear && (std::min(first, last) >= place || std::max(first, last) <= place);
    } else {
      section.aligned = is_linear && need.kind == AxisRule::Kind::linear && need.dim == to.dim &&
                        array->coefficient * need.coefficient == loop->coefficient &&
                        place == loop->constant;
    }
  }
}

/// All readers need the same elements, which one processor holds.
double LeastCommunications::from_one(const Section& section) const {
  double holders = 1.0;  // at most
  for (int dim = 0; dim < section.system->rank; ++dim) {
    const LeastCut& cut = section.array->cuts[in(dim)];
    if (cut.cuts && !section.fixed_along(dim)) {
      return 0.0;
    }
    holders *= cut.cuts ? 1.0 : static_cast<double>(section.system->last[in(dim)]);
  }
  double readers = 1.0;
  for (int dim = 0; dim < section.readers_system->rank; ++dim) {
    readers *= section.readers[in(dim)].holders;
  }
  return holders == 1.0 ? machine_->fan(readers - 1.0, section.bytes) : 0.0;
}

/// What is needed lies on one coordinate of this dimension: all readers on others get a message at
/// least, and as many of them as there are more of them than senders come from the same one.
double LeastCommunications::from_line(const Section& section, int dim) const {
  const LeastCut& along = section.readers[in(dim)];
  Stream stream{along.holders - 1.0, section.bytes, section.element, 1.0};
  stream.bytes *= section.varies_along(dim) ? std::max(along.held - along.longest_most, 0.0)
                                            : along.holders - 1.0;
  double senders = 1.0;  // at most
  for (int other = 0; other < section.system->rank; ++other) {
    if (other != dim) {
      const LeastCut& cut = section.readers[in(other)];
      stream.count *= cut.holders;
      stream.bytes *= section.varies_along(other) ? cut.held : cut.holders;
      senders *= static_cast<double>(section.system->last[in(other)]);
    }
  }
  if (!(stream.count > 0.0)) {
    return 0.0;
  }
  const double several = machine_->fan(std::ceil(stream.count / senders), section.element);
  const double all = std::max(machine_->load(stream).longest(), several);
  return section.aligned ? std::max(all, machine_->fan(along.holders - 1.0, longest(section, dim)))
                         : all;
}

/// The most that a reader needs, at least, whatever its coordinate along `but`.
double LeastCommunications::longest(const Section& section, int but) {
  double bytes = section.bytes;
  for (int dim = 0; dim < section.system->rank; ++dim) {
    bytes *= dim != but && section.varies_along(dim) ? section.readers[in(dim)].longest : 1.0;
  }
  return bytes;
}

/// Of so many coordinates one is at least half as far from any given one.
double LeastCommunications::over_links(const Section& section, bool alone) const {
  // The time of all follows from the message that goes farthest, whichever that is: along the
  // dimensions with fixed positions, from each coordinate of the others as far.
  int along = -1;
  bool several = false;
  double distance = 0.0;
  for (int dim = 0; dim < section.system->rank; ++dim) {
    if (section.fixed_along(dim)) {
      const double others = section.readers[in(dim)].holders - 1.0;
      distance += section.one_sided[in(dim)] ? others : std::ceil(others / 2.0);
      several = several || section.varies_along(dim);
      along = dim;
    }
  }
  const bool known = alone && !several && (section.aligned || section.linear == 0);
  const double bytes = known ? longest(section, along) : section.element;
  return distance > 0.0 ? machine_->fan_over_links(distance, bytes) : 0.0;
}

LeastEnds LeastCommunications::remote(const RemotePart& part, bool alone) const {
  LeastEnds ends;
  Section section;
  if (!look_at(part, section)) {
    return ends;
  }
  const bool same = section.linear == 0;
  if (machine_->links() != nullptr) {
    ends.last = section.same_system && section.array->located ? over_links(section, alone) : 0.0;
    return ends;
  }
  ends.last = same ? from_one(section) : 0.0;
  for (int dim = 0; section.same_system && dim < section.system->rank; ++dim) {
    if (section.fixed_along(dim)) {
      ends.last = std::max(ends.last, from_line(section, dim));
    }
  }
  return ends;
}

}  // namespace gridcast::model
