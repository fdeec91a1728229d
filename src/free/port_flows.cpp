#include "port_flows.h"

#include <algorithm>
#include <cmath>

namespace gridcast::model {

namespace {

/// Shares that differ by rounding only are the same.
constexpr double same_share = 1e-13;

}  // namespace

void PortFlows::reset(std::size_t ports) {
  flows_.clear();
  unused_.clear();
  ports_.assign(ports, {});
  touched_.clear();
}

void PortFlows::touch(std::uint32_t port) {
  if (!ports_[port].in_component) {
    ports_[port].in_component = true;
    touched_.push_back(port);
  }
}

std::uint32_t PortFlows::enter(std::uint32_t out, std::uint32_t in, double length, double now) {
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
  }
  const std::uint32_t number = unused_.back();
  unused_.pop_back();
  Flow& flow = flows_[number];
  flow.left = length;
  flow.since = now;
  flow.rate = 0.0;
  flow.out = out;
  flow.in = in;
  flow.out_slot = static_cast<std::uint32_t>(ports_[out].flows.size());
  flow.in_slot = static_cast<std::uint32_t>(ports_[in].flows.size());
  ports_[out].flows.push_back(number);
  ports_[in].flows.push_back(number);
  touch(out);
  touch(in);
  return number;
}

void PortFlows::leave(std::uint32_t number) {
  Flow& flow = flows_[number];
  const auto take = [&](std::uint32_t port, std::uint32_t Flow::*slot) {
    std::vector<std::uint32_t>& list = ports_[port].flows;
    const std::uint32_t last = list.back();
    list[flow.*slot] = last;
    flows_[last].*slot = flow.*slot;
    list.pop_back();
    touch(port);
  };
  take(flow.out, &Flow::out_slot);
  take(flow.in, &Flow::in_slot);
  ++flow.version;
  unused_.push_back(number);
}

void PortFlows::collect() {
  component_.clear();
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    Port& port = ports_[touched_[i]];
    port.free = 1.0;
    port.open = static_cast<std::uint32_t>(port.flows.size());
    for (const std::uint32_t number : port.flows) {
      Flow& flow = flows_[number];
      if (!flow.in_component) {
        flow.in_component = true;
        component_.push_back(number);
        touch(flow.out);
        touch(flow.in);
      }
    }
  }
}

void PortFlows::rate() {
  rates_.assign(component_.size(), -1.0);
  for (std::uint32_t i = 0; i < component_.size(); ++i) {
    flows_[component_[i]].next_change = i;
  }
  open_ports_.clear();
  for (const std::uint32_t port : touched_) {
    if (ports_[port].open > 0) {
      open_ports_.push_back(port);
    }
  }
  // The port that can give its messages least is the bottleneck of all of them.
  while (!open_ports_.empty()) {
    double least = HUGE_VAL;
    for (const std::uint32_t port : open_ports_) {
      least = std::min(least, ports_[port].free / ports_[port].open);
    }
    least = std::max(least, 0.0);
    const double limit = least * (1.0 + same_share);
    for (const std::uint32_t bottleneck : open_ports_) {
      const Port& full = ports_[bottleneck];
      if (full.open == 0 || full.free / full.open > limit) {
        continue;
      }
      for (const std::uint32_t number : full.flows) {
        const Flow& flow = flows_[number];
        double& own = rates_[flow.next_change];
        if (own >= 0.0) {
          continue;
        }
        own = least;
        for (const std::uint32_t passed : {flow.out, flow.in}) {
          ports_[passed].free -= least;
          --ports_[passed].open;
        }
      }
    }
    std::erase_if(open_ports_, [&](std::uint32_t port) { return ports_[port].open == 0; });
  }
}

std::span<const std::uint32_t> PortFlows::settle(double now) {
  changed_.clear();
  if (touched_.empty()) {
    return changed_;
  }
  collect();
  rate();
  for (std::size_t i = 0; i < component_.size(); ++i) {
    Flow& flow = flows_[component_[i]];
    flow.in_component = false;
    if (std::abs(flow.rate - rates_[i]) > same_share * rates_[i]) {
      flow.left = std::max(flow.left - (now - flow.since) * flow.rate, 0.0);
      flow.since = now;
      flow.rate = rates_[i];
      ++flow.version;
      changed_.push_back(component_[i]);
    }
  }
  for (const std::uint32_t port : touched_) {
    ports_[port].in_component = false;
  }
  touched_.clear();
  return changed_;
}

}  // namespace gridcast::model
