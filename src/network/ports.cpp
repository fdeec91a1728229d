/// Networks of type ports: messages queue where they leave and where they arrive, and cost their
/// processors time (docs/model.md §4, §2.16; the parameters are those of LogGP).

#include <algorithm>
#include <tuple>

#include "gridcast/network/message_time.h"
#include "gridcast/network/networks.h"

namespace gridcast::network {

using machine::NetworkType;

void Networks::number_ports() {
  const std::size_t row = system_->processors();
  const auto levels = static_cast<std::size_t>(system_->levels);
  has_ports_ =
      std::any_of(system_->networks.begin(), system_->networks.end(),
                  [](const machine::Network& each) { return each.type == NetworkType::ports; });
  if (!has_ports_) {
    return;
  }
  constexpr std::uint32_t outside = machine::ProcessorSystem::no_network;
  ports_.assign(levels * row, 0);
  ready_.assign(row, 0.0);
  auto next = static_cast<std::uint32_t>(channels_.size());
  constexpr std::uint32_t unnumbered = outside;
  std::vector<std::uint32_t> of_member(system_->networks.size(), unnumbered);
  for (std::size_t level = 0; level < levels; ++level) {
    // A member is a cluster with all its processors, whatever their numbers, or a processor.
    for (std::size_t p = 0; p < row; ++p) {
      const std::uint32_t network = system_->ancestors[level * row + p];
      if (network == outside || system_->networks[network].type != NetworkType::ports) {
        continue;
      }
      const std::uint32_t member =
          level + 1 < levels ? system_->ancestors[(level + 1) * row + p] : outside;
      const bool is_new = member == outside || of_member[member] == unnumbered;
      ports_[level * row + p] = is_new ? next : of_member[member];
      if (is_new) {
        next += 2;
      }
      if (member != outside) {
        of_member[member] = ports_[level * row + p];
      }
    }
  }
  channels_.resize(next);
}

Networks::Delivery Networks::pass_ports(const Transfer& transfer, std::size_t level, double ready) {
  const std::size_t row = level * system_->processors();
  const machine::Network& network = system_->networks[system_->ancestors[row + transfer.from]];
  const double length = port_time(network, transfer.bytes);
  const auto pass = [&](std::uint32_t port, double from) {
    const double begin = channels_[port].earliest_gap(from, length);
    if (length > 0.0) {
      take(port, begin, begin + length);
    }
    return begin;
  };
  const double leaves = pass(ports_[row + transfer.from], ready);
  const double arrives = pass(ports_[row + transfer.to] + 1, leaves + network.start_time);
  return {leaves + length, arrives + length};
}

void Networks::receive(double start, std::span<double> ends) {
  std::stable_sort(arrivals_.begin(), arrivals_.end(), [this](const Arrival& a, const Arrival& b) {
    count();
    return std::tie(a.to, a.time) < std::tie(b.to, b.time);
  });
  double done = start;
  for (std::size_t i = 0; i < arrivals_.size(); ++i) {
    count();
    const Arrival& arrival = arrivals_[i];
    const bool first = i == 0 || arrivals_[i - 1].to != arrival.to;
    done = std::max(first ? ready_[arrival.to] : done, arrival.time) + arrival.receive_time;
    ends[arrival.to] = std::max(ends[arrival.to], done);
    if (!received_.empty()) {
      received_[arrival.to] = std::max(received_[arrival.to], done);
    }
  }
}

bool Networks::costs_processors(const Communication& communication) const noexcept {
  return !communication.packing.empty() || !communication.unpacking.empty() ||
         (has_ports_ && std::any_of(system_->networks.begin(), system_->networks.end(),
                                    [](const machine::Network& each) {
                                      return each.send_time > 0.0 || each.receive_time > 0.0;
                                    }));
}

void Networks::overheads(const Communication& communication, std::vector<double>& result) const {
  result.clear();
  if (!costs_processors(communication)) {
    return;
  }
  result.assign(system_->processors(), 0.0);
  for (const Transfer& transfer : communication.transfers) {
    count();
    const machine::Network& network = between(transfer.from, transfer.to);
    result[transfer.from] += network.send_time;
    result[transfer.to] += network.receive_time;
  }
  for (const std::vector<double>* const own : {&communication.packing, &communication.unpacking}) {
    for (std::size_t p = 0; p < own->size(); ++p) {
      result[p] += (*own)[p];
    }
  }
}

}  // namespace gridcast::network
