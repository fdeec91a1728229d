#include "bound_certain.h"

#include <algorithm>
#include <limits>

#include "gridcast/network/networks.h"

namespace gridcast::model {
namespace {

/// Times that differ by less than this part of themselves are equal: rounding of some dozens of
/// additions, far below network::relative_slack.
constexpr double equal_part = 1e-14;

}  // namespace

CertainNetworks::CertainNetworks(const machine::ProcessorSystem& system) : system_(&system) {
  network::require_countable_channels(system);
  std::uint32_t count = 0;
  for (const machine::Network& network : system.networks) {
    first_channel_.push_back(count);
    count += static_cast<std::uint32_t>(std::max<std::int32_t>(network.channels, 1));
  }
  first_channel_.push_back(count);
  channels_.resize(count);
  last_.resize(count);
}

void CertainNetworks::reset(double margin) {
  for (const std::uint32_t channel : touched_) {
    channels_[channel].clear();
    last_[channel] = {};
  }
  touched_.clear();
  margin_ = margin;
  certain_ = true;
}

bool CertainNetworks::before(double a, double b) {
  const double difference = b - a;
  if (difference > margin_) {
    return true;
  }
  certain_ = certain_ && difference <= equal_part * b;
  return false;
}

double CertainNetworks::earliest_gap(std::uint32_t number, double start, double length) {
  const Period& last = last_[number];
  if (last.begin <= start) {
    return std::max(start, last.end);
  }
  const Channel& channel = channels_[number];
  auto next = std::partition_point(channel.begin(), channel.end(),
                                   [start](const Period& period) { return period.end <= start; });
  double begin = start;
  for (; next != channel.end() && before(next->begin, begin + length); ++next) {
    begin = next->end;
  }
  return begin;
}

double CertainNetworks::place(std::uint32_t network, double start, double length) {
  if (!(length > 0.0)) {
    return start;
  }
  std::uint32_t best = first_channel_[network];
  double begin = std::numeric_limits<double>::infinity();
  for (std::uint32_t c = first_channel_[network]; c < first_channel_[network + 1]; ++c) {
    const double candidate = earliest_gap(c, start, length);
    if (before(candidate, begin)) {
      begin = candidate;
      best = c;
      if (begin <= start) {
        break;
      }
    }
  }
  Channel& channel = channels_[best];
  if (channel.empty()) {
    touched_.push_back(best);
  }
  const Period period{begin, begin + length};
  if (!channel.empty() && channel.back().end == begin) {
    channel.back().end = period.end;
  } else {
    channel.insert(
        std::partition_point(channel.begin(), channel.end(),
                             [begin](const Period& other) { return other.begin < begin; }),
        period);
  }
  last_[best] = channel.back();
  return period.end;
}

void CertainNetworks::run(const network::Communication& communication, double start,
                          std::span<double> ends) {
  std::fill(ends.begin(), ends.end(), start);
  double at = start;
  for (std::size_t phase = 0; phase < communication.phases() && certain_; ++phase) {
    double last = at;
    for (const network::Transfer& transfer : communication.phase(phase)) {
      const std::uint32_t id = system_->common_network(transfer.from, transfer.to);
      const machine::Network& network = system_->networks[id];
      const double end = place(id, at, network.start_time + transfer.bytes * network.byte_time);
      ends[transfer.from] = std::max(ends[transfer.from], end);
      ends[transfer.to] = std::max(ends[transfer.to], end);
      last = std::max(last, end);
    }
    at = last;
  }
}

}  // namespace gridcast::model
