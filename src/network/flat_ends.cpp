#include "flat_ends.h"

#include <algorithm>
#include <cmath>

#include "gridcast/base/floor_sums.h"
#include "gridcast/network/message_time.h"
#include "gridcast/network/networks.h"

namespace gridcast::network {
namespace {

/// Σ_{k=1}^{last} ⌈k/n⌉.
double sum_of_rounds(std::int64_t last, std::int64_t n) {
  const auto full = whole_quotient(last, n);
  const auto rest = static_cast<double>(last % n);
  return static_cast<double>(n) * full * (full + 1.0) * 0.5 + rest * (full + 1.0);
}

}  // namespace

// --- fans
// ----------------------------------------------------------------------------------------------

double FanEnds::end(std::int64_t position) const noexcept {
  return base_ + whole_quotient(position + channels_ - 1, channels_) * length_;
}

bool FanEnds::channel_ends(std::vector<double>& ends) const {
  if (!occupies()) {
    return false;
  }
  const std::int64_t last = classes_->processors() - 1;
  ends.clear();
  for (std::int64_t k = std::max<std::int64_t>(1, last - channels_ + 1); k <= last; ++k) {
    ends.push_back(end(k));
  }
  return true;
}

void FanEnds::work_out_fixed(const ProcessorClasses& classes, double time) {
  start(classes.size());
  classes_ = &classes;
  fixed_ = true;
  occupies_ = false;
  base_ = time;
  least_.assign(classes.size(), time);
  most_.assign(classes.size(), time);
  last_ = time;
  total_ = time * static_cast<double>(classes.processors());
}

void FanEnds::work_out(const ProcessorClasses& classes, const Fan& fan,
                       const machine::Network& network) {
  if (!fan.any || classes.processors() == 1) {
    silent_ = true;
    return;
  }
  if (network.type == machine::NetworkType::transputer) {
    std::int64_t farthest = 0;
    for (int dim = 0; dim < classes.rank(); ++dim) {
      farthest += classes.extent(dim) - 1;  // processor 0 sends to the other corner
    }
    work_out_fixed(classes, pipelined_message_time(farthest, fan.bytes, network));
    return;
  }
  start(classes.size());
  classes_ = &classes;
  fixed_ = false;
  root_ = fan.root;
  root_class_ = classes.class_of(fan.root);
  channels_ = network.channels;
  length_ = channel_time(network, fan.bytes);
  base_ = 0.0;
  const std::int64_t others = classes.processors() - 1;
  if (fan.gather) {
    base_ = end(static_cast<std::int64_t>(fan.representatives) - 1);
  }
  last_ = end(others);
  total_ = last_ + base_ * static_cast<double>(others) + length_ * sum_of_rounds(others, channels_);
  find_extremes();
  least_[root_class_] = most_[root_class_] = last_;
}

void FanEnds::find_extremes() {
  const ProcessorClasses& classes = *classes_;
  for (std::size_t which = 0; which < classes.size(); ++which) {
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    for (int dim = 0; dim < classes.rank(); ++dim) {
      const std::size_t run = classes.run(which, dim);
      lowest += classes.starts(dim)[run] * classes.stride(dim);
      highest += (classes.starts(dim)[run + 1] - 1) * classes.stride(dim);
    }
    least_[which] = end(position(lowest));
    most_[which] = end(position(highest));
  }
}

double FanEnds::end_of(std::size_t which, const ProcessorClasses::Indices&,
                       std::int64_t number) const {
  return fixed_ || which == root_class_ ? most_[which] : end(position(number));
}

double FanEnds::sum_of(std::size_t which) const {
  const double members = classes_->members()[which];
  if (fixed_ || which == root_class_) {
    return members * most_[which];
  }
  if (channels_ == 1) {
    return members * 0.5 * (least_[which] + most_[which]);  // affine in the number
  }
  int along = 0;
  const auto length = [&](int dim) {
    const std::size_t run = classes_->run(which, dim);
    return classes_->starts(dim)[run + 1] - classes_->starts(dim)[run];
  };
  for (int dim = 1; dim < classes_->rank(); ++dim) {
    along = length(dim) > length(along) ? dim : along;
  }
  double rounds = 0.0;
  classes_->for_each_line(which, along, [&](std::int64_t number) {
    rounds += floor_sum(length(along), position(number) + channels_ - 1, classes_->stride(along),
                        channels_);
  });
  return members * base_ + length_ * rounds;
}

EndsBelow FanEnds::below(std::size_t which, double limit) const {
  EndsBelow result;
  if (fixed_ || which == root_class_ || !(length_ > 0.0)) {
    const double members = classes_->members()[which];
    return most_[which] < limit ? EndsBelow{members, members * most_[which]} : result;
  }
  const double rounds = std::ceil((limit - base_) / length_) - 1.0;
  const auto highest = static_cast<std::int64_t>(std::max(rounds, 0.0)) * channels_;
  const int along = classes_->rank() - 1;
  const std::size_t run = classes_->run(which, along);
  const std::int64_t length = classes_->starts(along)[run + 1] - classes_->starts(along)[run];
  classes_->for_each_line(which, along, [&](std::int64_t number) {
    const std::int64_t first = position(number);
    const std::int64_t count = std::clamp<std::int64_t>(highest - first + 1, 0, length);
    if (count > 0) {
      result.count += static_cast<double>(count);
      result.sum += base_ * static_cast<double>(count) +
                    length_ * (sum_of_rounds(first + count - 1, channels_) -
                               sum_of_rounds(first - 1, channels_));
    }
  });
  return result;
}

// --- links
// ----------------------------------------------------------------------------------------------

void LinkEnds::work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                        const machine::Network& links) {
  if (exchange.empty()) {
    silent_ = true;
    return;
  }
  start(classes.size());
  classes_ = &classes;
  occupies_ = false;
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
