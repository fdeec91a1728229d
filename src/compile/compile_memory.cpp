/// What processors keep in memory, call by call (docs/model.md, "Memory").

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

bool Compiler::is_in_memory(const ArrayState& array) const {
  return array.aligned ? targets_[array.target].spec != none : array.stays_local;
}

HoldingId Compiler::holding_of(ArrayState& array) {
  if (array.holding == none) {
    HoldingSpec spec;
    spec.placement = placement_of(array);
    spec.low = build_.ints(array.low);
    spec.high = build_.ints(array.high);
    spec.bytes = static_cast<double>(array.element_size);
    array.holding = build_.holding(spec);
  }
  return array.holding;
}

HoldingId Compiler::holding_of(const RemotePart& part, std::span<const std::int64_t> extents) {
  HoldingSpec spec;
  spec.kind = HoldingSpec::Kind::buffer;
  spec.placement = part.reader;
  spec.view = part.view;
  spec.bytes = static_cast<double>(part.element_size);
  std::vector<std::int64_t> powers;
  if (part.reader != none) {
    powers.assign(build_.tables.placements[part.reader].extents.count, 0);
  }
  const auto needs =
      std::span<const AxisRule>(build_.tables.rules).subspan(part.needs.begin, part.needs.count);
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

std::vector<std::uint32_t> Compiler::holdings_over(std::uint32_t target) {
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (array_exists_[i] && arrays_[i].aligned && arrays_[i].target == target) {
      result.push_back(holding_of(arrays_[i]));
    }
  }
  return result;
}

void Compiler::moved(std::uint32_t target) {
  for (ArrayState& array : arrays_) {
    if (array.aligned && array.target == target) {
      array.holding = none;
    }
  }
}

void Compiler::note_memory(std::vector<std::uint32_t> leaving) {
  std::vector<std::uint32_t> held = std::move(leaving);
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (array_exists_[i] && is_in_memory(arrays_[i])) {
      held.push_back(holding_of(arrays_[i]));
    }
  }
  for (const BufferState& buffer : buffers_) {
    if (buffer.created) {
      held.push_back(buffer.holding);
    }
  }
  moments_.note(std::move(held));
}

}  // namespace gridcast::model
