/// How the time of a loop is shared (docs/model.md §3.7).

#include <algorithm>

#include "gridcast/rules/loop_part.h"
#include "processor_clocks.h"

namespace gridcast::model {

using mapping::IndexRange;
using mapping::Layout;

namespace {

/// Numbers in the shares of loops that are kept at a time, about.
constexpr std::size_t most_shares_kept = std::size_t{1} << 21;

}  // namespace

ProcessorClocks::Share& ProcessorClocks::share_of(PlacementId placement, PortionId portion) {
  Share& share =
      portion == none ? shares_[placement] : portion_shares_[std::pair(placement, portion)];
  if (!share.ready || share.view != current_) {
    work_out(share, placement, portion);
    shares_kept_ += portion == none ? 2 * share.fraction.size() : 0;
    if (shares_kept_ > most_shares_kept) {
      shares_kept_ = 0;
      for (Share& other : shares_) {
        if (&other != &share) {
          other = Share{};
        }
      }
    }
  }
  return share;
}

void ProcessorClocks::work_out(Share& share, PlacementId placement, PortionId portion) {
  const Layout& loop = mapping_.layout(placement);
  const mapping::ProcessorView& on = loop.view();
  const bool here = script_->tables().placements[placement].view == current_;
  share.ready = true;
  share.view = current_;
  share.any = false;
  share.fraction.assign(members_.size(), 0.0);
  share.duplicate.assign(members_.size(), 0.0);
  share.fraction_sum = 0.0;
  share.duplicate_sum = 0.0;
  share.once_sum = 0.0;

  if (here && portion == none) {
    work_out_here(share, loop);
    return;
  }
  const LoopPart part(loop.extents(), *script_, portion);
  if (part.empty()) {
    return;
  }
  std::array<std::int64_t, machine::max_grid_rank> at{};
  std::array<IndexRange, mapping::max_rank> block;
  std::vector<std::int64_t> group(members_.size(), -1);
  std::vector<double> group_size(here ? 0 : on.size(), 0.0);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const std::int64_t local = here ? static_cast<std::int64_t>(i) : on.local(members_[i]);
    if (local < 0) {
      continue;
    }
    loop.coordinates(static_cast<std::size_t>(local), at);
    if (!loop.block(at, block)) {
      continue;
    }
    const double own = part.share(block);
    share.fraction[i] = own * inverse_[members_[i]];
    share.any = share.any || own > 0.0;
    if (!here) {
      // Some processors of the loop's system are not here: those that share a block are counted.
      std::int64_t key = 0;
      for (int j = 0; j < on.rank(); ++j) {
        key = key * on.extent(j) +
              (loop.split_dimension(j) >= 0 ? at[static_cast<std::size_t>(j)] : 0);
      }
      group[i] = key;
      group_size[static_cast<std::size_t>(key)] += 1.0;
    }
  }
  const double copies = here ? loop.copies() : 1.0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const double k = here || group[i] < 0 ? copies : group_size[static_cast<std::size_t>(group[i])];
    share.duplicate[i] = k > 1.0 ? share.fraction[i] * ((k - 1.0) / k) : 0.0;
    share.fraction_sum += share.fraction[i];
    share.duplicate_sum += share.duplicate[i];
    share.once_sum += share.fraction[i] / std::max(k, 1.0);
  }
}

const ProcessorClocks::Share& ProcessorClocks::shaped_share(const PipelineSpec& spec,
                                                            const Share& whole) {
  const mapping::ProcessorView& on = mapping_.layout(spec.placement).view();
  shaped_ = whole;
  shaped_.fraction_sum = shaped_.duplicate_sum = shaped_.once_sum = 0.0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const std::int64_t local = on.local(members_[i]);
    const double relative = local < 0 ? 1.0 : pipeline_.relative(static_cast<std::size_t>(local));
    shaped_.fraction[i] *= relative;
    shaped_.duplicate[i] *= relative;
    shaped_.fraction_sum += shaped_.fraction[i];
    shaped_.duplicate_sum += shaped_.duplicate[i];
    shaped_.once_sum += shaped_.fraction[i] - shaped_.duplicate[i];
  }
  return shaped_;
}

void ProcessorClocks::work_out_here(Share& share, const Layout& loop) {
  const double all = loop.elements();
  if (!(all > 0.0)) {
    return;
  }
  loop.counts(share.fraction);
  const double copies = loop.copies();
  const double duplicated = copies > 1.0 ? (copies - 1.0) / copies : 0.0;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    share.any = share.any || share.fraction[i] > 0.0;
    share.fraction[i] = share.fraction[i] / all * inverse_[members_[i]];
    share.duplicate[i] = share.fraction[i] * duplicated;
    share.fraction_sum += share.fraction[i];
    share.duplicate_sum += share.duplicate[i];
    share.once_sum += share.fraction[i] / std::max(copies, 1.0);
  }
}

}  // namespace gridcast::model
