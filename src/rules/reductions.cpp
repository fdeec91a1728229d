/// What a reduction transfers (docs/model.md §5).

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "gridcast/network/message_time.h"
#include "gridcast/rules/transfers.h"

namespace gridcast::model {

using mapping::Layout;

namespace {

/// One processor of each group that holds the same iterations: the lowest number. `counts`: how
/// many iterations each has.
std::vector<std::uint32_t> find_representatives(const Layout& loop,
                                                const mapping::ProcessorView& view,
                                                std::span<const double> counts) {
  const mapping::ProcessorView& on = loop.view();
  std::vector<std::uint32_t> representatives;
  std::vector<bool> seen(on.size(), false);
  std::array<std::int64_t, machine::max_grid_rank> at{};
  for (std::size_t local = 0; local < on.size(); ++local) {
    const std::uint32_t p = on.processors()[local];
    if (!(counts[local] > 0.0) || view.local(p) < 0) {
      continue;
    }
    loop.coordinates(local, at);
    std::int64_t group = 0;
    for (int j = 0; j < on.rank(); ++j) {
      const std::int64_t coordinate =
          loop.split_dimension(j) >= 0 ? at[static_cast<std::size_t>(j)] : 0;
      group = group * on.extent(j) + coordinate;
    }
    if (!seen[static_cast<std::size_t>(group)]) {
      seen[static_cast<std::size_t>(group)] = true;
      representatives.push_back(p);
    }
  }
  return representatives;
}

}  // namespace

std::int64_t TransferBuilder::reduction_links(const Layout& loop,
                                              const mapping::ProcessorView& view) const {
  const mapping::ProcessorView& on = loop.view();
  // Per coordinate: 1 if a processor of the view has it, 2 if one of them runs iterations.
  std::array<std::vector<char>, machine::max_grid_rank> marks;
  for (int j = 0; j < on.rank(); ++j) {
    marks[static_cast<std::size_t>(j)].resize(static_cast<std::size_t>(on.extent(j)), 0);
  }
  std::array<std::int64_t, machine::max_grid_rank> at{};
  for (std::size_t local = 0; local < on.size(); ++local) {
    if (view.local(on.processors()[local]) < 0) {
      continue;
    }
    loop.coordinates(local, at);
    const char mark = counts_[local] > 0.0 ? 2 : 1;
    for (std::size_t j = 0; j < static_cast<std::size_t>(on.rank()); ++j) {
      char& own = marks[j][static_cast<std::size_t>(at[j])];
      own = std::max(own, mark);
    }
  }
  std::int64_t links = 0;
  for (int j = 0; j < on.rank(); ++j) {
    if (loop.replicated(j)) {
      continue;
    }
    const auto& along = marks[static_cast<std::size_t>(j)];
    const auto used = static_cast<std::int64_t>(std::count(along.begin(), along.end(), 2));
    if (used == 0) {
      return 0;  // nobody in the view runs iterations
    }
    links += 2 * (used / 2) + std::count(along.begin(), along.end(), 1);
  }
  return links;
}

void TransferBuilder::reduce_by_trees(std::span<const std::uint32_t> representatives,
                                      const mapping::ProcessorView& view, double bytes,
                                      Transfers& result) {
  result.communication.one_by_one = true;
  const std::size_t members = representatives.size();
  for (std::size_t step = 1; step < members; step *= 2) {
    for (std::size_t i = step; i < members; i += 2 * step) {
      out_->push_back({representatives[i], representatives[i - step], bytes});
    }
  }
  // Back to all, counted cyclically from the root.
  const auto all = view.processors();
  const auto root = static_cast<std::size_t>(view.local(representatives.front()));
  const auto number = [&](std::size_t i) { return all[(root + i) % all.size()]; };
  std::size_t step = 1;
  while (step < all.size()) {
    step *= 2;
  }
  for (step /= 2; step > 0; step /= 2) {
    for (std::size_t i = step; i < all.size(); i += 2 * step) {
      out_->push_back({number(i - step), number(i), bytes});
    }
  }
}

void TransferBuilder::reduction(const CommunicationSpec& spec, Transfers& result) {
  const Layout& loop = mapping_->layout(spec.placement);
  if (loop.fully_replicated() || !(spec.bytes > 0.0)) {
    return;
  }
  const mapping::ProcessorView& view = mapping_->view(spec.view);
  const machine::ProcessorSystem& system = mapping_->system();
  loop.counts(counts_);
  if (std::none_of(counts_.begin(), counts_.end(), [](double count) { return count > 0.0; })) {
    return;
  }
  const bool flat_links =
      system.levels == 1 && system.networks.front().type == machine::NetworkType::transputer;
  if (flat_links) {
    const machine::Network& links = system.networks.front();
    result.fixed_time =
        network::channel_time(links, spec.bytes) * static_cast<double>(reduction_links(loop, view));
    result.fixed_bytes = spec.bytes;
    return;
  }
  const std::vector<std::uint32_t> representatives = find_representatives(loop, view, counts_);
  if (representatives.empty()) {
    return;
  }
  if (mapping_->options().reduction == ReductionKind::tree) {
    reduce_by_trees(representatives, view, spec.bytes, result);
    return;
  }
  const std::uint32_t root = representatives.front();
  for (const std::uint32_t p : representatives) {
    if (p != root) {
      out_->push_back({p, root, spec.bytes});
    }
  }
  result.communication.later_phases.push_back(out_->size());
  for (const std::uint32_t p : view.processors()) {
    if (p != root) {
      out_->push_back({root, p, spec.bytes});
    }
  }
}

}  // namespace gridcast::model
