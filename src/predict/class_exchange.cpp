/// What is sent in exchanges and reductions, by classes (docs/model.md §5).

#include "class_exchange.h"

#include <algorithm>

#include "gridcast/rules/transfers.h"

namespace gridcast::model {
namespace {

using Shifts = std::array<std::int64_t, machine::max_grid_rank>;

/// The coordinate that many steps away, around the ring if edges wrap.
std::int64_t neighbour(const AxisCut& cut, bool ring, std::int64_t from, std::int64_t shift) {
  if (ring && shift < 0 && from == cut.first()) {
    return cut.end() - 1;
  }
  return ring && shift > 0 && from == cut.end() - 1 ? cut.first() : from + shift;
}

/// Whether the processor that many steps away runs earlier iterations of the loop.
bool runs_earlier(const ClassLayout& loop, const Shifts& shift) {
  for (int dim = 0; dim < static_cast<int>(loop.extents.size()); ++dim) {  // outermost first
    const auto j = static_cast<std::size_t>(std::find(loop.dims.begin(), loop.dims.end(), dim) -
                                            loop.dims.begin());
    if (j < shift.size() && shift[j] != 0) {
      return (shift[j] < 0) == loop.cuts[j].ascending();
    }
  }
  return false;
}

/// `later`: edges go to where this loop runs earlier, if set.
void add_part(const ClassMapping& mapping, const ShadowPart& part, const ClassLayout* later,
              std::size_t which, network::ClassExchange& exchange) {
  const ClassLayout& layout = mapping.layout(part.placement);
  const ProcessorClasses& classes = mapping.classes();
  std::array<std::int64_t, mapping::max_rank> sizes{};
  if (layout.fully_replicated || !layout.block(classes, which, sizes)) {
    return;
  }
  const std::span<const std::int64_t> low = mapping.script().ints(part.low);
  const std::span<const std::int64_t> high = mapping.script().ints(part.high);
  const std::size_t rank = layout.extents.size();
  std::array<mapping::IndexRange, machine::max_grid_rank> all_ways{};
  const auto ways = std::span(all_ways).first(static_cast<std::size_t>(classes.rank()));
  Shifts shift{};
  for (std::size_t at = 0; at < ways.size(); ++at) {
    ways[at] = layout.dims[at] >= 0 ? mapping::IndexRange{-1, 2} : mapping::IndexRange{0, 1};
    shift[at] = ways[at].lo;
  }
  do {
    std::array<std::int64_t, mapping::max_rank> edge = sizes;
    network::ClassMessage message;
    std::int64_t steps = 0;
    bool there = true;
    for (int j = 0; j < classes.rank() && there; ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (shift[at] == 0) {
        continue;
      }
      // The first of the run, when going down, and the last, when going up, stand for all.
      const std::size_t run = classes.run(which, j);
      const std::int64_t from =
          shift[at] < 0 ? classes.starts(j)[run] : classes.starts(j)[run + 1] - 1;
      const AxisCut& cut = layout.cuts[at];
      const auto dim = static_cast<std::size_t>(cut.dim());
      const std::int64_t to = neighbour(cut, (part.rings >> dim & 1U) != 0, from, shift[at]);
      there = to >= 0 && to < classes.extent(j) && to != from && !cut.range(to).empty();
      const bool to_left = (shift[at] < 0) == cut.ascending();
      edge[dim] = std::min(to_left ? high[dim] : low[dim], sizes[dim]);
      message.shift[at] = static_cast<std::int8_t>(shift[at]);
      message.offset += (to - from) * classes.stride(j);
      ++steps;
    }
    if (!there || steps == 0 || steps > part.tuple_limit ||
        (later != nullptr && !runs_earlier(*later, shift))) {
      continue;
    }
    message.bytes = static_cast<double>(part.element_size);
    for (std::size_t dim = 0; dim < rank; ++dim) {
      message.bytes *= static_cast<double>(edge[dim]);
    }
    if (message.bytes > 0.0) {
      const bool whole = contiguous(std::span(edge).first(rank), std::span(sizes).first(rank),
                                    mapping.first_contiguous());
      message.strided = whole ? 0.0 : message.bytes;
      exchange.add(message);
    }
  } while (next_in(ways, shift));
}

}  // namespace

void find_messages(const ClassMapping& mapping, const CommunicationSpec& spec,
                   network::ClassExchange& exchange) {
  const auto& tables = mapping.script().tables();
  const std::span<const std::uint32_t> parts = mapping.script().part_ids(spec.parts);
  const bool old_values = spec.kind == CommunicationSpec::Kind::old_values;
  const ClassLayout* const later = old_values ? &mapping.layout(spec.placement) : nullptr;
  exchange.begin(std::any_of(parts.begin(), parts.end(), [&](std::uint32_t part) {
    return tables.shadow_parts[part].rings != 0;
  }));
  for (std::size_t which = 0; which < mapping.classes().size(); ++which) {
    for (const std::uint32_t part : parts) {
      add_part(mapping, tables.shadow_parts[part], later, which, exchange);
    }
    exchange.end_class();
  }
}

}  // namespace gridcast::model
