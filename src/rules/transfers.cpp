#include "gridcast/rules/transfers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gridcast::model {

using mapping::AxisRule;
using mapping::IndexRange;
using mapping::Layout;
using mapping::StridedRange;

namespace {

void whole(std::span<const IndexRange> block, std::size_t rank, std::vector<StridedRange>& needs) {
  needs.clear();
  for (std::size_t dim = 0; dim < rank; ++dim) {
    needs.push_back({block[dim].lo, 1, block[dim].size()});
  }
}

}  // namespace

void TransferBuilder::build(const CommunicationSpec& spec, Transfers& result) {
  result.communication.clear();
  result.fixed_time.reset();
  communication_ = &result.communication;
  out_ = &result.communication.transfers;
  const Script& script = mapping_->script();
  const auto& tables = script.tables();
  if (mapping_->processors() == 1) {
    return;
  }
  const std::span<const std::uint32_t> parts = script.part_ids(spec.parts);
  switch (spec.kind) {
    case CommunicationSpec::Kind::nothing:
      break;
    case CommunicationSpec::Kind::shadow:
      for (const std::uint32_t part : parts) {
        shadow(tables.shadow_parts[part]);
      }
      break;
    case CommunicationSpec::Kind::old_values:
      old_values(spec);
      break;
    case CommunicationSpec::Kind::reduction:
      reduction(spec, result);
      return;  // two ordered phases already
    case CommunicationSpec::Kind::move:
      for (const std::uint32_t part : parts) {
        move(tables.move_parts[part]);
      }
      break;
    case CommunicationSpec::Kind::copy:
      for (const std::uint32_t part : parts) {
        copy(tables.copy_parts[part], spec.view);
      }
      break;
    case CommunicationSpec::Kind::remote:
      for (const std::uint32_t part : parts) {
        remote(tables.remote_parts[part]);
      }
      break;
  }
  network::normalize(*out_, mapping_->interruption());
}

void TransferBuilder::broadcast(ViewId view, double bytes, Transfers& result) {
  result.communication.clear();
  result.fixed_time.reset();
  for (const std::uint32_t p : mapping_->view(view).processors()) {
    if (p != 0 && bytes > 0.0) {
      result.communication.transfers.push_back({0, p, bytes});
    }
  }
}

// --- redistribution, copies, buffers
// -------------------------------------------------------------------

void TransferBuilder::move(const MovePart& part) {
  const Layout& from = mapping_->layout(part.from);
  const Layout& to = mapping_->layout(part.to);
  for_each_holder(to, [&](const Holder& holder) {
    whole(holder.block, static_cast<std::size_t>(to.rank()), needs_);
    gather(from, to.view().processors()[holder.local], needs_,
           static_cast<double>(part.element_size));
  });
}

bool TransferBuilder::copy_needs(const CopyPart& part, std::span<const IndexRange> block,
                                 Needs& needs, double& elements) const {
  const Script& script = mapping_->script();
  const std::span<const std::int64_t> source = script.ints(part.from_section);
  elements = 1.0;
  needs.clear();
  if (block.empty()) {
    for (std::size_t i = 0; i < source.size(); i += 3) {
      const StridedRange all{source[i], source[i + 1], source[i + 2]};
      const StridedRange forward =
          all.step > 0 ? all
                       : StridedRange{all.first + all.step * (all.count - 1), -all.step, all.count};
      needs.push_back(forward);
      elements *= static_cast<double>(all.count);
    }
    return elements > 0.0;
  }
  // Positions of the written section that this block holds, dimension by dimension.
  const std::span<const std::int64_t> target = script.ints(part.to_section);
  std::array<IndexRange, mapping::max_rank> positions;
  std::size_t longer = 0;
  for (std::size_t dim = 0; dim * 3 < target.size(); ++dim) {
    StridedRange section{target[dim * 3], target[dim * 3 + 1], target[dim * 3 + 2]};
    IndexRange held;
    if (section.step > 0) {
      held = section.positions_in(block[dim]);
    } else {
      const StridedRange mirrored{section.first + section.step * (section.count - 1), -section.step,
                                  section.count};
      const IndexRange from_the_end = mirrored.positions_in(block[dim]);
      held = {section.count - from_the_end.hi, section.count - from_the_end.lo};
    }
    elements *= static_cast<double>(held.size());
    if (section.count != 1) {
      positions[longer++] = held;
    }
  }
  if (!(elements > 0.0)) {
    return false;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < source.size(); i += 3) {
    const StridedRange all{source[i], source[i + 1], source[i + 2]};
    const IndexRange part_of = all.count == 1 ? IndexRange{0, 1} : positions[next++];
    const StridedRange piece{all.first + all.step * part_of.lo, all.step, part_of.size()};
    needs.push_back(piece.step > 0 ? piece
                                   : StridedRange{piece.first + piece.step * (piece.count - 1),
                                                  -piece.step, piece.count});
  }
  return true;
}

void TransferBuilder::copy(const CopyPart& part, ViewId view_id) {
  if (part.from == none) {
    return;  // every processor has the buffer
  }
  const Layout& from = mapping_->layout(part.from);
  double elements = 0.0;
  if (part.to == none) {
    if (copy_needs(part, {}, needs_, elements)) {
      for (const std::uint32_t p : mapping_->view(view_id).processors()) {
        gather(from, p, needs_, static_cast<double>(part.element_size));
      }
    }
    return;
  }
  const Layout& to = mapping_->layout(part.to);
  for_each_holder(to, [&](const Holder& holder) {
    if (copy_needs(part, holder.block, needs_, elements)) {
      gather(from, to.view().processors()[holder.local], needs_,
             static_cast<double>(part.element_size));
    }
  });
}

bool TransferBuilder::remote_needs(const RemotePart& part, std::span<const IndexRange> iterations,
                                   Needs& needs) const {
  const Script& script = mapping_->script();
  const std::span<const std::int64_t> extents =
      script.ints(script.tables().placements[part.array].extents);
  const std::span<const AxisRule> rules = script.rules(part.needs);
  needs.clear();
  for (std::size_t dim = 0; dim < rules.size(); ++dim) {
    const AxisRule& rule = rules[dim];
    StridedRange need{0, 1, extents[dim]};
    if (rule.kind == AxisRule::Kind::constant) {
      need = {rule.constant, 1, rule.constant >= 0 && rule.constant < extents[dim] ? 1 : 0};
    } else if (rule.kind == AxisRule::Kind::linear && !iterations.empty()) {
      const IndexRange own = iterations[static_cast<std::size_t>(rule.dim)];
      need = {rule.coefficient * own.lo + rule.constant, rule.coefficient, own.size()};
      if (need.step < 0) {
        need = {need.first + need.step * (need.count - 1), -need.step, need.count};
      }
      need = need.part(need.positions_in({0, extents[dim]}));
    }
    if (need.count <= 0) {
      return false;
    }
    needs.push_back(need);
  }
  return true;
}

void TransferBuilder::remote(const RemotePart& part) {
  const Layout& from = mapping_->layout(part.array);
  const auto element_size = static_cast<double>(part.element_size);
  if (part.reader == none) {
    if (remote_needs(part, {}, needs_)) {
      for (const std::uint32_t p : mapping_->view(part.view).processors()) {
        gather(from, p, needs_, element_size);
      }
    }
    return;
  }
  const Layout& reader = mapping_->layout(part.reader);
  for_each_holder(reader, [&](const Holder& holder) {
    if (remote_needs(part, holder.block, needs_)) {
      gather(from, reader.view().processors()[holder.local], needs_, element_size);
    }
  });
}

}  // namespace gridcast::model
