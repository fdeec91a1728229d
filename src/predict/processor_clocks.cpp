#include "processor_clocks.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gridcast::model {

namespace {

/// Networks remember at least this many periods before the past is looked through.
constexpr std::size_t least_periods = 64;

/// Messages and ends of communications that are kept at a time, about; 16 and 8 bytes each.
constexpr std::size_t most_kept = std::size_t{1} << 21;

}  // namespace

ProcessorClocks::ProcessorClocks(const Script& script, const machine::Cluster& cluster,
                                 const ModelOptions& options)
    : script_(&script),
      cluster_(&cluster),
      options_(options),
      mapping_(script, options, &interruption_),
      builder_(mapping_),
      pipeline_(mapping_) {
  timed_.resize(script.tables().communications.size());
  shares_.resize(script.tables().placements.size());
  pending_.resize(script.header().tokens);
}

void ProcessorClocks::prepare(const machine::Grid& grid) {
  processors_ = static_cast<std::size_t>(grid.processors());
  expand(grid);
  if (networks_.empty()) {
    networks_.emplace_back(system());
    networks_.front().ask(&interruption_);
  }
  networks_.front().reset(grid);
  mapping_.reset(grid, system());
  const bool large = kept_ > most_kept / 2;  // or their memory stays for the next grid
  kept_ = 0;
  for (Timed& timed : timed_) {
    if (large) {
      timed = Timed{};
    }
    timed.ready = false;
    timed.written_ready = false;
  }
  for (Share& share : shares_) {
    share.ready = false;
  }
  portion_shares_.clear();
  broadcasts_.clear();
  clock_.assign(processors_, 0.0);
  busy_.assign(processors_, 0.0);
  ends_.assign(processors_, 0.0);
  inverse_.resize(processors_);
  for (std::size_t p = 0; p < processors_; ++p) {
    inverse_[p] = 1.0 / system().performance[p];
  }
  pending_work_ = 0.0;
  period_limit_ = least_periods;
}

void ProcessorClocks::run(const machine::Grid& grid, bool per_processor,
                          std::vector<Characteristics>& results) {
  prepare(grid);
  ledger_.reset(*script_, processors_, per_processor);
  run_all();
  ledger_.finish(clock_, busy_, results);
}

void ProcessorClocks::observe(const machine::Grid& grid, Observer& observer) {
  prepare(grid);
  ledger_.reset(*script_, processors_, false);
  observer.started(system(), grid);
  observer_ = &observer;
  try {
    run_all();
  } catch (...) {
    observer_ = nullptr;
    throw;
  }
  observer_ = nullptr;
  observer.finished(clock_);
}

std::vector<std::string> ProcessorClocks::notes() const {
  std::vector<std::string> notes;
  if (mapping_.interpolated_lengths()) {
    notes.emplace_back(
        "block lengths (genblk_) were interpolated: the trace gives them for another number of "
        "processors");
  }
  return notes;
}

const machine::ProcessorSystem& ProcessorClocks::expand(const machine::Grid& grid) {
  if (system_.processors() < static_cast<std::size_t>(grid.processors())) {
    // Twice as many as needed now, so that a search expands the machine a few times only.
    const std::int64_t most = cluster_->processors();
    const std::int64_t wanted = grid.processors();
    system_ = cluster_->expand(wanted > most ? wanted : std::min(2 * wanted, most));
    networks_.clear();
  }
  return system_;
}

void ProcessorClocks::displace(std::vector<std::uint32_t> order) {
  if (displaced() || !order.empty()) {
    networks_.clear();  // they look at the machine
  }
  order_ = std::move(order);
  if (displaced()) {
    displaced_system_ = machine::placed(system_, order_);
  }
}

// --- the current processor system
// ----------------------------------------------------------------------

void ProcessorClocks::enter(ViewId view) {
  flush();
  current_ = view;
  members_ = mapping_.view(view).processors();
  contiguous_ = members_.back() - members_.front() + 1 == members_.size();
  inverse_sum_ = 0.0;
  for (const std::uint32_t p : members_) {
    inverse_sum_ += inverse_[p];
  }
  const auto count = static_cast<double>(members_.size());
  idle_part_ = (count - 1.0) / count;
  ledger_.involve(members_);
}

void ProcessorClocks::flush() {
  if (pending_work_ == 0.0) {
    return;
  }
  for_each_current([&](std::size_t p, std::size_t) {
    const double time = pending_work_ * inverse_[p];
    clock_[p] += time;
    busy_[p] += time;
  });
  pending_work_ = 0.0;
}

double ProcessorClocks::latest() {
  flush();
  double latest = 0.0;
  for_each_current([&](std::size_t p, std::size_t) { latest = std::max(latest, clock_[p]); });
  return latest;
}

std::size_t ProcessorClocks::last_processor() {
  std::size_t last = members_.front();
  for_each_current([&](std::size_t p, std::size_t) { last = clock_[p] > clock_[last] ? p : last; });
  return last;
}

// --- communications
// --------------------------------------------------------------------------------------

void ProcessorClocks::time_transfers(Timed& timed) {
  timed.ready = true;
  timed.silent = timed.transfers.communication.empty() && !timed.transfers.fixed_time;
  timed.profile.uses.clear();
  timed.profile.overheads.clear();
  if (timed.transfers.fixed_time) {
    timed.profile.ends.assign(processors_, *timed.transfers.fixed_time);
    return;
  }
  if (timed.silent) {
    return;
  }
  // On networks of its own: those of the run may be taken.
  idle_networks().profile(timed.transfers.communication, ends_, timed.profile);
}

network::Networks& ProcessorClocks::idle_networks() {
  if (networks_.size() == 1) {
    networks_.emplace_back(system());
    networks_[1].ask(&interruption_);
  }
  networks_[1].reset(mapping_.grid());
  return networks_[1];
}

ProcessorClocks::Timed& ProcessorClocks::timed_broadcast(double bytes) {
  Timed& broadcast = broadcasts_[std::pair(current_, bytes)];
  if (!broadcast.ready) {
    builder_.broadcast(current_, bytes, broadcast.transfers);
    time_transfers(broadcast);
  }
  return broadcast;
}

const WrittenShares& ProcessorClocks::written_of(CommunicationId communication) {
  Timed& copy = timed(communication);
  if (!copy.written_ready) {
    builder_.written(script_->tables().communications[communication], copy.written);
    kept_ += 3 * copy.written.share.size();
    copy.written_ready = true;
  }
  return copy.written;
}

void ProcessorClocks::sum_up(Timed& timed, ViewId view) {
  timed.last = 0.0;
  timed.variation = 0.0;
  if (timed.silent) {
    return;
  }
  const auto processors = mapping_.view(view).processors();
  for (const std::uint32_t p : processors) {
    timed.last = std::max(timed.last, timed.profile.ends[p]);
  }
  for (const std::uint32_t p : processors) {
    timed.variation += timed.last - timed.profile.ends[p];
  }
}

ProcessorClocks::Timed& ProcessorClocks::timed(CommunicationId communication) {
  Timed& timed = timed_[communication];
  if (!timed.ready) {
    const CommunicationSpec& spec = script_->tables().communications[communication];
    builder_.build(spec, timed.transfers);
    time_transfers(timed);
    sum_up(timed, spec.view);
    make_room_beside(timed);
  }
  return timed;
}

void ProcessorClocks::make_room_beside(const Timed& latest) {
  const auto size = [](const Timed& timed) {
    return timed.transfers.communication.transfers.size() + timed.profile.ends.size() +
           3 * timed.written.share.size();
  };
  kept_ += size(latest);
  if (kept_ <= most_kept) {
    return;
  }
  // What is under way or was waited for last is still looked at.
  const auto used = [](const Pending& pending, const Timed& timed) {
    return pending.profiled == &timed || pending.ends == &timed.profile.ends ||
           pending.transfers == &timed.transfers || pending.overheads == &timed.profile.overheads;
  };
  kept_ = 0;
  for (Timed& timed : timed_) {
    const bool keeps = &timed == &latest || used(blocking_, timed) ||
                       std::any_of(pending_.begin(), pending_.end(),
                                   [&](const Pending& pending) { return used(pending, timed); });
    if (!keeps && timed.ready) {
      timed = Timed{};
    }
    kept_ += size(timed);
  }
}

void ProcessorClocks::forget_periods() {
  network::Networks& networks = networks_.front();
  if (networks.remembered() <= period_limit_) {
    return;
  }
  networks.forget_before(*std::min_element(clock_.begin(), clock_.end()));
  period_limit_ = std::max(least_periods, 2 * networks.remembered());
}

void ProcessorClocks::launch(Timed& timed, double start, Pending& pending) {
  pending.view = current_;
  pending.start = start;
  pending.base = start;
  pending.profiled = nullptr;
  pending.transfers = &timed.transfers;
  pending.overheads = timed.profile.overheads.empty() ? nullptr : &timed.profile.overheads;
  if (timed.silent) {
    pending.ends = nullptr;
    return;
  }
  network::Networks& networks = networks_.front();
  if (networks.idle_for(timed.profile, start)) {
    networks.occupy(timed.profile, start);
    pending.ends = &timed.profile.ends;
    pending.profiled = &timed;
  } else {
    pending.absolute.resize(processors_);
    networks.run(timed.transfers.communication, start, pending.absolute);
    pending.base = 0.0;
    pending.ends = &pending.absolute;
  }
  forget_periods();
}

}  // namespace gridcast::model
