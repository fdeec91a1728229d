#include "grid_details.h"

#include <algorithm>
#include <utility>

#include "gridcast/rules/loop_part.h"

namespace gridcast::model {
namespace {

/// Numbers in lists about communications that are kept at a time, about.
constexpr std::size_t most_kept_numbers = std::size_t{1} << 22;

}  // namespace

GridDetails::GridDetails(const Script& script, const machine::Cluster& cluster,
                         const ModelOptions& options, Interruption& interruption)
    : script_(&script),
      cluster_(&cluster),
      interruption_(&interruption),
      mapping_(script, options, &interruption),
      builder_(mapping_),
      pipeline_(mapping_) {
  known_.resize(script.tables().communications.size());
}

void GridDetails::reset(const machine::Grid& grid) {
  grid_ = grid;
  prepared_ = false;
}

const machine::ProcessorSystem& GridDetails::system() {
  const std::int64_t wanted = grid_.processors();
  if (static_cast<std::int64_t>(system_.processors()) < wanted) {
    // Twice as many as needed now, so that a search expands the machine a few times only.
    networks_.clear();
    system_ = cluster_->expand(std::max(wanted, std::min(2 * wanted, cluster_->processors())));
  }
  return system_;
}

void GridDetails::prepare() {
  if (prepared_) {
    return;
  }
  prepared_ = true;
  mapping_.reset(grid_, system());
  if (networks_.empty()) {
    networks_.emplace_back(system_);
    networks_.emplace_back(system_);
  }
  for (network::Networks& networks : networks_) {
    networks.ask(interruption_);
    networks.reset(grid_);
  }
  const bool large = kept_ > most_kept_numbers / 2;  // or their memory stays for the next grid
  for (Known& known : known_) {
    known.transfers_ready = known.ends_ready = known.written_ready = false;
    if (large) {
      known = Known{};
    }
  }
  kept_ = 0;
  broadcasts_.clear();
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

const network::Communication& GridDetails::transfers(Source source) {
  prepare();
  if (source.communication == none) {
    const auto [entry, fresh] = broadcasts_.try_emplace(source.bytes);
    if (fresh) {
      builder_.broadcast(root_view, source.bytes, entry->second);
    }
    return entry->second.communication;
  }
  Known& known = known_[source.communication];
  if (!known.transfers_ready) {
    known.transfers_ready = true;
    builder_.build(script_->tables().communications[source.communication], known.transfers);
    make_room(known, 2 * known.transfers.communication.transfers.size());
  }
  return known.transfers.communication;
}

void GridDetails::make_room(Known& latest, std::size_t numbers) {
  kept_ += numbers;
  if (kept_ <= most_kept_numbers) {
    return;
  }
  Known own = std::move(latest);
  for (Known& known : known_) {
    known = Known{};
  }
  latest = std::move(own);
  kept_ = numbers;
}

std::span<const double> GridDetails::idle_ends(CommunicationId communication) {
  const network::Communication& transfers = this->transfers({communication, 0.0});
  Known& known = known_[communication];
  if (!known.ends_ready) {
    known.ends_ready = true;
    const auto processors = static_cast<std::size_t>(grid_.processors());
    known.ends.assign(processors, known.transfers.fixed_time.value_or(0.0));
    if (!known.transfers.fixed_time) {
      networks_[1].reset(grid_);
      networks_[1].run(transfers, 0.0, known.ends);
    }
    make_room(known, processors);
  }
  return known.ends;
}

std::span<const double> GridDetails::overheads(Source source) {
  const network::Communication& transfers = this->transfers(source);
  networks_.front().overheads(transfers, overheads_);
  return overheads_;
}

const WrittenShares& GridDetails::written(CommunicationId communication) {
  prepare();
  Known& known = known_[communication];
  if (!known.written_ready) {
    known.written_ready = true;
    builder_.written(script_->tables().communications[communication], known.written);
    make_room(known, 3 * known.written.share.size());
  }
  return known.written;
}

void GridDetails::shares(PlacementId placement, PortionId portion, std::vector<double>& result) {
  prepare();
  const mapping::Layout& loop = mapping_.layout(placement);
  result.assign(loop.view().size(), 0.0);
  const LoopPart part(loop.extents(), *script_, portion);
  if (part.empty()) {
    return;
  }
  std::array<std::int64_t, machine::max_grid_rank> at{};
  std::array<mapping::IndexRange, mapping::max_rank> block;
  for (std::size_t p = 0; p < result.size(); ++p) {
    loop.coordinates(p, at);
    if (loop.block(at, block)) {
      result[p] = part.share(block);
    }
  }
}

}  // namespace gridcast::model
