#include "gridcast/rules/grid_details.h"

#include <algorithm>
#include <utility>

#include "gridcast/rules/loop_part.h"

namespace gridcast::model {
namespace {

/// Numbers in lists about communications and loops that are kept at a time, about.
constexpr std::size_t most_kept_numbers = std::size_t{1} << 22;

}  // namespace

void Share::sum_up(std::span<const std::uint32_t> processors) {
  // Both count whenever the time is shared: of tens of thousands of numbers they would lose digits.
  long double all = 0.0L;
  long double all_once = 0.0L;
  for (const std::uint32_t p : processors) {
    all += parts[p];
    all_once += once[p];
  }
  sum = static_cast<double>(all);
  once_sum = static_cast<double>(all_once);
}

GridDetails::GridDetails(const Script& script, const machine::Cluster& cluster,
                         const ModelOptions& options, Interruption& interruption)
    : script_(&script),
      cluster_(&cluster),
      interruption_(&interruption),
      mapping_(script, options, &interruption),
      builder_(mapping_),
      pipeline_(mapping_) {}

const machine::ProcessorSystem& GridDetails::expand(const machine::Grid& grid) {
  const std::int64_t wanted = grid.processors();
  if (static_cast<std::int64_t>(system_.processors()) < wanted) {
    // Twice as many as needed now, so that a search expands the machine a few times only.
    networks_.clear();
    system_ = cluster_->expand(std::max(wanted, std::min(2 * wanted, cluster_->processors())));
  }
  return system_;
}

void GridDetails::displace(std::vector<std::uint32_t> order) {
  if (displaced() || !order.empty()) {
    networks_.clear();  // they look at the machine
  }
  order_ = std::move(order);
  if (displaced()) {
    displaced_ = machine::placed(system_, order_);
  }
}

const machine::ProcessorSystem& GridDetails::system() {
  expand(grid_);
  return displaced() ? displaced_ : system_;
}

void GridDetails::reset(const machine::Grid& grid) {
  grid_ = grid;
  prepared_ = false;
}

void GridDetails::prepare() {
  if (prepared_) {
    return;
  }
  prepared_ = true;
  mapping_.reset(grid_, system());
  while (networks_.size() < 2) {
    networks_.emplace_back(system());
  }
  for (network::Networks& networks : networks_) {
    networks.ask(interruption_);
    networks.reset(grid_);
  }
  known_.resize(script_->tables().communications.size());
  for (const Known& known : known_) {
    if (known && kept_ > most_kept_numbers / 2) {
      *known = {};
    } else if (known) {  // its memory stays for this grid
      known->built = known->timed = false;
      known->written.reset();
    }
  }
  broadcasts_.clear();
  shares_.clear();
  works_.clear();
  kept_ = 0;
}

GridMapping& GridDetails::mapping() {
  prepare();
  return mapping_;
}

Pipeline& GridDetails::pipeline() {
  prepare();
  return pipeline_;
}

network::Networks& GridDetails::networks() {
  prepare();
  return networks_.front();
}

GridDetails::Known& GridDetails::slot(const Source& source) {
  prepare();
  Known& known = source.communication == none ? broadcasts_[{source.view, source.bytes}]
                                              : known_[source.communication];
  if (!known) {
    known = std::make_shared<GridCommunication>();
  }
  return known;
}

const GridDetails::Known& GridDetails::built(const Source& source) {
  const Known& known = slot(source);
  if (!known->built) {
    known->built = true;
    if (source.communication == none) {
      builder_.broadcast(source.view, source.bytes, known->transfers);
    } else {
      builder_.build(script_->tables().communications[source.communication], known->transfers);
    }
    make_room(2 * known->transfers.communication.transfers.size(), known);
  }
  return known;
}

const GridDetails::Known& GridDetails::timed(const Source& source) {
  const Known& known = built(source);
  if (known->timed) {
    return known;
  }
  known->timed = true;
  network::Profile& idle = known->idle;
  idle.ends.clear();
  idle.uses.clear();
  idle.overheads.clear();
  const Transfers& transfers = known->transfers;
  std::vector<double> ends(mapping_.processors(), transfers.fixed_time.value_or(0.0));
  if (!transfers.communication.empty()) {
    networks_[1].reset(grid_);
    networks_[1].profile(transfers.communication, ends, idle);
  } else if (transfers.fixed_time) {
    idle.ends = ends;
  } else {
    return known;
  }
  make_room(ends.size() + idle.uses.size(), known);
  return known;
}

void GridDetails::make_room(std::size_t numbers, const Known& latest) {
  kept_ += numbers;
  if (kept_ <= most_kept_numbers) {
    return;
  }
  kept_ = numbers;
  shares_.clear();
  for (Known& known : known_) {
    if (known && known != latest && known.use_count() == 1) {
      *known = {};
    }
  }
}

const Share& GridDetails::written(CommunicationId communication) {
  Known& known = slot({communication});
  if (!known->written) {
    WrittenShares written;
    builder_.written(script_->tables().communications[communication], written);
    Share& share = known->written.emplace();
    share.any = written.any;
    share.parts = std::move(written.share);
    share.once = std::move(written.once);
    const auto everybody = mapping_.view(root_view).processors();
    for (const std::uint32_t p : everybody) {
      share.parts[p] /= mapping_.system().performance[p];
      share.once[p] /= mapping_.system().performance[p];
    }
    share.sum_up(everybody);
    make_room(2 * share.parts.size(), known);
  }
  return *known->written;
}

const Share& GridDetails::share(PlacementId placement, PortionId portion, ViewId view) {
  prepare();
  const auto known = shares_.find({view, placement, portion});
  if (known != shares_.end()) {
    return known->second;
  }
  make_room(2 * mapping_.processors(), nullptr);
  return shares_[{view, placement, portion}] = work_out(placement, portion, view);
}

Share GridDetails::work_out(PlacementId placement, PortionId portion, ViewId view) {
  const mapping::Layout& loop = mapping_.layout(placement);
  const mapping::ProcessorView& here = mapping_.view(view);
  const std::vector<double>& performance = mapping_.system().performance;
  const LoopPart part(loop.extents(), *script_, portion);
  Share share;
  share.parts.assign(mapping_.processors(), 0.0);
  share.once = share.parts;
  if (part.empty()) {
    return share;
  }
  if (&here == &loop.view() && portion == none) {
    std::vector<double> counts;
    loop.counts(counts);
    const double copies = std::max(loop.copies(), 1.0);
    for (std::size_t local = 0; local < counts.size(); ++local) {
      const std::uint32_t p = here.processors()[local];
      share.parts[p] = counts[local] / part.iterations() / performance[p];
      share.once[p] = share.parts[p] / copies;
    }
  } else {
    // Some processors of the loop's system may not be here: those that share a block are counted.
    std::vector<std::size_t> group(mapping_.processors(), 0);
    std::vector<double> copies(loop.view().size(), 0.0);
    mapping_.for_each_holder(loop, [&](const Holder& holder) {
      const std::uint32_t p = holder.processor();
      if (here.local(p) >= 0) {
        share.parts[p] = part.share(holder.block()) / performance[p];
        group[p] = group_of(loop, holder.at);
        copies[group[p]] += 1.0;
      }
    });
    for (const std::uint32_t p : here.processors()) {
      share.once[p] = share.parts[p] / std::max(copies[group[p]], 1.0);
    }
  }
  share.any = std::any_of(share.parts.begin(), share.parts.end(), [](double n) { return n > 0.0; });
  share.sum_up(here.processors());
  return share;
}

}  // namespace gridcast::model
