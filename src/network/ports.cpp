/// Networks of type ports: messages share the port that they leave by and the one that they arrive
/// at, and cost their processors time (docs/model.md §4, §2.16; the parameters are those of LogGP).

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "gridcast/network/networks.h"

namespace gridcast::network {

using machine::NetworkType;

namespace {

constexpr std::uint32_t no_passage = std::numeric_limits<std::uint32_t>::max();

}  // namespace

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
  port_of_.assign(levels * row, 0);
  ready_.assign(row, 0.0);
  latest_arrival_.assign(row, 0);
  std::uint32_t next = 0;
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
      port_of_[level * row + p] = is_new ? next : of_member[member];
      if (is_new) {
        next += 2;
      }
      if (member != outside) {
        of_member[member] = port_of_[level * row + p];
      }
    }
  }
  ports_.resize(next);
  passage_of_.assign(next, no_passage);
}

void Networks::touch_port(std::uint32_t port) {
  if (ports_[port].never_used()) {
    touched_ports_.push_back(port);
  }
}

Networks::Delivery Networks::deliver(const Transfer& transfer, std::size_t level, double ready) {
  const std::size_t row = level * system_->processors();
  const machine::Network& network = system_->networks[system_->ancestors[row + transfer.from]];
  const auto pass = [&](std::uint32_t port) {
    touch_port(port);
    const double end = ports_[port].pass(network, transfer.bytes, ready);
    busy_until_ = std::max(busy_until_, ports_[port].busy_until());
    return end;
  };
  const double sent = pass(port_of_[row + transfer.from]);
  const double through = pass(port_of_[row + transfer.to] + 1);
  return {sent, std::max(sent, through) + network.start_of(transfer.bytes)};
}

std::uint32_t Networks::passage_through(std::uint32_t port) {
  if (passage_of_[port] == no_passage) {
    passage_of_[port] = static_cast<std::uint32_t>(passed_.size());
    passed_.push_back(port);
    if (passages_.size() < passed_.size()) {
      passages_.emplace_back();
    }
    passages_[passage_of_[port]].clear();
    touch_port(port);
  }
  return passage_of_[port];
}

void Networks::add_to_ports(const Transfer& transfer, std::size_t level, double ready) {
  const std::size_t row = level * system_->processors();
  const machine::Network& network = system_->networks[system_->ancestors[row + transfer.from]];
  const std::uint32_t out = passage_through(port_of_[row + transfer.from]);
  const std::uint32_t in = passage_through(port_of_[row + transfer.to] + 1);
  const double length = port_time(network, transfer.bytes);
  passages_[out].add(ready, length);
  passages_[in].add(ready, length);
  messages_.push_back({&transfer, &network, ready, out, in});
}

void Networks::pass_ports(std::span<double> ends) {
  for (std::size_t i = 0; i < passed_.size(); ++i) {
    ports_[passed_[i]].enter(passages_[i]);
    passage_of_[passed_[i]] = no_passage;
  }
  passed_.clear();
  arrivals_.clear();
  arrivals_.reserve(messages_.size());
  ++phase_;
  one_each_ = true;
  for (const PortMessage& message : messages_) {
    count();
    const auto through = [&](std::uint32_t passage) {
      return passages_[passage].end(*message.network, message.transfer->bytes, message.ready);
    };
    const double sent = through(message.out);
    const double arrived =
        std::max(sent, through(message.in)) + message.network->start_of(message.transfer->bytes);
    double& end = ends[message.transfer->from];
    end = std::max(end, sent);
    const std::uint32_t to = message.transfer->to;
    one_each_ = one_each_ && std::exchange(latest_arrival_[to], phase_) != phase_;
    arrivals_.push_back({to, arrived, message.network->receive_time});
  }
  messages_.clear();
}

void Networks::receive(double start, std::span<double> ends) {
  if (!one_each_) {
    std::stable_sort(arrivals_.begin(), arrivals_.end(),
                     [this](const Arrival& a, const Arrival& b) {
                       count();
                       return std::tie(a.to, a.time) < std::tie(b.to, b.time);
                     });
  }
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
