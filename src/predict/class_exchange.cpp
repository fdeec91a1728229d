/// What is sent in exchanges and reductions, by classes (docs/model.md §5).

#include "class_exchange.h"

#include <algorithm>

#include "gridcast/rules/transfers.h"

namespace gridcast::model {
namespace {

using Shift = std::array<std::int8_t, machine::max_grid_rank>;

/// The next way to go at most one step along the dimensions that `cuts` allows, in ascending order
/// of the receiver; false after the last.
bool next_shift(Shift& shift, int rank, const std::array<bool, machine::max_grid_rank>& cuts) {
  for (int j = rank; j-- > 0;) {
    const auto at = static_cast<std::size_t>(j);
    if (!cuts[at]) {
      continue;
    }
    if (++shift[at] <= 1) {
      return true;
    }
    shift[at] = -1;
  }
  return false;
}

/// The coordinate that many steps away, around the ring if edges wrap.
std::int64_t neighbour(const AxisCut& cut, bool ring, std::int64_t from, int shift) {
  if (ring && shift < 0 && from == cut.first()) {
    return cut.end() - 1;
  }
  return ring && shift > 0 && from == cut.end() - 1 ? cut.first() : from + shift;
}

/// Whether the processor that many steps away runs earlier iterations of the loop.
bool runs_earlier(const ClassLayout& loop, const Shift& shift) {
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
  std::array<bool, machine::max_grid_rank> cuts{};
  Shift shift{};
  for (int j = 0; j < classes.rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    cuts[at] = layout.dims[at] >= 0;
    shift[at] = cuts[at] ? -1 : 0;
  }
  do {
    double bytes = static_cast<double>(part.element_size);
    std::int64_t steps = 0;
    std::int64_t offset = 0;
    std::uint32_t edges = 0;
    bool there = true;
    for (int j = 0; j < classes.rank(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (shift[at] == 0) {
        continue;
      }
      ++steps;
      // The first of the run, when going down, and the last, when going up, stand for all.
      const std::size_t run = classes.run(which, j);
      const std::int64_t from =
          shift[at] < 0 ? classes.starts(j)[run] : classes.starts(j)[run + 1] - 1;
      const AxisCut& cut = layout.cuts[at];
      const auto dim = static_cast<std::size_t>(cut.dim());
      const std::int64_t to = neighbour(cut, (part.rings >> dim & 1U) != 0, from, shift[at]);
      if (to < 0 || to >= classes.extent(j) || to == from || cut.range(to).empty()) {
        there = false;
        break;
      }
      offset += (to - from) * classes.stride(j);
      const bool to_left = (shift[at] < 0) == cut.ascending();
      bytes *= static_cast<double>(std::min(to_left ? high[dim] : low[dim], sizes[dim]));
      edges |= 1U << dim;
    }
    if (!there || steps == 0 || steps > part.tuple_limit ||
        (later != nullptr && !runs_earlier(*later, shift))) {
      continue;
    }
    std::array<std::int64_t, mapping::max_rank> edge = sizes;
    for (int j = 0; j < classes.rank(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (shift[at] != 0) {
        const auto dim = static_cast<std::size_t>(layout.cuts[at].dim());
        const bool to_left = (shift[at] < 0) == layout.cuts[at].ascending();
        edge[dim] = std::min(to_left ? high[dim] : low[dim], sizes[dim]);
      }
    }
    const std::size_t rank = layout.extents.size();
    const bool whole = contiguous(std::span(edge).first(rank), std::span(sizes).first(rank),
                                  mapping.first_contiguous());
    for (std::size_t dim = 0; dim < layout.extents.size(); ++dim) {
      bytes *= (edges >> dim & 1U) != 0 ? 1.0 : static_cast<double>(sizes[dim]);
    }
    if (!(bytes > 0.0)) {
      continue;
    }
    exchange.add({shift, offset, bytes, whole ? 0.0 : bytes});
  } while (next_shift(shift, classes.rank(), cuts));
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
