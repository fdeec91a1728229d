/// What processors keep in memory, call by call (docs/model.md, "Memory").

#include <algorithm>

#include "compiler.h"

namespace gridcast::model {

using mapping::AxisRule;

/// Arrays that no align_ follows before they go: every processor has its own copy.
void Compiler::find_local_arrays() {
  std::vector<bool> aligned(arrays_.size(), false);
  for (std::size_t i = program_.records.size(); i-- > 0;) {
    const trace::Call& call = program_.calls[program_.records[i].call];
    const auto mark = [&](trace::Slot array) {
      if (array < aligned.size()) {
        aligned[array] = true;
      }
    };
    if (const auto* align = std::get_if<trace::Align>(&call)) {
      mark(align->array);
    } else if (const auto* realign = std::get_if<trace::Realign>(&call)) {
      mark(realign->array);
    } else if (const auto* create = std::get_if<trace::CreateArray>(&call)) {
      if (!aligned[create->result]) {
        local_arrays_.insert(i);
      }
      aligned[create->result] = false;
    }
  }
}

HoldingId Compiler::holding_of(ArrayState& array) {
  if (array.holding == none) {
    array.holding = build_.holding({.placement = placement_of(array),
                                    .low = build_.ints(array.low),
                                    .high = build_.ints(array.high),
                                    .bytes = static_cast<double>(array.element_size)});
  }
  return array.holding;
}

HoldingId Compiler::holding_of(const RemotePart& part, std::span<const std::int64_t> extents) {
  HoldingSpec spec{
      .placement = part.reader, .view = part.view, .bytes = static_cast<double>(part.element_size)};
  std::vector<std::int64_t> powers;
  if (part.reader != none) {
    powers.assign(build_.tables.placements[part.reader].extents.count, 0);
  }
  const auto needs = entries(build_.tables.rules, part.needs);
  for (std::size_t dim = 0; dim < needs.size(); ++dim) {
    if (needs[dim].kind == AxisRule::Kind::linear) {
      ++powers[static_cast<std::size_t>(needs[dim].dim)];
    } else if (needs[dim].kind == AxisRule::Kind::replicated) {
      spec.bytes *= static_cast<double>(extents[dim]);
    }
  }
  spec.powers = build_.ints(powers);
  return build_.holding(spec);
}

void Compiler::note_memory(std::vector<std::uint32_t> leaving) {
  std::vector<std::uint32_t> held = std::move(leaving);
  held.insert(held.end(), domain_holdings_.begin(), domain_holdings_.end());
  for (ArrayState& array : arrays_) {
    const std::uint32_t over = array.over.target;
    if (array.exists && (over == none ? array.stays_local : targets_[over].spec != none)) {
      held.push_back(holding_of(array));
    }
  }
  for (const BufferState& buffer : buffers_) {
    if (buffer.holding != none) {
      held.push_back(buffer.holding);
    }
  }
  std::sort(held.begin(), held.end());
  moments_.insert(std::move(held));
}

}  // namespace gridcast::model
