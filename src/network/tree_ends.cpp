#include "tree_ends.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "gridcast/network/message_time.h"

namespace gridcast::network {
namespace {

int bits_of(std::int64_t number) noexcept {
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(number)));
}

int lowest_bit(std::int64_t number) noexcept {
  return std::countr_zero(static_cast<std::uint64_t>(number));
}

}  // namespace

// --- messages
// ----------------------------------------------------------------------------------------------

bool TreeEnds::find_rounds(std::span<const NetworkLevel> levels, double bytes) {
  rounds_.clear();
  const bool one = levels.size() == 1;
  if (!one && (root_ != 0 || speakers_ != processors_)) {
    return false;  // several of a node pass its ports
  }
  std::size_t level = 0;
  std::size_t above = levels.size();
  const int count = bits_of(processors_ - 1);
  rounds_.resize(static_cast<std::size_t>(count));
  for (int bit = 0; bit < count; ++bit) {
    while (level + 1 < levels.size() && levels[level].size < (std::int64_t{2} << bit)) {
      if (!std::has_single_bit(static_cast<std::uint64_t>(levels[level].size))) {
        return false;
      }
      ++level;
    }
    const machine::Network& network = levels[level].network;
    Round& round = rounds_[static_cast<std::size_t>(bit)];
    const double alone = network.time_of(bytes);
    const double after = network.start_of(bytes) + network.receive_time;
    const double rest = port_time(network, bytes) - alone;
    if (rest > after) {
      return false;  // something remains in a port when the next message comes
    }
    round.sending = network.send_time;
    round.receiving = network.receive_time;
    round.sent = network.send_time + alone;
    round.arrived = round.sent + after;
    if (bit > 0 && above == level) {  // the one before left by the same port
      rounds_[static_cast<std::size_t>(bit - 1)].behind = std::max(rest - network.send_time, 0.0);
    }
    above = level;
  }
  return true;
}

TreeEnds::Place TreeEnds::top() const noexcept {
  Place place;
  place.bit = static_cast<int>(rounds_.size());
  place.end = gathered_;
  return place;
}

TreeEnds::Place TreeEnds::next(const Place& from, bool one) const noexcept {
  Place to = from;
  --to.bit;
  const Round& round = rounds_[static_cast<std::size_t>(to.bit)];
  const bool last = ((processors_ - 1) >> to.bit & 1) != 0;
  if (!one && from.tight && !last) {
    return to;  // nobody is there to send to
  }
  to.tight = from.tight && one == last;
  to.end += from.sent != 0 ? round.behind : 0.0;
  to.end += one ? round.arrived : round.sent;
  to.sent = one ? 0 : 1;
  to.prefix += one ? std::int64_t{1} << to.bit : 0;
  return to;
}

double TreeEnds::end_of_number(Place at, std::int64_t number) const noexcept {
  while (at.bit > 0) {
    at = next(at, (number >> (at.bit - 1) & 1) != 0);
  }
  return at.end;
}

bool TreeEnds::work_out(const ProcessorClasses& classes, const mapping::ClassLayout& loop,
                        const Fan& fan, std::span<const NetworkLevel> levels) {
  classes_ = &classes;
  loop_ = &loop;
  processors_ = classes.processors();
  root_ = fan.root;
  speakers_ = static_cast<std::int64_t>(fan.representatives);
  if (!find_rounds(levels, fan.bytes)) {
    return false;
  }
  start(classes.size());
  gathered_ = 0.0;
  for (int bit = 0; bit < bits_of(speakers_ - 1); ++bit) {
    gathered_ += rounds_[static_cast<std::size_t>(bit)].arrived;
  }
  Tails tails;
  for (std::size_t which = 0; which < classes.size(); ++which) {
    const Members members = members_of(which);
    find_tails(members, tails);
    least_[which] = HUGE_VAL;
    most_[which] = 0.0;
    const std::int64_t all = members.box.members();
    find_extreme(members, tails, false, top(), 0, all, least_[which]);
    find_extreme(members, tails, true, top(), 0, all, most_[which]);
  }
  find_last();
  ProcessorClasses::Run everyone;
  everyone.count = processors_;
  Members all;
  all.box.add(everyone, 1);
  find_tails(all, tails);
  EndsBelow everybody;
  add_below(all, tails, HUGE_VAL, top(), 0, processors_, everybody);
  total_ = everybody.sum;
  find_overheads();
  return true;
}

/// The same bounds for all classes: nobody ends before having paid, by far.
void TreeEnds::find_overheads() {
  double most = 0.0;
  const int gathers = bits_of(speakers_ - 1);
  for (int bit = 0; bit < static_cast<int>(rounds_.size()); ++bit) {
    const Round& round = rounds_[static_cast<std::size_t>(bit)];
    most += round.sending + (bit < gathers ? round.receiving : 0.0);
  }
  double passing = 0.0;
  for (const Round& round : rounds_) {
    passing = std::max(passing, round.sending + round.receiving);
  }
  most += passing;
  if (!(most > 0.0)) {
    return;
  }
  std::vector<ClassOverheads> each(classes_->size());
  for (std::size_t which = 0; which < each.size(); ++which) {
    each[which].least = 0.0;
    each[which].most = most;
    each[which].waits_until = std::max(least_[which] - most, 0.0);
    each[which].passes_from = most_[which];
  }
  set_overheads(each);
}

// --- members of a class
// ----------------------------------------------------------------------------------------------

TreeEnds::Members TreeEnds::members_of(std::size_t which) const {
  // The root is a run of its own in each dimension, so all members lie before it or none.
  const std::int64_t first = number_of(classes_->first_of(which));
  Members members{NumberedBox(first), static_cast<int>(rounds_.size()), 0};
  for (int dim = 0; dim < classes_->rank(); ++dim) {
    const ProcessorClasses::Run& run = classes_->coordinates(which, dim);
    if (run.count > 1) {
      members.box.add(run, classes_->stride(dim));
      const std::int64_t step = std::max<std::int64_t>(run.step, 1);  // if it varies, a multiple
      members.common = std::min(members.common, lowest_bit(step * classes_->stride(dim)));
    }
  }
  members.low = first & ((std::int64_t{1} << members.common) - 1);
  return members;
}

void TreeEnds::find_tails(const Members& members, Tails& tails) const {
  tails.resize(rounds_.size() + 1);
  for (std::size_t sent = 0; sent < 2; ++sent) {
    Place place;
    place.bit = members.common;
    place.tight = false;
    place.sent = sent;
    const double end = end_of_number(place, members.low);
    tails[static_cast<std::size_t>(members.common)][sent] = {end, end, end};
  }
  double count = 1.0;
  for (auto bit = static_cast<std::size_t>(members.common); bit < rounds_.size(); ++bit) {
    const Round& round = rounds_[bit];
    const std::array<Tail, 2> rest = tails[bit];
    for (std::size_t sent = 0; sent < 2; ++sent) {
      const double behind = sent != 0 ? round.behind : 0.0;
      const double zero = behind + round.sent;
      const double one = behind + round.arrived;
      tails[bit + 1][sent] = {std::min(zero + rest[1].least, one + rest[0].least),
                              std::max(zero + rest[1].most, one + rest[0].most),
                              count * (zero + one) + rest[0].sum + rest[1].sum};
    }
    count *= 2.0;
  }
}

void TreeEnds::find_extreme(const Members& members, const Tails& tails, bool most, const Place& at,
                            std::int64_t begin, std::int64_t end, double& best) const {
  const auto take = [&](double value) {
    best = most ? std::max(best, value) : std::min(best, value);
  };
  if (begin == end) {
    return;
  }
  if (end - begin == 1) {
    take(end_of_number(at, members.box.number_of(begin)));
    return;
  }
  if (!at.tight) {
    const Tail& tail = tails[static_cast<std::size_t>(at.bit)][at.sent];
    const double bound = at.end + (most ? tail.most : tail.least);
    if (most ? bound <= best : bound >= best) {
      return;
    }
    if (end - begin == std::int64_t{1} << (at.bit - members.common)) {
      take(bound);
      return;
    }
  }
  const std::int64_t middle = members.box.below(at.prefix + (std::int64_t{1} << (at.bit - 1)));
  // A bit costs a whole message, so those with many are the last.
  for (const bool one : {most, !most}) {
    find_extreme(members, tails, most, next(at, one), one ? middle : begin, one ? end : middle,
                 best);
  }
}

void TreeEnds::add_below(const Members& members, const Tails& tails, double limit, const Place& at,
                         std::int64_t begin, std::int64_t end, EndsBelow& result) const {
  if (begin == end) {
    return;
  }
  if (end - begin == 1) {
    const double own = end_of_number(at, members.box.number_of(begin));
    result.count += own < limit ? 1.0 : 0.0;
    result.sum += own < limit ? own : 0.0;
    return;
  }
  if (!at.tight) {
    const Tail& tail = tails[static_cast<std::size_t>(at.bit)][at.sent];
    if (at.end + tail.least >= limit) {
      return;
    }
    if (end - begin == std::int64_t{1} << (at.bit - members.common) && at.end + tail.most < limit) {
      const auto count = static_cast<double>(end - begin);
      result.count += count;
      result.sum += count * at.end + tail.sum;
      return;
    }
  }
  const std::int64_t middle = members.box.below(at.prefix + (std::int64_t{1} << (at.bit - 1)));
  add_below(members, tails, limit, next(at, false), begin, middle, result);
  add_below(members, tails, limit, next(at, true), middle, end, result);
}

EndsBelow TreeEnds::below(std::size_t which, double limit) const {
  const Members members = members_of(which);
  Tails tails;
  find_tails(members, tails);
  EndsBelow result;
  add_below(members, tails, limit, top(), 0, members.box.members(), result);
  return result;
}

double TreeEnds::sum_of(std::size_t which) const { return below(which, HUGE_VAL).sum; }

double TreeEnds::end_of(std::size_t /*which*/, const ProcessorClasses::Indices& /*at*/,
                        std::int64_t number) const {
  return end_of_number(top(), number_of(number));
}

double TreeEnds::overhead_of(std::size_t /*which*/, std::int64_t number) const {
  double seconds = 0.0;
  // What the one with a number does in a tree of so many: its message to or from the one without
  // its lowest bit, and those of the bits below.
  const auto add = [&](std::int64_t own, std::int64_t count, bool gathers) {
    const int lowest = own == 0 ? static_cast<int>(rounds_.size()) : lowest_bit(own);
    if (own != 0) {
      const Round& round = rounds_[static_cast<std::size_t>(lowest)];
      seconds += gathers ? round.sending : round.receiving;
    }
    for (int bit = 0; bit < lowest && own + (std::int64_t{1} << bit) < count; ++bit) {
      const Round& round = rounds_[static_cast<std::size_t>(bit)];
      seconds += gathers ? round.receiving : round.sending;
    }
  };
  add(number_of(number), processors_, false);
  const std::int64_t before = loop_->speakers_below(*classes_, number);
  if (loop_->speakers_below(*classes_, number + 1) > before) {
    add(before, speakers_, true);
  }
  return seconds;
}

}  // namespace gridcast::network
