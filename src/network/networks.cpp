#include "gridcast/network/networks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gridcast/base/contract.h"
#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/network/message_time.h"

namespace gridcast::network {

using machine::NetworkType;

namespace {

/// What a handful of roundings may change of a value.
constexpr double rounding = 8.0 * std::numeric_limits<double>::epsilon();

/// Rounded down; a value that misses an integer by rounding only is that integer.
double floor_but_for_rounding(double value) {
  const double nearest = std::round(value);
  return std::abs(value - nearest) <= rounding * nearest ? nearest : std::floor(value);
}

}  // namespace

double pipelined_message_time(std::int64_t distance, double bytes, double start_time,
                              double byte_time) {
  if (distance == 0) {
    return 0.0;
  }
  if (distance == 1) {
    return start_time + bytes * byte_time;
  }
  const double hops = static_cast<double>(distance - 1);
  const auto time = [&](double portion) {
    return (hops + std::ceil(bytes / portion)) * (start_time + portion * byte_time);
  };
  // Without a byte time the whole message is the best portion.
  const double ideal = byte_time > 0.0 ? std::sqrt(bytes * start_time / (hops * byte_time)) : bytes;
  double portion = std::clamp(floor_but_for_rounding(ideal), 1.0, std::max(bytes, 1.0));
  double best = time(portion);
  for (const double step : {-1.0, 1.0}) {
    bool moved = false;
    while (portion + step >= 1.0 && portion + step <= bytes &&
           time(portion + step) < best * (1.0 - rounding)) {
      portion += step;
      best = time(portion);
      moved = true;
    }
    if (moved) {
      break;
    }
  }
  return best;
}

void require_countable_channels(const machine::ProcessorSystem& system) {
  constexpr std::int64_t most = std::int64_t{1} << 24;
  std::int64_t count = 0;
  for (const machine::Network& network : system.networks) {
    count += network.channels;
  }
  if (count > most) {
    throw InputError("the networks of " +
                         counted(static_cast<std::int64_t>(system.processors()), "processor") +
                         " have " + std::to_string(count) + " channels altogether",
                     "expected at most " + std::to_string(most) +
                         "; a network uses no more channels than messages are under way");
  }
}

Networks::Networks(const machine::ProcessorSystem& system) : system_(&system) {
  require_countable_channels(system);
  first_channel_.reserve(system.networks.size() + 1);
  std::uint32_t count = 0;
  for (const machine::Network& network : system.networks) {
    first_channel_.push_back(count);
    if (network.type != NetworkType::transputer && network.type != NetworkType::ports) {
      count += static_cast<std::uint32_t>(network.channels);
    }
  }
  first_channel_.push_back(count);
  channels_.resize(count);
  number_ports();
  is_touched_.assign(channels_.size(), 0);
}

void Networks::reset(const machine::Grid& grid) {
  for (const std::uint32_t channel : touched_) {
    channels_[channel].clear();
    is_touched_[channel] = 0;
  }
  touched_.clear();
  for (const std::uint32_t port : touched_ports_) {
    ports_[port].clear();
  }
  touched_ports_.clear();
  remembered_ = 0;
  period_limit_ = least_periods;
  occupied_.reset();
  busy_until_ = 0.0;
  starts_from_ = -std::numeric_limits<double>::infinity();
  grid_ = grid;
}

double Networks::place(std::uint32_t network, double start, double length) {
  if (!(length > 0.0)) {
    return start;
  }
  std::uint32_t best = first_channel_[network];
  double begin = std::numeric_limits<double>::infinity();
  for (std::uint32_t c = first_channel_[network]; c < first_channel_[network + 1]; ++c) {
    const double candidate = channels_[c].earliest_gap(start, length);
    // Times that differ by rounding only are a tie, which goes to the lowest number.
    if (candidate < begin * (1.0 - relative_slack)) {
      begin = candidate;
      best = c;
      if (begin <= start) {
        break;  // no later channel can be earlier
      }
    }
  }
  const double end = begin + length;
  take(best, begin, end);
  return end;
}

Networks::Links& Networks::links_of(std::uint32_t network) {
  for (Links& links : links_) {
    if (links.network == network) {
      return links;
    }
  }
  return links_.emplace_back(Links{network, 0, 0.0, 0.0});
}

void Networks::run_links(std::span<const Transfer> transfers, double start,
                         std::span<double> ends) {
  double packed = start;  // all wait for the largest packing
  for (const Transfer& transfer : transfers) {
    if (between(transfer.from, transfer.to).type == NetworkType::transputer && !packing_.empty()) {
      packed = std::max(packed, start + packing_[transfer.from]);
    }
  }
  for (Links& links : links_) {
    const machine::Network& network = system_->networks[links.network];
    links.time = pipelined_message_time(links.distance, links.bytes, network);
  }
  for (const Transfer& transfer : transfers) {
    const std::uint32_t id = system_->common_network(transfer.from, transfer.to);
    if (system_->networks[id].type == NetworkType::transputer) {
      finish(transfer, packed + links_of(id).time, ends);
    }
  }
}

void Networks::finish(const Transfer& transfer, double end, std::span<double> ends) {
  ends[transfer.from] = std::max(ends[transfer.from], end);
  ends[transfer.to] = std::max(ends[transfer.to], end);
  if (!received_.empty()) {
    received_[transfer.to] = std::max(received_[transfer.to], end);
  }
}

void Networks::run_phase(std::span<const Transfer> transfers, double start,
                         std::span<double> ends) {
  links_.clear();
  const auto packed = [&](std::uint32_t p) {
    return packing_.empty() ? start : start + packing_[p];
  };
  for (const Transfer& transfer : transfers) {
    if (has_ports_) {
      ready_[transfer.from] = packed(transfer.from);
      ready_[transfer.to] = packed(transfer.to);
    }
  }
  for (const Transfer& transfer : transfers) {
    count();
    const std::size_t level = system_->common_level(transfer.from, transfer.to);
    const std::uint32_t id = system_->ancestors[level * system_->processors() + transfer.from];
    const machine::Network& network = system_->networks[id];
    if (network.type == NetworkType::transputer) {
      const std::int64_t far = grid_.distance(transfer.from, transfer.to);
      Links& links = links_of(id);
      const double bytes = std::max(transfer.bytes, 1.0);  // portions are whole bytes
      if (far > links.distance) {
        links.distance = far;
        links.bytes = bytes;
      } else if (far == links.distance) {
        links.bytes = std::max(links.bytes, bytes);
      }
    } else if (network.type == NetworkType::ports) {
      ready_[transfer.from] += network.send_time;
      add_to_ports(transfer, level, ready_[transfer.from]);
    } else {
      const double length = channel_time(network, transfer.bytes);
      finish(transfer, place(id, packed(transfer.from), length), ends);
    }
  }
  if (!messages_.empty()) {
    pass_ports(ends);
    receive(start, ends);
  }
  if (!links_.empty()) {
    run_links(transfers, start, ends);
  }
}

void Networks::run(const Communication& communication, double start, std::span<double> ends) {
  settle();
  std::fill(ends.begin(), ends.end(), start);
  packing_ = communication.packing;
  received_.clear();
  if (!communication.unpacking.empty()) {
    received_.assign(ends.size(), -1.0);
  }
  if (communication.one_by_one) {
    for (const Transfer& transfer : communication.transfers) {
      run_alone(transfer, std::max(ends[transfer.from], ends[transfer.to]), ends);
    }
  } else if (!communication.rounds.empty()) {
    run_rounds(communication, ends);
  } else {
    run_phases(communication, start, ends);
  }
  for (const std::uint32_t channel : touched_) {
    busy_until_ = std::max(busy_until_, channels_[channel].last_end());
  }
  for (const std::uint32_t port : touched_ports_) {
    busy_until_ = std::max(busy_until_, ports_[port].busy_until());
  }
}

void Networks::run_alone(const Transfer& transfer, double start, std::span<double> ends) {
  const std::size_t level = system_->common_level(transfer.from, transfer.to);
  const std::uint32_t id = system_->ancestors[level * system_->processors() + transfer.from];
  const machine::Network& network = system_->networks[id];
  if (network.type != NetworkType::ports) {
    run_phase({&transfer, 1}, start, ends);
    return;
  }
  count();
  const Delivery delivery = deliver(transfer, level, start + network.send_time);
  ends[transfer.from] = std::max(ends[transfer.from], delivery.sent);
  ends[transfer.to] =
      std::max(ends[transfer.to], std::max(start, delivery.arrived) + network.receive_time);
}

void Networks::run_phases(const Communication& communication, double start,
                          std::span<double> ends) {
  double at = start;
  for (std::size_t phase = 0; phase < communication.phases(); ++phase) {
    const std::span<const Transfer> transfers = communication.phase(phase);
    run_phase(transfers, at, ends);
    for (const Transfer& transfer : transfers) {
      count();
      at = std::max({at, ends[transfer.from], ends[transfer.to]});
    }
  }
  for (std::size_t p = 0; p < received_.size(); ++p) {
    if (received_[p] >= 0.0) {
      ends[p] = std::max(ends[p], received_[p] + communication.unpacking[p]);
    }
  }
}

void Networks::run_rounds(const Communication& communication, std::span<double> ends) {
  for (std::size_t round = 0; round < communication.rounds.size(); ++round) {
    clocks_.assign(ends.begin(), ends.end());
    packing_ = clocks_;  // after time 0
    run_phase(communication.round(round), 0.0, ends);
  }
}

double Networks::send(const Transfer& transfer, double start) {
  count();
  settle();
  const std::size_t level = system_->common_level(transfer.from, transfer.to);
  const std::uint32_t id = system_->ancestors[level * system_->processors() + transfer.from];
  const machine::Network& network = system_->networks[id];
  if (network.type == NetworkType::ports) {
    return deliver(transfer, level, start).arrived;
  }
  if (network.type == NetworkType::transputer) {
    return start + pipelined_message_time(grid_.distance(transfer.from, transfer.to),
                                          transfer.bytes, network);
  }
  const double end = place(id, start, channel_time(network, transfer.bytes));
  busy_until_ = std::max(busy_until_, end);
  return end;
}

void Networks::profile(const Communication& communication, std::span<double> ends,
                       Profile& result) {
  expects(remembered_ == 0, "a profile is taken on idle networks");
  run(communication, 0.0, ends);
  result.ends.assign(ends.begin(), ends.end());
  overheads(communication, result.overheads);
  result.uses.clear();
  for (const std::uint32_t channel : touched_) {
    count();
    for (const Channel::Period& period : channels_[channel].periods()) {
      result.uses.push_back({channel, period.begin, period.end});
    }
  }
  result.port_uses.clear();
  result.port_uses.reserve(touched_ports_.size());
  for (const std::uint32_t port : touched_ports_) {
    result.port_uses.push_back({port, ports_[port].since(), ports_[port].kept()});
  }
  result.busy = busy_until_;
  reset(grid_);
}

bool Networks::idle_for(const Profile& profile, double start) {
  if (busy_until_ <= start) {
    return true;
  }
  settle();
  return std::all_of(
             profile.uses.begin(), profile.uses.end(),
             [&](const Profile::Use& use) { return channels_[use.channel].last_end() <= start; }) &&
         std::all_of(
             profile.port_uses.begin(), profile.port_uses.end(),
             [&](const Profile::PortUse& use) { return ports_[use.port].busy_until() <= start; });
}

void Networks::take(std::uint32_t channel, double begin, double end) {
  if (is_touched_[channel] == 0) {
    is_touched_[channel] = 1;
    touched_.push_back(channel);
  }
  const std::size_t before = channels_[channel].periods().size();
  channels_[channel].take(begin, end);
  remembered_ += channels_[channel].periods().size();
  remembered_ -= before;
}

void Networks::occupy(std::shared_ptr<const Profile> profile, double start) {
  if (occupied_ != nullptr && occupied_from_ + occupied_->busy > starts_from_) {
    settle();
  }
  busy_until_ = std::max(busy_until_, start + profile->busy);
  occupied_ = std::move(profile);
  occupied_from_ = start;
}

void Networks::settle() {
  const std::shared_ptr<const Profile> profile = std::move(occupied_);
  if (profile == nullptr) {
    return;
  }
  for (const Profile::Use& use : profile->uses) {
    count();
    take(use.channel, occupied_from_ + use.begin, occupied_from_ + use.end);
  }
  for (const Profile::PortUse& use : profile->port_uses) {
    count();
    touch_port(use.port);
    ports_[use.port].enter(use.load, occupied_from_ + use.since);
  }
}

void Networks::shift(double seconds) {
  settle();
  busy_until_ += seconds;
  starts_from_ += seconds;
  for (const std::uint32_t channel : touched_) {
    channels_[channel].shift(seconds);
  }
  for (const std::uint32_t port : touched_ports_) {
    ports_[port].shift(seconds);
  }
}

void Networks::forget(double before) {
  settle();
  remembered_ = 0;
  for (const std::uint32_t channel : touched_) {
    channels_[channel].forget_before(before);
    remembered_ += channels_[channel].periods().size();
  }
  period_limit_ = std::max(least_periods, 2 * remembered_);
}

}  // namespace gridcast::network
