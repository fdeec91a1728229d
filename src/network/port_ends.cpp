#include "port_ends.h"

#include <algorithm>

#include "gridcast/network/message_time.h"
#include "gridcast/network/networks.h"

namespace gridcast::network {

void PortEnds::work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                        const machine::Network& ports, double copy_time) {
  if (exchange.empty()) {
    silent_ = true;
    return;
  }
  start(classes.size());
  classes_ = &classes;
  exchange_ = &exchange;
  network_ = ports;
  copy_time_ = copy_time;
  exchange.ways(ways_);
  sent_.clear();
  first_.clear();
  for (std::size_t which = 0; which < classes.size(); ++which) {
    send(which);
  }
  // The highest step up comes from the lowest number.
  std::sort(ways_.begin(), ways_.end(),
            [](const ClassMessage& a, const ClassMessage& b) { return a.offset > b.offset; });
  total_ = 0.0;
  for (std::size_t which = 0; which < classes.size(); ++which) {
    const Received received = receive(which);
    double end = received.done;
    const std::size_t sent = exchange.messages(which).size();
    for (std::size_t k = 0; k < sent; ++k) {
      const Sent& message = sent_[first_[which] + k];
      end = std::max(end, message.leaves + message.length);
    }
    least_[which] = most_[which] = end;
    total_ += end * classes.members()[which];
    set_overhead(which, static_cast<double>(sent) * ports.send_time +
                            static_cast<double>(received.messages) * ports.receive_time +
                            packing(which) + received.unpacking);
  }
  find_last();
}

void PortEnds::send(std::size_t which) {
  first_.push_back(sent_.size());
  double ready = packing(which);
  double free = 0.0;
  for (const ClassMessage& message : exchange_->messages(which)) {
    ready += network_.send_time;
    const double length = port_time(network_, message.bytes);
    const double leaves = std::max(ready, free);
    free = leaves + length;
    sent_.push_back({leaves, length});
  }
}

std::size_t PortEnds::sender(std::size_t which, const ClassMessage& way) const {
  ProcessorClasses::Indices at{};
  for (int dim = 0; dim < classes_->rank(); ++dim) {
    // Any coordinate of the run stands for all: their neighbours send alike.
    at[static_cast<std::size_t>(dim)] =
        classes_->starts(dim)[classes_->run(which, dim)] - way.shift[static_cast<std::size_t>(dim)];
  }
  return classes_->class_at(at);
}

double PortEnds::packing(std::size_t which) const {
  double bytes = 0.0;
  for (const ClassMessage& message : exchange_->messages(which)) {
    bytes += message.strided;
  }
  return bytes * copy_time_;
}

PortEnds::Received PortEnds::receive(std::size_t which) {
  Received received;
  Channel port;
  arrivals_.clear();
  for (const ClassMessage& way : ways_) {
    const std::size_t from = sender(which, way);
    if (from == ProcessorClasses::nowhere) {
      continue;
    }
    const auto sends = exchange_->messages(from);
    const auto found = std::find_if(sends.begin(), sends.end(), [&](const ClassMessage& message) {
      return message.shift == way.shift;
    });
    if (found == sends.end()) {
      continue;
    }
    const Sent& sent = sent_[first_[from] + static_cast<std::size_t>(found - sends.begin())];
    arrivals_.push_back(port.pass(sent.leaves + network_.start_time, sent.length) + sent.length);
    received.unpacking += found->strided * copy_time_;
  }
  received.messages = arrivals_.size();
  if (arrivals_.empty()) {
    return received;
  }
  std::sort(arrivals_.begin(), arrivals_.end());
  received.done =
      packing(which) + static_cast<double>(exchange_->messages(which).size()) * network_.send_time;
  for (const double arrival : arrivals_) {
    received.done = std::max(received.done, arrival) + network_.receive_time;
  }
  received.done += received.unpacking;
  return received;
}

// --- fans
// ----------------------------------------------------------------------------------------------

void FanEnds::work_out_ports(const ProcessorClasses& classes, const Fan& fan,
                             const machine::Network& ports, std::span<const std::uint8_t> speaks) {
  start(classes.size());
  classes_ = &classes;
  fixed_ = false;
  root_ = fan.root;
  root_class_ = classes.class_of(fan.root);
  channels_ = 1;
  const double others = static_cast<double>(classes.processors() - 1);
  const double gathered = fan.gather ? fan.representatives - 1.0 : 0.0;
  const double in_port = port_time(ports, fan.bytes);
  const double message = ports.send_time + ports.start_time + in_port + ports.receive_time;
  const double gather =
      gathered > 0.0 ? message + (gathered - 1.0) * std::max(in_port, ports.receive_time) : 0.0;
  // The k-th receives one step after the one before it.
  length_ = std::max(in_port, ports.send_time);
  base_ = gather + message - length_;
  const double root_end = gather + ports.send_time + (others - 1.0) * length_ + in_port;
  find_extremes();
  for (std::size_t which = 0; which < classes.size(); ++which) {
    set_overhead(which, (!speaks.empty() && speaks[which] != 0 ? ports.send_time : 0.0) +
                            ports.receive_time);
  }
  least_[root_class_] = most_[root_class_] = root_end;
  set_overhead(root_class_, gathered * ports.receive_time + others * ports.send_time);
  find_last();
  total_ = root_end + others * base_ + length_ * others * (others + 1.0) * 0.5;
}

}  // namespace gridcast::network
