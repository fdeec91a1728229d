#include "transposed_ends.h"

#include <algorithm>

#include "gridcast/network/message_time.h"

namespace gridcast::network {

// --- one line
// ----------------------------------------------------------------------------------------------

std::size_t TransposedLine::amount_of(double elements, std::int64_t x,
                                      std::vector<Amount>& amounts) {
  if (!(elements > 0.0)) {
    return none;
  }
  auto found = std::find_if(amounts.begin(), amounts.end(), [elements](const Amount& amount) {
    return amount.elements == elements;
  });
  if (found == amounts.end()) {
    amounts.push_back({elements, 0.0, -1, -1});
    found = amounts.end() - 1;
  }
  found->count += 1.0;
  found->before_last = found->last;
  found->last = x;
  return static_cast<std::size_t>(found - amounts.begin());
}

TransposedLine::TransposedLine(const Transposition& transposition, std::int64_t extent,
                               const machine::Network& ports, double copy_time)
    : ports_(&ports), copy_time_(copy_time) {
  kind_of_.reserve(static_cast<std::size_t>(extent));
  receivers_below_.reserve(static_cast<std::size_t>(extent));
  double receivers = 0.0;
  for (std::int64_t x = 0; x < extent; ++x) {
    Kind kind;
    kind.sends = amount_of(transposition.sent(x), x, senders_);
    kind.receives = amount_of(transposition.received(x), x, receivers_);
    auto found = std::find_if(kinds_.begin(), kinds_.end(), [&kind](const Kind& known) {
      return known.sends == kind.sends && known.receives == kind.receives;
    });
    if (found == kinds_.end()) {
      kinds_.push_back(kind);
      found = kinds_.end() - 1;
    }
    found->count += 1.0;
    kind_of_.push_back(static_cast<std::size_t>(found - kinds_.begin()));
    receivers_below_.push_back(receivers);
    receivers += kind.receives != none ? 1.0 : 0.0;
  }
}

void TransposedLine::find_passages(Kind& kind) {
  const machine::Network& ports = *ports_;
  kind.packing = kind.unpacking = 0.0;
  double sends = 0.0;
  double receives = 0.0;
  const auto pass = [&](const std::vector<Amount>& amounts, std::size_t own, auto&& size,
                        double& messages, double& copying, std::vector<double>& through) {
    load_.clear();
    for (std::size_t i = 0; i < amounts.size(); ++i) {
      const double count = others(amounts, i, own);
      messages += count;
      copying += count * size(i) * copy_time_;
      load_.add(port_time(ports, size(i)), count);
    }
    load_.sum_up();
    for (std::size_t i = 0; i < amounts.size(); ++i) {
      const double length = port_time(ports, size(i));
      through.push_back(load_.served(length) - (length - ports.time_of(size(i))));
    }
    return load_.total();
  };
  kind.out = out_.size();
  if (kind.sends != none) {
    const double total = pass(
        receivers_, kind.receives, [&](std::size_t i) { return size(kind.sends, i); }, sends,
        kind.packing, out_);
    busy_ = std::max(busy_, sends > 0.0 ? kind.packing + ports.send_time + total : 0.0);
  }
  kind.in = in_.size();
  if (kind.receives != none) {
    kind.waiting = pass(
        senders_, kind.sends, [&](std::size_t i) { return size(i, kind.receives); }, receives,
        kind.unpacking, in_);
  }
  kind.prepared = kind.packing + sends * ports.send_time;
  kind.overhead = kind.prepared + receives * ports.receive_time + kind.unpacking;
}

double TransposedLine::sent_by(std::int64_t x, const Kind& kind) const {
  double end = 0.0;
  for (std::size_t i = 0; kind.sends != none && i < receivers_.size(); ++i) {
    const Amount& amount = receivers_[i];
    const std::int64_t last = amount.last == x ? amount.before_last : amount.last;
    if (last < 0) {
      continue;
    }
    const double skipped = kind.receives != none && x < last ? 1.0 : 0.0;  // itself
    const double place = 1.0 + receivers_below_[static_cast<std::size_t>(last)] - skipped;
    const double alone = ports_->time_of(size(kind.sends, i));
    end = std::max({end, kind.packing + place * ports_->send_time + alone,
                    kind.packing + ports_->send_time + out_[kind.out + i]});
  }
  return end;
}

double TransposedLine::received_by(std::int64_t x, const Kind& kind) {
  if (kind.receives == none) {
    return 0.0;
  }
  arrivals_.clear();
  const double below = receivers_below_[static_cast<std::size_t>(x)];
  double begin = HUGE_VAL;
  for (const Kind& from : kinds_) {
    if (from.sends == none) {
      continue;
    }
    const auto add = [&](double count, double place) {
      if (count > 0.0) {
        const double ready = from.packing + place * ports_->send_time;
        begin = std::min(begin, ready);
        arrivals_.push_back({0.0, count, ready, &from});
      }
    };
    add(from.so_far, 1.0 + below - (from.receives != none ? 1.0 : 0.0));
    add(from.count - from.so_far - (&from == &kind ? 1.0 : 0.0), 1.0 + below);
  }
  if (arrivals_.empty()) {
    return 0.0;
  }
  for (Arrival& arrival : arrivals_) {
    const Kind& from = *arrival.from;
    const double bytes = size(from.sends, kind.receives);
    arrival.time = std::max({arrival.ready + ports_->time_of(bytes),
                             from.packing + ports_->send_time + out_[from.out + kind.receives],
                             begin + in_[kind.in + from.sends]}) +
                   ports_->start_of(bytes);
  }
  busy_ = std::max(busy_, begin + kind.waiting);
  std::sort(arrivals_.begin(), arrivals_.end(),
            [](const Arrival& a, const Arrival& b) { return a.time < b.time; });
  double done = kind.prepared;
  for (const Arrival& arrival : arrivals_) {
    done = std::max(done, arrival.time) + arrival.count * ports_->receive_time;
  }
  return done + kind.unpacking;
}

void TransposedLine::work_out(double bytes, std::vector<End>& ends) {
  bytes_ = bytes;
  out_.clear();
  in_.clear();
  for (Kind& kind : kinds_) {
    kind.so_far = 0.0;
    find_passages(kind);
  }
  ends.clear();
  ends.reserve(kind_of_.size());
  for (const std::size_t which : kind_of_) {
    const auto x = static_cast<std::int64_t>(ends.size());
    Kind& kind = kinds_[which];
    const double end = std::max(sent_by(x, kind), received_by(x, kind));
    // Nobody is through before having paid, but for rounding.
    ends.push_back({std::max(end, kind.overhead), kind.overhead});
    kind.so_far += 1.0;
  }
}

// --- classes
// ----------------------------------------------------------------------------------------------

void TransposedEnds::work_out(const ProcessorClasses& classes, const Transposition& transposition,
                              const machine::Network& ports, double copy_time) {
  start(classes.size());
  classes_ = &classes;
  along_ = transposition.along();
  lines_.clear();
  line_of_.clear();
  line_of_.reserve(classes.size());
  const std::span<const std::int64_t> starts = classes.starts(along_);
  end_ = *std::lower_bound(starts.begin(), starts.end(), transposition.end(classes));
  TransposedLine line(transposition, end_, ports, copy_time);
  total_ = 0.0;
  std::vector<ClassOverheads> overheads(classes.size());
  for (std::size_t which = 0; which < classes.size(); ++which) {
    const double bytes = transposition.bytes(classes, which);
    auto found = std::find_if(lines_.begin(), lines_.end(),
                              [bytes](const Line& known) { return known.bytes == bytes; });
    if (found == lines_.end()) {
      lines_.push_back({bytes, {}});
      found = lines_.end() - 1;
      if (bytes > 0.0) {
        line.work_out(bytes, found->ends);
      } else {
        found->ends.resize(static_cast<std::size_t>(end_));
      }
    }
    line_of_.push_back(static_cast<std::size_t>(found - lines_.begin()));
    least_[which] = HUGE_VAL;
    double sum = 0.0;
    for (const TransposedLine::End& each : ends(which)) {
      least_[which] = std::min(least_[which], each.end);
      most_[which] = std::max(most_[which], each.end);
      sum += each.end;
      overheads[which].add(each.end, each.end, each.overhead);
    }
    total_ += sum * copies(which);
  }
  busy_ = line.busy();
  find_last();
  silent_ = !(busy() > 0.0);
  set_overheads(overheads);
}

std::span<const TransposedLine::End> TransposedEnds::ends(std::size_t which) const {
  const std::size_t run = classes_->run(which, along_);
  const std::span<const std::int64_t> starts = classes_->starts(along_);
  if (starts[run] >= end_) {
    static constexpr TransposedLine::End nothing;
    return {&nothing, 1};
  }
  return std::span(lines_[line_of_[which]].ends)
      .subspan(static_cast<std::size_t>(starts[run]),
               static_cast<std::size_t>(starts[run + 1] - starts[run]));
}

double TransposedEnds::copies(std::size_t which) const {
  return classes_->members()[which] / static_cast<double>(ends(which).size());
}

EndsBelow TransposedEnds::below(std::size_t which, double limit) const {
  EndsBelow result;
  for (const TransposedLine::End& each : ends(which)) {
    result.count += each.end < limit ? 1.0 : 0.0;
    result.sum += each.end < limit ? each.end : 0.0;
  }
  return {result.count * copies(which), result.sum * copies(which)};
}

const TransposedLine::End& TransposedEnds::end_at(std::size_t which,
                                                  std::int64_t number) const noexcept {
  const std::int64_t x = number / classes_->stride(along_) % classes_->extent(along_);
  const std::int64_t first = classes_->starts(along_)[classes_->run(which, along_)];
  return ends(which)[x < end_ ? static_cast<std::size_t>(x - first) : 0];
}

}  // namespace gridcast::network
