#include "link_ends.h"

#include <algorithm>

#include "gridcast/network/networks.h"

namespace gridcast::network {

void LinkEnds::begin(const ProcessorClasses& classes) {
  start(classes.size());
  classes_ = &classes;
}

void LinkEnds::work_out_fixed(const ProcessorClasses& classes, double time) {
  begin(classes);
  least_.assign(classes.size(), time);
  most_.assign(classes.size(), time);
  last_ = time;
  total_ = time * static_cast<double>(classes.processors());
}

void LinkEnds::work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                        const machine::Network& links) {
  begin(classes);
  std::int64_t farthest = 0;
  double bytes = 0.0;
  for (std::size_t which = 0; which < classes.size(); ++which) {
    for (const ClassMessage& message : exchange.messages(which)) {
      std::int64_t distance = 0;
      for (const std::int8_t step : message.shift) {
        distance += step == 0 ? 0 : 1;
      }
      bytes = distance > farthest    ? message.bytes
              : distance == farthest ? std::max(bytes, message.bytes)
                                     : bytes;
      farthest = std::max(farthest, distance);
    }
  }
  const double time = pipelined_message_time(farthest, bytes, links);
  total_ = 0.0;
  const std::vector<std::uint8_t> takes_part = participants(classes, exchange);
  for (std::size_t which = 0; which < classes.size(); ++which) {
    if (takes_part[which] != 0) {
      least_[which] = most_[which] = time;
      total_ += time * classes.members()[which];
    }
  }
  find_last();
}

}  // namespace gridcast::network
