#include "port_flows.h"

#include <algorithm>

namespace gridcast::model {

namespace {

/// Shares that differ by rounding only are the same.
constexpr double same_share = 1e-13;

bool same(double a, double b) noexcept {
  return a == b || std::max(a, b) - std::min(a, b) <= same_share * std::min(a, b);
}

/// The order of a heap whose first message ends first.
constexpr auto ends_later = [](const auto& a, const auto& b) { return a.until > b.until; };

}  // namespace

void PortFlows::reset(std::size_t ports) {
  flows_.clear();
  unused_.clear();
  for (std::vector<std::uint32_t>* list : {&waiting_, &changed_, &late_}) {
    list->clear();
  }
  ports_.resize(ports);
  for (Port& port : ports_) {
    port.flows.clear();
    port.messages = 0.0;
    port.level = port.told = never;
    port.version = 0;
    port.waits = port.changed = port.late = false;
  }
}

PortFlows::Flow& PortFlows::flow_of(std::uint32_t out, std::uint32_t in, double now) {
  std::vector<Place>& outs = ports_[out].flows;
  std::vector<Place>& ins = ports_[in].flows;
  const bool from_out = outs.size() <= ins.size();
  for (const Place& place : from_out ? outs : ins) {
    if (place.other == (from_out ? in : out)) {
      return flows_[place.flow];
    }
  }
  if (unused_.empty()) {
    unused_.push_back(static_cast<std::uint32_t>(flows_.size()));
    flows_.emplace_back();
  }
  const std::uint32_t number = unused_.back();
  unused_.pop_back();
  Flow& flow = flows_[number];
  flow.served = flow.rate = 0.0;
  flow.since = now;
  flow.out = out;
  flow.in = in;
  flow.out_slot = static_cast<std::uint32_t>(outs.size());
  flow.in_slot = static_cast<std::uint32_t>(ins.size());
  outs.push_back({number, in, 0.0});
  ins.push_back({number, out, 0.0});
  return flow;
}

void PortFlows::count(const Flow& flow, double messages) {
  const auto change = [&](std::uint32_t port, std::uint32_t slot) {
    ports_[port].messages += messages;
    ports_[port].flows[slot].messages += messages;
    mark(port, ports_[port].waits, waiting_);
    mark(port, ports_[port].changed, changed_);
  };
  change(flow.out, flow.out_slot);
  change(flow.in, flow.in_slot);
}

void PortFlows::enter(std::uint32_t out, std::uint32_t in, double length, double now,
                      std::uint32_t block, std::uint32_t message) {
  Flow& flow = flow_of(out, in, now);
  flow.serve(now);
  flow.messages.push_back({flow.served + length, block, message});
  std::push_heap(flow.messages.begin(), flow.messages.end(), ends_later);
  mark(out, ports_[out].late, late_);
  count(flow, 1.0);
}

void PortFlows::leave(Flow& flow) {
  std::pop_heap(flow.messages.begin(), flow.messages.end(), ends_later);
  flow.messages.pop_back();
  count(flow, -1.0);
}

void PortFlows::remove(std::uint32_t number) {
  const Flow& flow = flows_[number];
  const auto take = [&](std::uint32_t port, std::uint32_t Flow::*slot) {
    std::vector<Place>& list = ports_[port].flows;
    list[flow.*slot] = list.back();
    flows_[list.back().flow].*slot = flow.*slot;
    list.pop_back();
  };
  take(flow.out, &Flow::out_slot);
  take(flow.in, &Flow::in_slot);
  unused_.push_back(number);
}

double PortFlows::level_of(const Port& port) const noexcept {
  // Messages that get less elsewhere leave their part to the others.
  double level = port.messages > 0.0 ? 1.0 / port.messages : never;
  for (double before = 0.0; before < port.messages;) {
    double taken = 0.0;
    double less = 0.0;
    const double limit = level - same_share * level;
    for (const Place& place : port.flows) {
      const double other = ports_[place.other].level;
      if (other < limit) {
        taken += place.messages * other;
        less += place.messages;
      }
    }
    if (less == before) {
      break;
    }
    before = less;
    level = less == port.messages ? never : (1.0 - taken) / (port.messages - less);
  }
  return level;
}

void PortFlows::find_levels() {
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    Port& port = ports_[waiting_[i]];
    port.waits = false;
    const double level = level_of(port);
    if (same(level, port.level)) {
      continue;
    }
    const double lower = std::min(level, port.level);
    port.level = level;
    mark(waiting_[i], port.changed, changed_);
    for (const Place& place : port.flows) {
      if (Port& other = ports_[place.other]; lower < other.level && !same(lower, other.level)) {
        mark(place.other, other.waits, waiting_);
      }
    }
  }
  waiting_.clear();
}

void PortFlows::rate(double now) {
  for (const std::uint32_t number : changed_) {
    Port& port = ports_[number];
    port.changed = false;
    for (const Place& place : port.flows) {
      const double rate = std::min(port.level, ports_[place.other].level);
      Flow& flow = flows_[place.flow];
      if (same(rate, flow.rate)) {
        continue;
      }
      flow.serve(now);
      flow.rate = rate;
      mark(flow.out, ports_[flow.out].late, late_);
    }
  }
  changed_.clear();
}

std::span<const PortFlows::Due> PortFlows::settle(double now) {
  due_.clear();
  find_levels();
  rate(now);
  for (const std::uint32_t number : late_) {
    Port& port = ports_[number];
    port.late = false;
    double earliest = never;
    for (const Place& place : port.flows) {
      earliest = std::min(earliest, flows_[place.flow].end());
    }
    if (earliest < port.told) {  // a later one is found out when the port is looked at
      port.told = earliest;
      due_.push_back({earliest, number, ++port.version});
    }
  }
  late_.clear();
  return due_;
}

}  // namespace gridcast::model
