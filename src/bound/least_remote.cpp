/// Buffers of remote elements: who sends how much to whom, at least.

#include <algorithm>
#include <cmath>
#include <limits>

#include "least_ends.h"

namespace gridcast::model {

using mapping::AxisRule;

/// A dimension along which all need what one coordinate holds.
struct LeastAlong {
  double others = 0.0;  ///< readers' coordinates but that one, at least
  double apart = 0.0;   ///< between it and the farthest reader's, at least
};

/// What the readers need of an array.
struct LeastCommunications::Section {
  const LeastLayout* array = nullptr;
  const LeastView* system = nullptr;                     ///< of the array
  std::array<LeastCut, machine::max_grid_rank> readers;  ///< along each dimension of their system
  const LeastView* readers_system = nullptr;
  std::uint32_t readers_system_id = 0;
  bool same_system = false;
  double element = 1.0;  ///< bytes
  double bytes = 1.0;    ///< of each reader, but for the dimensions in `linear`
  /// 0, or bytes of the shortest message, where those that go farther than others decide how long
  /// all of them take.
  double apart = 0.0;
  std::uint32_t fixed = 0;   ///< dimensions of the array of which all need the same position
  std::uint32_t linear = 0;  ///< dimensions of the loop whose iterations need other elements each
  /// But for `fixed`, what a reader needs is where the reader is.
  bool aligned = false;
  std::array<LeastAlong, machine::max_grid_rank>
      along{};  ///< of the dimensions that are fixed_along()

  [[nodiscard]] double message(double bytes) const noexcept { return apart > 0.0 ? apart : bytes; }
  /// A position that all readers need is on one coordinate of this dimension.
  [[nodiscard]] bool fixed_along(int dim) const noexcept {
    const LeastCut& cut = array->cuts[in(dim)];
    return cut.cuts && cut.dim >= 0 && (fixed >> cut.dim & 1U) != 0;
  }
  [[nodiscard]] bool varies_along(int dim) const noexcept {
    const LeastCut& cut = readers[in(dim)];
    return cut.cuts && cut.dim >= 0 && (linear >> cut.dim & 1U) != 0;
  }
  /// All need the same elements, and nobody a part of them only: who has one has all.
  [[nodiscard]] bool one_holder() const noexcept {
    bool one = linear == 0;
    for (int dim = 0; dim < system->rank; ++dim) {
      one = one && (!array->cuts[in(dim)].cuts || fixed_along(dim));
    }
    return one;
  }
  /// Some of the readers are not where what they need is.
  [[nodiscard]] bool somebody_waits() const noexcept {
    bool waits = false;
    for (int dim = 0; same_system && dim < system->rank; ++dim) {
      waits = waits || (fixed_along(dim) && along[in(dim)].others > 0.0);
    }
    return waits;
  }
  /// A reader on another coordinate of this dimension than the holder of what it needs is on the
  /// holder's along all others.
  [[nodiscard]] bool only_along(int dim) const noexcept {
    bool only = aligned && fixed_along(dim);
    for (int other = 0; other < system->rank; ++other) {
      only = only && (other == dim || !fixed_along(other));
    }
    return only;
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
  section.readers_system_id = system;
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
    if (section.readers[in(dim)].holders < 1.0) {
      return false;  // maybe nobody reads
    }
  }
  compare_places(part, section);
  return true;
}

/// What lies where, seen from the template.
void LeastCommunications::compare_places(const RemotePart& part, Section& section) const {
  const Script& script = mapping_->script();
  const bool comparable =
      section.same_system && section.array->view == root_view && part.reader != none;
  section.aligned = comparable;
  for (int dim = 0; dim < section.system->rank; ++dim) {
    const LeastCut& from = section.array->cuts[in(dim)];
    const LeastCut& to = section.readers[in(dim)];
    if (!from.cuts) {
      continue;
    }
    LeastAlong& along = section.along[in(dim)];
    along.others = to.holders - 1.0;
    along.apart = std::ceil(along.others / 2.0);
    const AxisRule* const array = mapping_->rule(part.array, dim);
    const AxisRule* const loop = comparable ? mapping_->rule(part.reader, dim) : nullptr;
    if (from.dim < 0 || array == nullptr || loop == nullptr ||
        script.tables().placements[part.array].target !=
            script.tables().placements[part.reader].target) {
      section.aligned = false;
      continue;
    }
    const AxisRule& need = script.rules(part.needs)[static_cast<std::size_t>(from.dim)];
    const std::int64_t place = array->coefficient * need.constant + array->constant;
    if (section.fixed_along(dim)) {
      // If all readers are on one side of the position, one is as far as they are many.
      const auto steps = static_cast<std::int64_t>(to.extent) - 1;
      const std::int64_t end = loop->constant + loop->coefficient * steps;
      const bool one_sided =
          std::min(loop->constant, end) >= place || std::max(loop->constant, end) <= place;
      if (one_sided && loop->kind == AxisRule::Kind::linear && to.cuts) {
        along.apart = along.others;
      }
    } else {
      section.aligned = section.aligned && loop->kind == AxisRule::Kind::linear && to.cuts &&
                        need.kind == AxisRule::Kind::linear && need.dim == to.dim &&
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
  return holders == 1.0 ? machine_->fan(readers - 1.0, section.message(section.bytes)) : 0.0;
}

/// What is needed lies on one coordinate of this dimension: all readers on others get a message at
/// least, and as many of them as there are more of them than senders come from the same one.
double LeastCommunications::from_line(const Section& section, int dim) const {
  const LeastCut& cut = section.readers[in(dim)];
  const LeastAlong& along = section.along[in(dim)];
  Stream stream{along.others, section.bytes, section.element, 1.0};
  stream.bytes *=
      section.varies_along(dim) ? std::max(cut.held - cut.longest_most, 0.0) : along.others;
  const bool only = section.only_along(dim);
  double senders = 1.0;  // at most
  for (int other = 0; other < section.system->rank; ++other) {
    if (other != dim) {
      const LeastCut& across = section.readers[in(other)];
      stream.count *= across.holders;
      stream.bytes *= section.varies_along(other) ? across.held : across.holders;
      const auto all = static_cast<double>(section.system->last[in(other)]);
      const bool one = only && section.fixed_along(other);
      senders *= one ? 1.0 : only ? std::min(all, across.holders_most) : all;
    }
  }
  if (!(stream.count > 0.0)) {
    return 0.0;
  }
  if (only) {  // from one place of a row of processors to the others
    stream.distance = static_cast<double>(mapping_->box().least_stride(dim));
    stream.partners = std::numeric_limits<double>::infinity();
    stream.holders = senders;
  }
  const double several =
      machine_->fan(std::ceil(stream.count / senders), section.message(section.element));
  const double all = std::max(machine_->load(stream), several);
  return section.aligned
             ? std::max(all, machine_->fan(along.others, section.message(longest(section, dim))))
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

/// The time of all follows from the message that goes farthest, whichever that is: along the
/// dimensions with fixed positions, from each coordinate of the others as far.
LeastCommunications::Way LeastCommunications::over_links(const Section& section) {
  Way way{0.0, section.element};
  int along = -1;
  bool several = false;
  for (int dim = 0; section.same_system && dim < section.system->rank; ++dim) {
    if (section.array->view == root_view && section.fixed_along(dim)) {
      way.distance += section.along[in(dim)].apart;
      several = several || section.varies_along(dim);
      along = dim;
    }
  }
  if (!several && (section.aligned || section.one_holder())) {
    way.bytes = longest(section, along);
  }
  return way;
}

/// If a communication loads several buffers, the farthest message may be of any of them.
LeastEnds LeastCommunications::remote(const CommunicationSpec& spec) const {
  const auto& parts = mapping_->script().tables().remote_parts;
  LeastEnds ends;
  Way way{0.0, std::numeric_limits<double>::infinity()};
  double shortest = std::numeric_limits<double>::infinity();
  for (const std::uint32_t id : mapping_->script().part_ids(spec.parts)) {
    shortest = std::min(shortest, static_cast<double>(parts[id].element_size));
  }
  for (const std::uint32_t id : mapping_->script().part_ids(spec.parts)) {
    Section section;
    section.apart = machine_->has_links() ? shortest : 0.0;
    const bool known =
        look_at(parts[id], section) && is_within(section.readers_system_id, spec.view);
    Way own{0.0, static_cast<double>(parts[id].element_size)};
    double last = 0.0;
    if (known && machine_->links() != nullptr) {
      own = over_links(section);
    } else if (known) {
      last = from_holders(section);
    }
    way = {std::max(way.distance, own.distance), std::min(way.bytes, own.bytes)};
    ends.last = std::max(ends.last, last);
    if (known && section.somebody_waits() &&
        (ends.reader.loop == none || last > ends.reader.last)) {
      ends.reader = {parts[id].reader, last};
    }
  }
  if (way.distance > 0.0) {  // all at the same time
    ends.last = ends.reader.last = machine_->fan_over_links(way.distance, way.bytes);
  }
  return ends;
}

double LeastCommunications::from_holders(const Section& section) const {
  double last = section.linear == 0 ? from_one(section) : 0.0;
  for (int dim = 0; section.same_system && dim < section.system->rank; ++dim) {
    if (section.fixed_along(dim)) {
      last = std::max(last, from_line(section, dim));
    }
  }
  return last;
}

}  // namespace gridcast::model
