#include "spread_ends.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "gridcast/network/message_time.h"
#include "gridcast/network/networks.h"

namespace gridcast::network {

template <class F>
void SpreadEnds::for_each_piece(const Part& part, F&& f) const {
  if (!part.sender && !part.receiver) {
    return;
  }
  std::int64_t member = 0;
  for (const FanPiece& piece : pieces_) {
    const std::int64_t end = part.box.below(piece.hi);
    if (end > member) {
      f(piece, member, end);
      member = end;
    }
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
  port_sender_ = -1;
  levels_.clear();
  steps_ = {};
  measure(spread);
  if (!spread.sends || per_sender_ == 0 || !(spread.bytes > 0.0)) {
    silent_ = true;
    return false;
  }
  start(classes.size());
  unpacking_ = copy_time_ * spread.bytes;
  packing_ = unpacking_ * static_cast<double>(per_sender_);
  affine_ = false;
  channels_ = 0;
  parts_.clear();
  for (std::size_t which = 0; which < classes.size(); ++which) {
    add_part(which, spread);
  }
  return true;
}

void SpreadEnds::of_each_sender(const machine::Network& ports, double bytes) {
  const NetworkLevel all{classes_->processors(), ports};
  borders_.lo.assign(2, 1);
  borders_.hi = {1, 1 + per_sender_};
  const FanSender sender = port_pieces(std::span(&all, 1), bytes, borders_, 0, pieces_);
  busy_ = sender.busy;
  for (std::size_t which = 0; which < parts_.size(); ++which) {
    Part& part = parts_[which];
    part.base = part.sender ? -ports.start_of(bytes) - ports.receive_time : 0.0;
    set_overhead(which, part.sender ? sender.overhead : part.receiver ? ports.receive_time : 0.0);
  }
}

/// Messages leave after the packing; who gets one unpacks it.
void SpreadEnds::pack() {
  if (!(packing_ > 0.0)) {
    return;
  }
  busy_ += packing_;
  for (std::size_t which = 0; which < parts_.size(); ++which) {
    Part& part = parts_[which];
    part.base += packing_ + (part.sender ? 0.0 : unpacking_);
    const double own = part.sender ? packing_ : part.receiver ? unpacking_ : 0.0;
    set_overhead(which, overhead(which) + own);
  }
  for (FanPiece& piece : pieces_) {
    piece.overhead += piece.lo < 0 ? packing_ : unpacking_;
  }
}

void SpreadEnds::work_out(const ProcessorClasses& classes, const Spread& spread,
                          const machine::Network& network, double later) {
  const bool ports = network.type == machine::NetworkType::ports;
  if (!begin(classes, spread, ports ? Count::of_each_sender : Count::messages)) {
    return;
  }
  FanPiece all;
  all.lo = 0;
  all.hi = std::numeric_limits<std::int64_t>::max();
  if (network.type == machine::NetworkType::transputer) {
    std::int64_t farthest = 0;
    for (int j = 0; j < classes.rank(); ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (spread.fixed[at]) {
        farthest += std::max(std::abs(spread.at[at] - spread.lo[at]),
                             std::abs(spread.hi[at] - 1 - spread.at[at]));
      }
    }
    all.base = later + pipelined_message_time(farthest, spread.bytes, network);
    pieces_.assign(1, all);
  } else if (ports) {
    of_each_sender(network, spread.bytes);
  } else {
    all.step = channel_time(network, spread.bytes) / static_cast<double>(network.channels);
    all.period = network.channels;
    all.phase = network.channels - 1;  // message 0 is none
    all.base = later + all.step * static_cast<double>(network.channels - 1);
    all.least = -HUGE_VAL;
    channels_ = network.channels;
    pieces_.assign(1, all);
  }
  affine_ = pieces_.size() == 1 && pieces_.front().period == 1;
  pack();
  sum_up();
}

void SpreadEnds::find_borders(const Spread& spread, std::span<const NetworkLevel> levels) {
  const std::int64_t sender = classes_->number_of(spread.at);
  borders_.lo.assign(1, receivers_below(spread, sender));
  borders_.hi.assign(1, receivers_below(spread, sender + 1));
  for (const NetworkLevel& level : levels) {
    const bool top = &level == &levels.back();
    const std::int64_t first = top ? 0 : sender / level.size * level.size;
    const std::int64_t all = classes_->processors();
    borders_.lo.push_back(receivers_below(spread, first));
    borders_.hi.push_back(receivers_below(spread, top ? all : std::min(first + level.size, all)));
  }
}

void SpreadEnds::work_out_channels(const ProcessorClasses& classes, const Spread& spread,
                                   std::span<const NetworkLevel> levels) {
  if (!begin(classes, spread, Count::receivers)) {
    return;
  }
  find_borders(spread, levels);
  const FanSender sender = channel_pieces(levels, spread.bytes, borders_, pieces_);
  FanPiece own;
  own.lo = -1;
  own.base = sender.until;
  pieces_.insert(pieces_.begin(), own);
  pack();
  sum_up();
}

bool SpreadEnds::work_out_ports(const ProcessorClasses& classes, const Spread& spread,
                                std::span<const NetworkLevel> levels, const Gather& gather) {
  if (!begin(classes, spread, Count::receivers)) {
    return true;
  }
  find_borders(spread, levels);
  port_sender_ = classes.number_of(spread.at);
  ProcessorClasses::Indices last = spread.hi;
  for (std::int64_t& x : last) {
    --x;
  }
  const std::int64_t lowest = classes.number_of(spread.lo);
  const bool line = classes.number_of(last) - lowest + 1 == borders_.hi.back() - borders_.lo.back();
  const FanSender sender = port_pieces(levels, spread.bytes, borders_, line ? lowest : -1, pieces_);
  if (pieces_.empty()) {
    return false;
  }
  levels_.assign(levels.begin(), levels.end());
  gathered_.assign(gather.from.begin(), gather.from.end());
  FanPiece own;
  own.lo = -1;
  own.base = sender.until;
  own.overhead = sender.overhead + gather.root.overhead;
  own.level = levels.size();
  pieces_.insert(pieces_.begin(), own);
  for (FanPiece& piece : pieces_) {
    piece.base += gather.root.until;
  }
  busy_ = std::max(gather.root.busy, gather.root.until + sender.busy);
  pack();
  sum_up();
  return true;
}

double SpreadEnds::overhead_in(std::size_t which, const FanPiece& piece) const noexcept {
  const bool sends = !gathered_.empty() && gathered_[which] != 0 && piece.level < levels_.size();
  return piece.overhead + (sends ? levels_[piece.level].network.send_time : 0.0);
}

void SpreadEnds::sum_up() {
  total_ = 0.0;
  std::vector<ClassOverheads> overheads(levels_.empty() ? 0 : parts_.size());
  for (std::size_t which = 0; which < parts_.size(); ++which) {
    const Part& part = parts_[which];
    double least = HUGE_VAL;
    double most = 0.0;
    for_each_piece(part, [&](const FanPiece& piece, std::int64_t member, std::int64_t end) {
      const double first = part.base + piece.end(part.box.number_of(member));
      const double last = part.base + piece.end(part.box.number_of(end - 1));
      least = std::min(least, first);
      most = std::max(most, last);
      if (!overheads.empty()) {
        overheads[which].add(first, last, overhead_in(which, piece));
      }
    });
    if (!overheads.empty() && !part.sender && !part.receiver) {
      overheads[which].add(0.0, 0.0, 0.0);
    }
    least_[which] = std::min(least, most);
    most_[which] = most;
    total_ += sum(which);
  }
  find_last();
  if (!overheads.empty()) {
    set_overheads(overheads);
  }
}

// --- questions
// ----------------------------------------------------------------------------------------------

double SpreadEnds::sum_of(std::size_t which) const {
  const Part& part = parts_[which];
  const double members = classes_->members()[which];
  if (least_[which] == most_[which]) {
    return members * most_[which];
  }
  double result = members * part.base;
  for_each_piece(part, [&](const FanPiece& piece, std::int64_t member, std::int64_t end) {
    result += part.box.copies() * part.box.ends(piece, member, end);
  });
  return result;
}

bool SpreadEnds::channel_ends(std::vector<double>& ends, double /*from*/) const {
  if (channels_ == 0 || unpacking_ > 0.0) {
    return false;  // who unpacks holds no channel
  }
  ends.clear();
  for (std::int64_t k = std::max<std::int64_t>(1, messages_ - channels_ + 1); k <= messages_; ++k) {
    ends.push_back(pieces_.front().end(k));
  }
  return true;
}

EndsBelow SpreadEnds::below(std::size_t which, double limit) const {
  if (most_[which] < limit) {
    return {classes_->members()[which], sum(which)};
  }
  const Part& part = parts_[which];
  EndsBelow result;
  for_each_piece(part, [&](const FanPiece& piece, std::int64_t member, std::int64_t end) {
    const std::int64_t count = part.box.ending_before(piece, member, end, limit - part.base);
    result.count += part.box.copies() * static_cast<double>(count);
    result.sum += part.box.copies() * (static_cast<double>(count) * part.base +
                                       part.box.ends(piece, member, member + count));
  });
  return result;
}

Settled SpreadEnds::settle(std::size_t which, double clock) const {
  if (!overheads_listed(which)) {
    return ClassEnds::settle(which, clock);
  }
  const Part& part = parts_[which];
  Settled result;
  result.least = HUGE_VAL;
  result.most = -HUGE_VAL;
  for_each_piece(part, [&](const FanPiece& piece, std::int64_t member, std::int64_t end) {
    const double own = overhead_in(which, piece);
    const std::int64_t count = part.box.ending_before(piece, member, end, clock + own - part.base);
    result.count += static_cast<double>(count);
    result.paid += static_cast<double>(count) * own;
    result.sum +=
        static_cast<double>(count) * part.base + part.box.ends(piece, member, member + count);
    const double first = part.base + piece.end(part.box.number_of(member));
    result.least = std::min(result.least, std::max(first, clock + own));
    const double last = part.base + piece.end(part.box.number_of(end - 1));
    result.most = std::max(result.most, std::max(last, clock + own));
  });
  return result;
}

std::int64_t SpreadEnds::message_of(std::size_t which, std::int64_t number) const noexcept {
  const Part& part = parts_[which];
  const ProcessorClasses::Indices x = classes_->coordinates_of(number);
  std::int64_t message = part.first_number;
  for (int j = 0; j < classes_->rank(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    message += part.steps[at] * (x[at] - part.runs[at]->first);
  }
  return message;
}

double SpreadEnds::overhead_of(std::size_t which, std::int64_t number) const {
  return overheads_listed(which) ? overhead_in(which, piece_of(message_of(which, number)))
                                 : overhead(which);
}

double SpreadEnds::end_of(std::size_t which, const ProcessorClasses::Indices& /*at*/,
                          std::int64_t number) const {
  if (least_[which] == most_[which]) {
    return most_[which];
  }
  const std::int64_t message = message_of(which, number);
  return parts_[which].base + piece_of(message).end(message);
}

}  // namespace gridcast::network
