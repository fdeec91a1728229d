#include "spread_ends.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "gridcast/network/message_time.h"
#include "gridcast/network/networks.h"

namespace gridcast::network {

// --- who gets which message
// ----------------------------------------------------------------------------------------------

void SpreadEnds::measure(const Spread& spread) {
  // Receivers of one sender follow each other, and so do the senders: each its own mixed radix.
  per_sender_ = 1;
  bool inside = true;
  for (int j = classes_->rank(); j-- > 0;) {
    const auto at = static_cast<std::size_t>(j);
    if (spread.fixed[at]) {
      steps_[at] = per_sender_;
      per_sender_ *= spread.hi[at] - spread.lo[at];
      inside = inside && spread.lo[at] <= spread.at[at] && spread.at[at] < spread.hi[at];
    }
  }
  per_sender_ -= inside ? 1 : 0;
  std::int64_t step = per_sender_;
  for (int j = what_ == Count::of_each_sender ? 0 : classes_->rank(); j-- > 0;) {
    const auto at = static_cast<std::size_t>(j);
    if (!spread.fixed[at]) {
      steps_[at] = step;
      step *= spread.hi[at] - spread.lo[at];
    }
  }
}

void SpreadEnds::add_part(std::size_t which, const Spread& spread) {
  Part part;
  part.sender = part.receiver = true;
  int after = 0;  // where the fixed coordinates are, seen from the sender
  bool sender_inside = true;
  for (int j = 0; j < classes_->rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const std::size_t run = classes_->run(which, j);
    const std::int64_t x = classes_->starts(j)[run];
    part.first[at] = x;
    part.count[at] = classes_->starts(j)[run + 1] - x;
    const bool within = spread.lo[at] <= x && x < spread.hi[at];
    part.receiver = part.receiver && within;
    if (spread.fixed[at]) {
      part.sender = part.sender && x == spread.at[at];
      sender_inside =
          sender_inside && spread.lo[at] <= spread.at[at] && spread.at[at] < spread.hi[at];
      after = after != 0 ? after : x < spread.at[at] ? -1 : x > spread.at[at] ? 1 : 0;
    } else {
      part.sender = part.sender && within;
    }
  }
  part.receiver = part.receiver && !part.sender;
  const bool ranked = what_ == Count::receivers;
  part.lowest = part.sender                              ? (ranked ? -1 : per_sender_)
                : ranked || (after > 0 && sender_inside) ? 0
                                                         : 1;
  if (part.sender || part.receiver) {
    count(part, spread);
  }
  parts_.push_back(part);
}

void SpreadEnds::count(Part& part, const Spread& spread) const {
  part.members = 1;
  for (int j = classes_->rank(); j-- > 0;) {
    const auto at = static_cast<std::size_t>(j);
    const std::int64_t step = part.sender && spread.fixed[at] ? 0 : steps_[at];
    part.steps[at] = step;
    part.lowest += step != 0 ? step * (part.first[at] - spread.lo[at]) : 0;
    if (part.row == part.members && (part.row == 1 || step == part.step * part.row)) {
      part.step = part.row == 1 ? step : part.step;
      part.row *= part.count[at];
    }
    part.members *= part.count[at];
  }
  part.highest = number_of(part, part.members - 1);
}

std::int64_t SpreadEnds::receivers_below(const Spread& spread,
                                         std::int64_t processor) const noexcept {
  std::int64_t result = 0;
  std::int64_t rest = processor;
  for (int j = 0; j < classes_->rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const std::int64_t x = rest / classes_->stride(j);  // the extent, behind all processors
    rest %= classes_->stride(j);
    result += (std::clamp(x, spread.lo[at], spread.hi[at]) - spread.lo[at]) * steps_[at];
    if (x < spread.lo[at] || x >= spread.hi[at]) {
      break;
    }
  }
  return result;
}

std::int64_t SpreadEnds::number_of(const Part& part, std::int64_t member) noexcept {
  if (member < part.row) {
    return part.lowest + member * part.step;
  }
  std::int64_t number = part.lowest;
  for (std::size_t j = part.count.size(); j-- > 0;) {
    if (part.count[j] > 1) {
      number += member % part.count[j] * part.steps[j];
      member /= part.count[j];
    }
  }
  return number;
}

std::int64_t SpreadEnds::members_below(const Part& part, std::int64_t number) noexcept {
  std::int64_t rest = number - part.lowest;
  std::int64_t block = part.members;
  std::int64_t result = 0;
  for (std::size_t j = 0; j < part.count.size() && rest > 0; ++j) {
    if (part.count[j] == 1) {
      continue;
    }
    block /= part.count[j];
    const std::int64_t x = rest / part.steps[j];
    if (x >= part.count[j]) {
      return result + block * part.count[j];
    }
    result += x * block;
    rest -= x * part.steps[j];
  }
  return rest > 0 ? result + 1 : result;
}

template <class F>
void SpreadEnds::for_each_piece(const Part& part, F&& f) const {
  std::int64_t member = 0;
  for (const FanPiece& piece : pieces_) {
    if (part.members == 0 || piece.lo > part.highest) {
      break;
    }
    const std::int64_t end = piece.hi > part.highest ? part.members : members_below(part, piece.hi);
    if (end > member) {
      f(piece, member, end);
      member = end;
    }
  }
}

template <class F>
void SpreadEnds::for_each_row(const Part& part, std::int64_t member, std::int64_t end, F&& f) {
  while (member < end) {
    const std::int64_t count = std::min(end - member, part.row - member % part.row);
    f(number_of(part, member), count, part.step);
    member += count;
  }
}

const FanPiece& SpreadEnds::piece_of(std::int64_t number) const noexcept {
  return *std::find_if(pieces_.begin(), pieces_.end(),
                       [number](const FanPiece& piece) { return number < piece.hi; });
}

// --- when it ends
// ----------------------------------------------------------------------------------------------

bool SpreadEnds::begin(const ProcessorClasses& classes, const Spread& spread, Count what) {
  classes_ = &classes;
  what_ = what;
  steps_ = {};
  measure(spread);
  if (!spread.sends || per_sender_ == 0 || !(spread.bytes > 0.0)) {
    silent_ = true;
    return false;
  }
  start(classes.size());
  one_channel_ = affine_ = false;
  paid_found_ = false;
  parts_.clear();
  for (std::size_t which = 0; which < classes.size(); ++which) {
    add_part(which, spread);
  }
  return true;
}

/// The k-th message of a sender leaves k - 1 times the longer of TSend and d after the first, which
/// leaves after TSend (docs/model.md §4).
void SpreadEnds::pay_ports(std::size_t which, Part& part, const machine::Network& ports,
                           double length, double step) {
  part.base = ports.send_time + length - step;
  if (part.receiver) {
    part.base += ports.start_time + ports.receive_time;
  }
  set_overhead(which, part.sender     ? static_cast<double>(per_sender_) * ports.send_time
                      : part.receiver ? ports.receive_time
                                      : 0.0);
}

void SpreadEnds::work_out(const ProcessorClasses& classes, const Spread& spread,
                          const machine::Network& network) {
  const bool ports = network.type == machine::NetworkType::ports;
  if (!begin(classes, spread, ports ? Count::of_each_sender : Count::messages)) {
    return;
  }
  FanPiece all;
  all.lo = 0;
  all.hi = std::numeric_limits<std::int64_t>::max();
  if (network.type == machine::NetworkType::transputer) {
    occupies_ = false;
    std::int64_t farthest = 0;
    for (int j = 0; j < classes.rank(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (spread.fixed[at]) {
        farthest += std::max(std::abs(spread.at[at] - spread.lo[at]),
                             std::abs(spread.hi[at] - 1 - spread.at[at]));
      }
    }
    all.base =
        pipelined_message_time(farthest, spread.bytes, network.start_time, network.byte_time);
  } else if (ports) {
    const double length = port_time(network, spread.bytes);
    all.length = std::max(length, network.send_time);
    for (std::size_t which = 0; which < classes.size(); ++which) {
      pay_ports(which, parts_[which], network, length, all.length);
    }
  } else {
    all.length = channel_time(network, spread.bytes);
    all.channels = network.channels;
    one_channel_ = all.channels == 1;
  }
  pieces_.assign(1, all);
  affine_ = all.channels == 1;
  sum_up();
}

void SpreadEnds::work_out(const ProcessorClasses& classes, const Spread& spread,
                          std::span<const NetworkLevel> levels, Queues queues) {
  if (!begin(classes, spread, Count::receivers)) {
    return;
  }
  std::int64_t from = 0;
  for (int j = 0; j < classes.rank(); ++j) {
    from += spread.at[static_cast<std::size_t>(j)] * classes.stride(j);
  }
  borders_.assign(levels, from, classes.processors(),
                  [&](std::int64_t processor) { return receivers_below(spread, processor); });
  const FanSender sender = queues == Queues::ports
                               ? port_pieces(levels, spread.bytes, borders_, pieces_)
                               : channel_pieces(levels, spread.bytes, borders_, pieces_);
  pieces_.insert(pieces_.begin(), FanPiece{-1, 0, sender.until, 0.0, 0, 1, sender.overhead, 0});
  sum_up();
  if (sender.overhead > 0.0 || queues == Queues::ports) {
    sum_up_overheads();
  }
}

void SpreadEnds::sum_up() {
  total_ = 0.0;
  for (std::size_t which = 0; which < parts_.size(); ++which) {
    const Part& part = parts_[which];
    double least = HUGE_VAL;
    double most = 0.0;
    for_each_piece(part, [&](const FanPiece& piece, std::int64_t member, std::int64_t end) {
      least = std::min(least, part.base + piece.end(number_of(part, member)));
      most = std::max(most, part.base + piece.end(number_of(part, end - 1)));
    });
    least_[which] = std::min(least, most);
    most_[which] = most;
    total_ += sum(which);
  }
  find_last();
}

void SpreadEnds::sum_up_overheads() {
  std::vector<ClassOverheads> each(parts_.size());
  for (std::size_t which = 0; which < parts_.size(); ++which) {
    const Part& part = parts_[which];
    if (part.members == 0) {
      each[which].add(0.0, 0.0, 0.0);
    }
    for_each_piece(part, [&](const FanPiece& piece, std::int64_t member, std::int64_t end) {
      each[which].add(piece.end(number_of(part, member)), piece.end(number_of(part, end - 1)),
                      piece.overhead);
    });
  }
  set_overheads(each);
}

void SpreadEnds::take_overheads(const SpreadEnds& ends) {
  classes_ = ends.classes_;
  parts_ = ends.parts_;
  pieces_ = ends.pieces_;
  for (FanPiece& piece : pieces_) {
    piece.base = piece.overhead;
    piece.length = 0.0;
  }
  start(parts_.size());
  sum_up();
}

const ClassEnds* SpreadEnds::paid() const {
  if (!overheads_listed()) {
    return nullptr;
  }
  if (!paid_found_) {
    paid_found_ = true;
    if (paid_ == nullptr) {
      paid_ = std::make_unique<SpreadEnds>();
    }
    paid_->take_overheads(*this);
  }
  return paid_.get();
}

double SpreadEnds::overhead_of(std::size_t which, std::int64_t number) const {
  if (!overheads_listed(which)) {
    return overhead(which);
  }
  const Part& part = parts_[which];
  std::int64_t message = part.lowest;
  for (int j = 0; j < classes_->rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const std::int64_t x = number / classes_->stride(j) % classes_->extent(j);
    message += part.steps[at] * (x - part.first[at]);
  }
  return piece_of(message).overhead;
}

// --- questions
// ----------------------------------------------------------------------------------------------

double SpreadEnds::sum_of(std::size_t which) const {
  const Part& part = parts_[which];
  const double members = classes_->members()[which];
  if (least_[which] == most_[which]) {
    return members * most_[which];
  }
  if (affine_) {
    return members * 0.5 * (least_[which] + most_[which]);
  }
  double result = 0.0;
  for_each_piece(part, [&](const FanPiece& piece, std::int64_t member, std::int64_t end) {
    double rounds = 0.0;
    for_each_row(part, member, end,
                 [&](std::int64_t number, std::int64_t count, std::int64_t step) {
                   rounds += piece.rounds(number, count, step);
                 });
    result += static_cast<double>(end - member) * (part.base + piece.base) + rounds * piece.length;
  });
  return result;
}

EndsBelow SpreadEnds::below(std::size_t which, double limit) const {
  EndsBelow result;
  if (most_[which] < limit) {
    return {classes_->members()[which], sum(which)};
  }
  if (least_[which] >= limit) {
    return result;
  }
  const Part& part = parts_[which];
  for_each_piece(part, [&](const FanPiece& piece, std::int64_t member, std::int64_t end) {
    for_each_row(part, member, end,
                 [&](std::int64_t number, std::int64_t count, std::int64_t step) {
                   // Ends do not descend along a row: the last one below is found by halving.
                   std::int64_t low = 0;
                   std::int64_t high = count;
                   while (low < high) {
                     const std::int64_t middle = low + (high - low) / 2;
                     if (part.base + piece.end(number + middle * step) < limit) {
                       low = middle + 1;
                     } else {
                       high = middle;
                     }
                   }
                   result.count += static_cast<double>(low);
                   result.sum += static_cast<double>(low) * (part.base + piece.base) +
                                 piece.length * piece.rounds(number, low, step);
                 });
  });
  return result;
}

double SpreadEnds::end_of(std::size_t which, const ProcessorClasses::Indices& at,
                          std::int64_t) const {
  const Part& part = parts_[which];
  if (least_[which] == most_[which]) {
    return most_[which];
  }
  std::int64_t number = part.lowest;
  for (std::size_t j = 0; j < at.size(); ++j) {
    number += part.steps[j] * (at[j] - part.first[j]);
  }
  return part.base + piece_of(number).end(number);
}

}  // namespace gridcast::network
