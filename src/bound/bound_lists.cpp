#include "bound_lists.h"

#include <algorithm>
#include <functional>

namespace gridcast::model {
namespace {

/// A pair is not run again if it starts later by less than this part of its delay: an earlier start
/// gives a lower bound as well.
constexpr double same_delay = 1e-4;

}  // namespace

BoundLists::BoundLists(const Script& script, const ModelOptions& options, BoundMachine& machine)
    : script_(&script), machine_(&machine), mapping_(script, options), builder_(mapping_) {
  listed_.resize(script.tables().communications.size());
}

void BoundLists::reset(const machine::Grid& grid) {
  const machine::ProcessorSystem& system = machine_->system();
  if (networks_.empty() || known_processors_ != system.processors()) {
    networks_.clear();
    networks_.emplace_back(system);
    known_processors_ = system.processors();
  }
  networks_.front().reset(grid);
  mapping_.reset(grid, system);
  for (Listed& listed : listed_) {
    listed.ready = false;
    listed.built = false;
  }
  pairs_.clear();
}

const Transfers& BoundLists::transfers(std::uint32_t communication) {
  Listed& result = listed_[communication];
  if (!result.built) {
    result.built = true;
    builder_.build(script_->tables().communications[communication], result.transfers);
    if (result.transfers.communication.one_by_one) {
      result.transfers.communication.clear();  // not bounded: each waits for those before it
    }
  }
  return result.transfers;
}

const BoundLists::Listed& BoundLists::listed(std::uint32_t communication) {
  Listed& result = listed_[communication];
  if (!result.ready) {
    result.ready = true;
    transfers(communication);
    result.ends.clear();
    if (!result.transfers.fixed_time && !result.transfers.communication.empty()) {
      result.ends.resize(mapping_.processors());
      run_idle(result.transfers.communication, result.ends);
    }
  }
  return result;
}

void BoundLists::run_idle(const network::Communication& communication, std::span<double> ends) {
  const machine::ProcessorSystem& system = machine_->system();
  if (machine_->has_links(static_cast<std::int64_t>(mapping_.processors()))) {
    networks().run(communication, 0.0, ends);
    networks().reset(mapping_.grid());
    return;
  }
  // Without gaps each transfer takes the channel that is free first: no need to look at all.
  free_.resize(system.networks.size());
  std::fill(ends.begin(), ends.end(), 0.0);
  double start = 0.0;
  for (std::size_t phase = 0; phase < communication.phases(); ++phase) {
    double last = start;
    for (const network::Transfer& transfer : communication.phase(phase)) {
      const std::uint32_t id = system.common_network(transfer.from, transfer.to);
      const machine::Network& network = system.networks[id];
      std::vector<double>& free = free_[id];
      if (free.empty()) {
        used_.push_back(id);
        free.assign(static_cast<std::size_t>(network.channels), 0.0);
      }
      std::pop_heap(free.begin(), free.end(), std::greater<>{});
      const double end =
          std::max(free.back(), start) + network.start_time + transfer.bytes * network.byte_time;
      free.back() = end;
      std::push_heap(free.begin(), free.end(), std::greater<>{});
      ends[transfer.from] = std::max(ends[transfer.from], end);
      ends[transfer.to] = std::max(ends[transfer.to], end);
      last = std::max(last, end);
    }
    start = last;
  }
  for (const std::uint32_t id : used_) {
    free_[id].clear();
  }
  used_.clear();
}

std::span<const double> BoundLists::behind(std::uint32_t first, std::uint32_t second,
                                           double delay) {
  for (const Pair& pair : pairs_) {
    if (pair.first == first && pair.second == second && pair.delay <= delay &&
        delay - pair.delay <= same_delay * delay) {
      return pair.ends;
    }
  }
  Pair& pair = pairs_.emplace_back(Pair{first, second, delay, {}});
  const Listed& before = listed(first);
  const Listed& behind = listed(second);
  if (before.ends.empty() || behind.ends.empty() || before.transfers.communication.phases() != 1) {
    return pair.ends;
  }
  ends_.resize(mapping_.processors());
  pair.ends.resize(mapping_.processors());
  networks().run(before.transfers.communication, 0.0, ends_);
  networks().run(behind.transfers.communication, delay, pair.ends);
  networks().reset(mapping_.grid());
  for (double& end : pair.ends) {
    end = end > delay ? end : 0.0;
  }
  return pair.ends;
}

}  // namespace gridcast::model
