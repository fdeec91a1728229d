#include "section_finder.h"

#include <algorithm>

namespace gridcast::model {

using mapping::AxisRule;
using mapping::IndexRange;
using mapping::StridedRange;

std::vector<PlacementId> SectionFinder::placements() const {
  const Script& script = mapping_->script();
  const auto& tables = script.tables();
  const CommunicationSpec& spec = tables.communications[communication_];
  const std::span<const std::uint32_t> parts = script.part_ids(spec.parts);
  if (spec.view != 0 || parts.empty()) {
    return {};
  }
  if (spec.kind != CommunicationSpec::Kind::remote) {
    std::vector<PlacementId> result;
    for (const std::uint32_t id : parts) {
      const CopyPart& part = tables.copy_parts[id];
      if (part.from == none || (part.to == none && parts.size() > 1)) {
        return {};
      }
      result.push_back(part.from);
      if (part.to != none) {
        result.push_back(part.to);
      }
    }
    return result;
  }
  if (parts.size() != 1) {
    return {};
  }
  const RemotePart& part = tables.remote_parts[parts.front()];
  if (part.reader == none) {
    return part.view == 0 ? std::vector<PlacementId>{part.array} : std::vector<PlacementId>{};
  }
  for (const AxisRule& rule : script.rules(part.needs)) {
    if (rule.kind == AxisRule::Kind::linear) {
      return {};  // readers need different sections
    }
  }
  return {part.array, part.reader};
}

bool SectionFinder::whole(const CopyPart& part) const {
  const std::span<const std::int64_t> source = mapping_->script().ints(part.from_section);
  const std::span<const std::int64_t> target = mapping_->script().ints(part.to_section);
  const std::span<const std::int64_t> from = mapping_->layout(part.from).extents;
  const std::span<const std::int64_t> to = mapping_->layout(part.to).extents;
  bool all = std::equal(from.begin(), from.end(), to.begin(), to.end());
  for (const auto section : {source, target}) {
    all = all && (section.empty() || section.size() == 3 * from.size());
    for (std::size_t dim = 0; all && 3 * dim < section.size(); ++dim) {
      all = section[3 * dim] == 0 && section[3 * dim + 1] == 1 && section[3 * dim + 2] == from[dim];
    }
  }
  return all;
}

bool SectionFinder::find(Transposition& transposition) const {
  const Script& script = mapping_->script();
  const CommunicationSpec& spec = script.tables().communications[communication_];
  if (spec.kind == CommunicationSpec::Kind::remote) {
    return false;
  }
  transposition.clear();
  const std::span<const std::uint32_t> parts = script.part_ids(spec.parts);
  return std::all_of(parts.begin(), parts.end(), [&](std::uint32_t id) {
    const CopyPart& part = script.tables().copy_parts[id];
    return part.to != none && whole(part) &&
           transposition.add(mapping_->classes(), mapping_->layout(part.from),
                             mapping_->layout(part.to), static_cast<double>(part.element_size));
  });
}

bool SectionFinder::find(Spread& spread) const {
  const Script& script = mapping_->script();
  const CommunicationSpec& spec = script.tables().communications[communication_];
  const std::span<const std::uint32_t> parts = script.part_ids(spec.parts);
  if (spec.kind == CommunicationSpec::Kind::move || parts.size() != 1) {
    return false;
  }
  const std::uint32_t part = parts.front();
  spread = Spread{};
  return spec.kind == CommunicationSpec::Kind::copy
             ? copy(script.tables().copy_parts[part], spread)
             : remote(script.tables().remote_parts[part], spread);
}

bool SectionFinder::copy(const CopyPart& part, Spread& spread) const {
  const Script& script = mapping_->script();
  const std::span<const std::int64_t> source = script.ints(part.from_section);
  Needs needs;
  double elements = 1.0;
  for (std::size_t i = 0; i < source.size(); i += 3) {
    const StridedRange all{source[i], source[i + 1], source[i + 2]};
    needs[i / 3] = all.step > 0
                       ? all
                       : StridedRange{all.first + all.step * (all.count - 1), -all.step, all.count};
    elements *= static_cast<double>(all.count);
  }
  const ClassLayout* to = nullptr;
  if (part.to != none) {
    to = &mapping_->layout(part.to);
    const bool cut =
        std::any_of(to->dims.begin(), to->dims.end(), [](int dim) { return dim >= 0; });
    const std::span<const std::int64_t> target = script.ints(part.to_section);
    for (std::size_t dim = 0; dim * 3 < target.size(); ++dim) {
      // What lies beyond the array is not written.
      const StridedRange section{target[dim * 3], target[dim * 3 + 1], target[dim * 3 + 2]};
      if (cut || section.step <= 0 ||
          section.positions_in({0, to->extents[dim]}).size() != section.count) {
        return false;
      }
    }
  }
  spread.bytes = elements * static_cast<double>(part.element_size);
  return !(elements > 0.0) ||
         (receivers(to, spread) && senders(mapping_->layout(part.from), needs, spread));
}

bool SectionFinder::remote(const RemotePart& part, Spread& spread) const {
  const ClassLayout& from = mapping_->layout(part.array);
  const std::span<const AxisRule> rules = mapping_->script().rules(part.needs);
  Needs needs;
  double elements = 1.0;
  for (std::size_t dim = 0; dim < rules.size(); ++dim) {
    const std::int64_t extent = from.extents[dim];
    const std::int64_t at = rules[dim].constant;
    needs[dim] = rules[dim].kind == AxisRule::Kind::constant
                     ? StridedRange{at, 1, at >= 0 && at < extent ? 1 : 0}
                     : StridedRange{0, 1, extent};
    elements *= static_cast<double>(needs[dim].count);
  }
  spread.bytes = elements * static_cast<double>(part.element_size);
  const ClassLayout* const reader = part.reader == none ? nullptr : &mapping_->layout(part.reader);
  return !(elements > 0.0) || (receivers(reader, spread) && senders(from, needs, spread));
}

bool SectionFinder::receivers(const ClassLayout* layout, Spread& spread) const {
  const ProcessorClasses& classes = mapping_->classes();
  spread.reads = true;
  if (layout != nullptr) {
    spread.reads = std::all_of(layout->extents.begin(), layout->extents.end(),
                               [](std::int64_t extent) { return extent > 0; });
  }
  for (int j = 0; j < classes.rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    spread.hi[at] = classes.extent(j);
    if (layout != nullptr && layout->cuts[at].active()) {
      const AxisCut& cut = layout->cuts[at];
      spread.lo[at] = cut.first();
      spread.hi[at] = cut.end();
      spread.reads = spread.reads && cut.holders() > 0;
      if (cut.holders() != cut.end() - cut.first()) {
        return false;  // some between them hold nothing
      }
    }
  }
  return true;
}

bool SectionFinder::senders(const ClassLayout& from, const Needs& needs, Spread& spread) const {
  const ProcessorClasses& classes = mapping_->classes();
  if (!spread.reads) {
    return true;
  }
  spread.sends = true;
  for (int j = 0; j < classes.rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const AxisCut& cut = from.cuts[at];
    if (!cut.active()) {
      continue;
    }
    if (cut.holders() == 0) {
      spread.sends = false;  // nobody has it
      return true;
    }
    if (cut.dim() < 0) {
      if (cut.holders() == 1) {
        spread.fixed[at] = true;
        spread.at[at] = cut.first();
      } else if (cut.holders() != cut.end() - cut.first() || spread.lo[at] < cut.first() ||
                 spread.hi[at] > cut.end()) {
        return false;
      }
      continue;
    }
    const StridedRange& need = needs[static_cast<std::size_t>(cut.dim())];
    const IndexRange hull = need.hull();
    const std::int64_t q = cut.coordinate_of(hull.lo);
    if (q < 0 || hull.hi > cut.range(q).hi) {
      return false;  // several have a part of it
    }
    spread.fixed[at] = true;
    spread.at[at] = q;
  }
  return true;
}

}  // namespace gridcast::model
