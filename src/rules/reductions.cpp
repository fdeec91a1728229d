/// What a reduction transfers (docs/model.md §5, §10).

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "gridcast/network/message_time.h"
#include "gridcast/rules/reduction_choice.h"
#include "gridcast/rules/reduction_rounds.h"
#include "transfer_kinds.h"

namespace gridcast::model {

using mapping::Layout;

namespace {

/// One processor of the view of each group that holds the same iterations: the lowest number.
std::vector<std::uint32_t> representatives(const GridMapping& mapping, const Layout& loop,
                                           const mapping::ProcessorView& view) {
  std::vector<std::uint32_t> found;
  std::vector<bool> seen(loop.view().size(), false);
  mapping.for_each_holder(loop, [&](const Holder& holder) {
    if (auto group = seen[group_of(loop, holder.at)];
        !group && view.local(holder.processor()) >= 0) {
      group = true;
      found.push_back(holder.processor());
    }
  });
  return found;
}

/// 2 · Distance + CornerDistance of a reduction on a flat grid of links (docs/model.md §5), within
/// the view.
std::int64_t reduction_links(const Layout& loop, const mapping::ProcessorView& view) {
  const mapping::ProcessorView& on = loop.view();
  // Per coordinate: 1 if a processor of the view has it, 2 if one of them runs iterations.
  std::array<std::vector<char>, machine::max_grid_rank> marks;
  for (int j = 0; j < on.rank(); ++j) {
    marks[static_cast<std::size_t>(j)].resize(static_cast<std::size_t>(on.extent(j)), 0);
  }
  std::array<std::int64_t, machine::max_grid_rank> at{};
  std::array<mapping::IndexRange, mapping::max_rank> block;
  for (std::size_t local = 0; local < on.size(); ++local) {
    if (view.local(on.processors()[local]) < 0) {
      continue;
    }
    loop.coordinates(local, at);
    const char mark = loop.block(at, block) ? 2 : 1;
    for (std::size_t j = 0; j < static_cast<std::size_t>(on.rank()); ++j) {
      char& own = marks[j][static_cast<std::size_t>(at[j])];
      own = std::max(own, mark);
    }
  }
  std::int64_t links = 0;
  for (int j = 0; j < on.rank(); ++j) {
    if (!loop.replicated(j)) {
      const auto& along = marks[static_cast<std::size_t>(j)];
      links += 2 * (std::count(along.begin(), along.end(), 2) / 2) +
               std::count(along.begin(), along.end(), 1);
    }
  }
  return links;
}

void reduce_by_trees(std::span<const std::uint32_t> senders, const mapping::ProcessorView& view,
                     double bytes, network::Communication& communication) {
  communication.one_by_one = true;
  std::vector<network::Transfer>& transfers = communication.transfers;
  for_binomial_gather(senders.size(), [&](std::size_t high, std::size_t low, std::size_t) {
    transfers.push_back({senders[high], senders[low], bytes});
  });
  // Back to all, counted cyclically from the root.
  const auto all = view.processors();
  const auto root = static_cast<std::size_t>(view.local(senders.front()));
  const auto number = [&](std::size_t i) { return all[(root + i) % all.size()]; };
  for_binomial_scatter(all.size(), [&](std::size_t low, std::size_t high, std::size_t) {
    transfers.push_back({number(low), number(high), bytes});
  });
}

}  // namespace

void add_reduction(GridMapping& mapping, const CommunicationSpec& spec, Transfers& result) {
  const Layout& loop = mapping.layout(spec.placement);
  if (loop.fully_replicated() || !(spec.bytes > 0.0)) {
    return;
  }
  const mapping::ProcessorView& view = mapping.view(spec.view);
  const machine::ProcessorSystem& system = mapping.system();
  const std::vector<std::uint32_t> senders = representatives(mapping, loop, view);
  if (senders.empty()) {
    return;
  }
  const ModelOptions& options = mapping.options();
  const bool free = options.processes == ProcessKind::free;
  if (!free && system.levels == 1 &&
      system.networks.front().type == machine::NetworkType::transputer) {
    result.fixed_time = network::channel_time(system.networks.front(), spec.bytes) *
                        static_cast<double>(reduction_links(loop, view));
    result.fixed_bytes = spec.bytes;
    return;
  }
  const ReductionKind kind =
      reduction_of(options, system.allreduce, spec.bytes, static_cast<double>(view.size()));
  if (add_rounds(kind, view.processors(), spec.bytes, result.communication)) {
    return;
  }
  if (kind == ReductionKind::tree) {
    reduce_by_trees(senders, view, spec.bytes, result.communication);
    return;
  }
  std::vector<network::Transfer>& transfers = result.communication.transfers;
  const std::uint32_t root = senders.front();
  for (const std::uint32_t p : std::span(senders).subspan(1)) {
    transfers.push_back({p, root, spec.bytes});
  }
  result.communication.later_phases.push_back(transfers.size());
  for (const std::uint32_t p : view.processors()) {
    if (p != root) {
      transfers.push_back({root, p, spec.bytes});
    }
  }
}

}  // namespace gridcast::model
