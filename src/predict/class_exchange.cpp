/// What is sent in exchanges and reductions, by classes (docs/model.md §5).

#include <algorithm>
#include <vector>

#include "class_mapping.h"
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

/// A step to the neighbour in one dimension.
struct Step {
  bool there = false;       ///< somebody who holds something
  std::int64_t edge = 0;    ///< how much of the dimension of the array goes there
  std::int64_t offset = 0;  ///< numbers: receiver - sender
};

/// What the processors of a run hold of the dimension that is cut, 1 or 0 if coordinates only
/// decide presence, and their steps down and up.
struct Run {
  std::int64_t size = 1;
  std::array<Step, 2> steps;
};

/// What the classes send of one array.
class PartMessages {
public:
  /// `later`: edges go to where this loop runs earlier, if set.
  PartMessages(const ClassMapping& mapping, const ShadowPart& part, const ClassLayout* later)
      : mapping_(&mapping), part_(&part), layout_(&mapping.layout(part.placement)) {
    if (layout_->fully_replicated) {
      return;
    }
    for (int dim = 0; dim < mapping.classes().rank(); ++dim) {
      first_run_[static_cast<std::size_t>(dim)] = runs_.size();
      find_runs(dim);
    }
    find_ways(later);
  }

  void add(std::size_t which, network::ClassExchange& exchange);

private:
  void find_runs(int dim);
  /// Which neighbours may get something.
  void find_ways(const ClassLayout* later);
  /// What a processor of the class holds; false if nothing.
  bool find_block(std::size_t which);
  void add_message(const Shifts& shift, network::ClassExchange& exchange) const;

  const ClassMapping* mapping_;
  const ShadowPart* part_;
  const ClassLayout* layout_;
  std::vector<Run> runs_;     // of all dimensions
  std::vector<Shifts> ways_;  // ascending
  std::array<std::size_t, machine::max_grid_rank> first_run_{};
  // Of the class:
  std::array<const Run*, machine::max_grid_rank> run_{};
  std::array<std::int64_t, mapping::max_rank> sizes_{};
};

void PartMessages::find_runs(int dim) {
  const ProcessorClasses& classes = mapping_->classes();
  const AxisCut& cut = layout_->cuts[static_cast<std::size_t>(dim)];
  for (const ProcessorClasses::Run& coordinates : classes.all_runs(dim)) {
    Run& run = runs_.emplace_back();
    if (!cut.active()) {
      continue;
    }
    run.size = cut.range(coordinates.first).size();
    if (cut.dim() < 0) {
      continue;
    }
    const auto cut_dim = static_cast<std::size_t>(cut.dim());
    for (const std::int64_t shift : {-1, 1}) {
      // The first of the run, when going down, and the last, when going up, stand for all.
      const std::int64_t from = shift < 0 ? coordinates.first : coordinates.last;
      const bool ring = (part_->rings >> cut_dim & 1U) != 0;
      const std::int64_t to = neighbour(cut, ring, from, shift);
      const bool to_left = (shift < 0) == cut.ascending();
      const Slice widths = to_left ? part_->high : part_->low;
      Step& step = run.steps[shift < 0 ? 0 : 1];
      step.there = to >= 0 && to < classes.extent(dim) && to != from && !cut.range(to).empty();
      step.edge = std::min(mapping_->script().ints(widths)[cut_dim], run.size);
      step.offset = (to - from) * classes.stride(dim);
    }
  }
}

bool PartMessages::find_block(std::size_t which) {
  std::copy(layout_->extents.begin(), layout_->extents.end(), sizes_.begin());
  bool holds = true;
  const ProcessorClasses& classes = mapping_->classes();
  for (int dim = 0; dim < classes.rank(); ++dim) {
    const auto at = static_cast<std::size_t>(dim);
    run_[at] = &runs_[first_run_[at] + classes.run(which, dim)];
    holds = holds && run_[at]->size > 0;
    if (layout_->dims[at] >= 0) {
      sizes_[static_cast<std::size_t>(layout_->dims[at])] = run_[at]->size;
    }
  }
  return holds;
}

void PartMessages::add_message(const Shifts& shift, network::ClassExchange& exchange) const {
  std::array<std::int64_t, mapping::max_rank> edge = sizes_;
  network::ClassMessage message;
  for (std::size_t at = 0; at < shift.size(); ++at) {
    if (shift[at] != 0) {
      const Step& step = run_[at]->steps[shift[at] < 0 ? 0 : 1];
      edge[static_cast<std::size_t>(layout_->dims[at])] = step.edge;
      message.shift[at] = static_cast<std::int8_t>(shift[at]);
      message.offset += step.offset;
    }
  }
  const std::size_t rank = layout_->extents.size();
  message.bytes = static_cast<double>(part_->element_size);
  for (std::size_t dim = 0; dim < rank; ++dim) {
    message.bytes *= static_cast<double>(edge[dim]);
  }
  if (message.bytes > 0.0) {
    const bool whole = contiguous(std::span(edge).first(rank), std::span(sizes_).first(rank),
                                  mapping_->options().first_contiguous);
    message.strided = whole ? 0.0 : message.bytes;
    exchange.add(message);
  }
}

void PartMessages::find_ways(const ClassLayout* later) {
  std::array<mapping::IndexRange, machine::max_grid_rank> all_ways{};
  const auto ways = std::span(all_ways).first(static_cast<std::size_t>(mapping_->classes().rank()));
  Shifts shift{};
  for (std::size_t at = 0; at < ways.size(); ++at) {
    const bool cuts = layout_->dims[at] >= 0;
    ways[at] = {cuts ? -1 : 0, cuts ? 2 : 1};
    shift[at] = ways[at].lo;
  }
  do {
    const auto steps = static_cast<std::int64_t>(
        std::count_if(shift.begin(), shift.end(), [](std::int64_t by) { return by != 0; }));
    if (steps > 0 && steps <= part_->tuple_limit &&
        (later == nullptr || runs_earlier(*later, shift))) {
      ways_.push_back(shift);
    }
  } while (next_in(ways, shift));
}

void PartMessages::add(std::size_t which, network::ClassExchange& exchange) {
  if (layout_->fully_replicated || !find_block(which)) {
    return;
  }
  for (const Shifts& way : ways_) {
    bool there = true;
    for (std::size_t at = 0; at < way.size(); ++at) {
      there = there && (way[at] == 0 || run_[at]->steps[way[at] < 0 ? 0 : 1].there);
    }
    if (there) {
      add_message(way, exchange);
    }
  }
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
  std::vector<PartMessages> messages;
  messages.reserve(parts.size());
  for (const std::uint32_t part : parts) {
    messages.emplace_back(mapping, tables.shadow_parts[part], later);
  }
  for (std::size_t which = 0; which < mapping.classes().size(); ++which) {
    for (PartMessages& part : messages) {
      part.add(which, exchange);
    }
    exchange.end_class();
  }
}

}  // namespace gridcast::model
