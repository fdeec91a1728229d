/// An exchange over n channels: period after period instead of message after message.
///
/// Everything is ready at the start, so the channels are taken without gaps: a message begins when
/// the first channel becomes free, begins never descend along the list, and the ends of equally
/// long messages ascend. What follows depends only on when the channels become free, seen from the
/// first of them; if that comes back, so does everything after it.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "class_ends.h"
#include "folded_ends.h"

namespace gridcast::model {
namespace {

/// Lengths and times that differ by less than this part of themselves differ by rounding only.
constexpr double rounding = 4e-15;

/// Where in its run a coordinate is: the first, one between, the last.
std::size_t part_of(std::int64_t i, std::int64_t count) {
  return i == 0 ? 0U : i == count - 1 ? 2U : 1U;
}

}  // namespace

QueueEnds::QueueEnds() : folded_(std::make_unique<FoldedExchange>()) {}
QueueEnds::~QueueEnds() = default;

double QueueEnds::length(const ClassMessage& message) const noexcept {
  return network_.start_time + message.bytes * network_.byte_time;
}

std::size_t QueueEnds::queue_of(double length) {
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    if (std::abs(queues_[i].length - length) <= rounding * length) {
      return i;
    }
  }
  queues_.push_back({length, {}, 0});
  return queues_.size() - 1;
}

bool QueueEnds::work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                         const machine::Network& network) {
  classes_ = &classes;
  exchange_ = &exchange;
  network_ = network;
  folded_ready_ = false;
  order_.work_out(classes, exchange, machine::Network{machine::NetworkType::myrinet, 1, 1.0, 0.0});
  queues_.clear();
  if (!find_last_messages()) {
    return false;
  }
  start(classes.size());
  parts_ = 1;
  for (int dim = 0; dim < classes.rank(); ++dim) {
    parts_ *= 3;
  }
  sends_.clear();
  first_send_.assign(1, 0);
  for (std::size_t which = 0; which < classes.size(); ++which) {
    for (std::size_t part = 0; part < parts_; ++part) {
      plan(which, part);
      first_send_.push_back(sends_.size());
    }
  }
  unused_ = static_cast<std::size_t>(network.channels);
  work_ = 0.0;
  tally_.sums.assign(classes.size(), 0.0);
  tally_.counts.assign(classes.size(), 0.0);
  std::fill(least_.begin(), least_.end(), HUGE_VAL);
  walk(0, 0, 0);
  tally_watched();
  total_ = 0.0;
  for (std::size_t which = 0; which < classes.size(); ++which) {
    least_[which] = tally_.counts[which] > 0.0 ? least_[which] : 0.0;
    total_ += tally_.sums[which];
  }
  find_last();
  return true;
}

// --- which message is a processor's last
// ----------------------------------------------------------------------------------------------

bool QueueEnds::ends_last(std::size_t which, const BusEnds::Box& box, BusEnds::Indices at) const {
  // Between two begins that are d messages apart lie at least ⌊d/n⌋ messages on one channel.
  const auto own = exchange_->messages(which);
  const double last = order_.end(box, at);
  double shortest = HUGE_VAL;
  for (const Queue& queue : queues_) {
    shortest = std::min(shortest, queue.length);
  }
  double last_length = 0.0;
  const auto messages_of = [&](const BusEnds::Indices& x) {
    std::size_t sender = 0;
    for (int dim = 0; dim < classes_->rank(); ++dim) {
      sender +=
          classes_->run_of(dim, x[static_cast<std::size_t>(dim)]) * classes_->class_stride(dim);
    }
    return exchange_->messages(sender);
  };
  // Twice over all messages of the processor: the last one's length, then that none ends after it.
  for (const bool compare : {false, true}) {
    bool holds = true;
    const auto look = [&](double number, double length) {
      if (!compare) {
        last_length = number == last ? length : last_length;
      } else if (number < last) {
        const double ahead = std::floor((last - number) / network_.channels) * shortest;
        holds = holds && (ahead >= length - last_length || length <= last_length * (1 + rounding));
      }
    };
    double number = order_.before(at);
    for (const ClassMessage& message : own) {
      look(++number, length(message));
    }
    for (const ClassMessage& way : order_.ways()) {
      BusEnds::Indices x = at;
      bool inside = true;
      for (int dim = 0; dim < classes_->rank(); ++dim) {
        const auto j = static_cast<std::size_t>(dim);
        x[j] -= way.shift[j];
        inside = inside && x[j] >= 0 && x[j] < classes_->extent(dim);
      }
      if (!inside) {
        continue;
      }
      number = order_.before(x);
      for (const ClassMessage& message : messages_of(x)) {
        ++number;
        if (message.shift == way.shift) {
          look(number, length(message));
        }
      }
    }
    if (!holds) {
      return false;
    }
  }
  return true;
}

bool QueueEnds::told(std::size_t which) const {
  const auto boxes = order_.boxes(which);
  for (const BusEnds::Box& box : boxes) {
    if (box.takes_part != boxes.front().takes_part || box.shift != boxes.front().shift) {
      return false;
    }
    // Numbers are affine over a box, so their differences are least at corners.
    for (std::size_t corner = 0; box.takes_part && corner < 1U << classes_->rank(); ++corner) {
      BusEnds::Indices at = box.lo;
      for (int dim = 0; dim < classes_->rank(); ++dim) {
        const auto j = static_cast<std::size_t>(dim);
        at[j] = (corner >> j & 1U) != 0 ? box.hi[j] - 1 : box.lo[j];
      }
      if (queues_.size() > 1 && !ends_last(which, box, at)) {
        return false;
      }
    }
  }
  return true;
}

bool QueueEnds::find_last_messages() {
  for (std::size_t which = 0; which < classes_->size(); ++which) {
    for (const ClassMessage& message : exchange_->messages(which)) {
      if (!(length(message) > 0.0)) {
        return false;  // takes no channel
      }
      queue_of(length(message));
    }
  }
  double all = 0.0;
  watched_.assign(classes_->size(), {});
  for (std::size_t which = 0; which < classes_->size(); ++which) {
    if (!told(which)) {
      watched_[which] = {true, static_cast<std::size_t>(all)};
      all += classes_->members()[which];
    }
  }
  if (4.0 * all > static_cast<double>(classes_->processors())) {
    return false;
  }
  ends_.assign(static_cast<std::size_t>(all), 0.0);
  return true;
}

void QueueEnds::note_each(std::size_t which, const BusEnds::Indices& at, double end) {
  std::size_t place = 0;
  for (int dim = 0; dim < classes_->rank(); ++dim) {
    const std::size_t run = classes_->run(which, dim);
    const std::int64_t lo = classes_->starts(dim)[run];
    place = place * static_cast<std::size_t>(classes_->starts(dim)[run + 1] - lo) +
            static_cast<std::size_t>(at[static_cast<std::size_t>(dim)] - lo);
  }
  double& latest = ends_[watched_[which].first + place];
  latest = std::max(latest, end);
}

void QueueEnds::tally_watched() {
  for (std::size_t which = 0; which < watched_.size(); ++which) {
    if (!watched_[which].watched) {
      continue;
    }
    const auto begin = ends_.begin() + static_cast<std::ptrdiff_t>(watched_[which].first);
    const auto end = begin + static_cast<std::ptrdiff_t>(classes_->members()[which]);
    const auto [least, most] = std::minmax_element(begin, end);
    least_[which] = *least;
    most_[which] = *most;
    tally_.counts[which] = classes_->members()[which];
    tally_.sums[which] = std::accumulate(begin, end, 0.0);
  }
}

bool QueueEnds::unwatched(int dim, std::size_t which, std::size_t part) const {
  std::size_t below = 1;  // parts of the dimensions behind
  for (int behind = dim + 1; behind < classes_->rank(); ++behind) {
    below *= 3;
  }
  const std::size_t first_part = (part * 3 + 1) * below;
  for (std::size_t c = which; c < which + classes_->class_stride(dim); ++c) {
    const std::size_t from = first_send_[c * parts_ + first_part];
    const std::size_t to = first_send_[c * parts_ + first_part + below];
    for (std::size_t k = from; k < to; ++k) {
      if (sends_[k].to_watched || sends_[k].from_watched) {
        return false;
      }
    }
  }
  return true;
}

// --- what each sender does
// ----------------------------------------------------------------------------------------------

void QueueEnds::plan(std::size_t which, std::size_t part) {
  // The digits of `part`, the last dimension's lowest, say where in its runs the sender is.
  std::array<std::size_t, machine::max_grid_rank> digits{};
  std::size_t rest = part;
  for (int dim = classes_->rank(); dim-- > 0;) {
    digits[static_cast<std::size_t>(dim)] = rest % 3;
    rest /= 3;
  }
  const std::size_t first = sends_.size();
  for (const ClassMessage& message : exchange_->messages(which)) {
    std::size_t receiver = 0;
    for (int dim = 0; dim < classes_->rank(); ++dim) {
      const auto j = static_cast<std::size_t>(dim);
      const std::size_t run = classes_->run(which, dim);
      const std::int64_t lo = classes_->starts(dim)[run];
      const std::int64_t hi = classes_->starts(dim)[run + 1];
      const std::int64_t from = digits[j] == 0 ? lo : digits[j] == 2 ? hi - 1 : lo + (hi - lo) / 2;
      const std::int64_t x = from + message.shift[j];
      if (x < 0 || x >= classes_->extent(dim)) {
        sends_.resize(first);
        return;  // a part that this run does not have
      }
      receiver += classes_->run_of(dim, x) * classes_->class_stride(dim);
    }
    Send send;
    send.length = length(message);
    send.queue = queue_of(send.length);
    send.shift = message.shift;
    send.receiver = receiver;
    send.to_watched = watched_[receiver].watched;
    send.from_watched = watched_[which].watched;
    const BusEnds::Box& box = order_.boxes(receiver).front();
    bool from_here = true;
    for (std::size_t j = 0; j < box.shift.size(); ++j) {
      from_here = from_here && box.shift[j] == -message.shift[j];
    }
    send.last_of = from_here && !send.to_watched ? static_cast<std::int64_t>(receiver) : -1;
    sends_.push_back(send);
  }
  const BusEnds::Box& own = order_.boxes(which).front();
  if (sends_.size() > first && !watched_[which].watched && own.shift == decltype(own.shift){}) {
    sends_.back().last_of_sender = true;
  }
}

// --- the walk
// ----------------------------------------------------------------------------------------------

double QueueEnds::front() const noexcept {
  if (unused_ > 0) {
    return 0.0;
  }
  double front = HUGE_VAL;
  for (const Queue& queue : queues_) {
    front = queue.front < queue.ends.size() ? std::min(front, queue.ends[queue.front]) : front;
  }
  return front;
}

void QueueEnds::send(std::size_t which, std::size_t part) {
  const std::size_t at = which * parts_ + part;
  for (std::size_t k = first_send_[at]; k < first_send_[at + 1]; ++k) {
    const Send& send = sends_[k];
    double begin = 0.0;
    if (unused_ > 0) {
      --unused_;
    } else {
      Queue* first = nullptr;
      for (Queue& queue : queues_) {
        if (queue.front < queue.ends.size() &&
            (first == nullptr || queue.ends[queue.front] < first->ends[first->front])) {
          first = &queue;
        }
      }
      begin = first->ends[first->front++];
      if (first->front > 64 && 2 * first->front > first->ends.size()) {
        first->ends.erase(first->ends.begin(),
                          first->ends.begin() + static_cast<std::ptrdiff_t>(first->front));
        first->front = 0;
      }
    }
    const double end = begin + send.length;
    queues_[send.queue].ends.push_back(end);
    work_ += send.length;
    const auto note = [&](std::size_t receiver) {
      tally_.sums[receiver] += end;
      tally_.counts[receiver] += 1.0;
      least_[receiver] = std::min(least_[receiver], end);
      most_[receiver] = std::max(most_[receiver], end);
    };
    if (send.last_of >= 0) {
      note(static_cast<std::size_t>(send.last_of));
    }
    if (send.last_of_sender) {
      note(which);
    }
    if (send.from_watched) {
      note_each(which, at_, end);
    }
    if (send.to_watched) {
      BusEnds::Indices receiver = at_;
      for (std::size_t j = 0; j < receiver.size(); ++j) {
        receiver[j] += send.shift[j];
      }
      note_each(send.receiver, receiver, end);
    }
  }
}

void QueueEnds::walk(int dim, std::size_t which, std::size_t part) {
  if (dim == classes_->rank()) {
    send(which, part);
    return;
  }
  const std::span<const std::int64_t> starts = classes_->starts(dim);
  Cycle& cycle = cycles_[static_cast<std::size_t>(dim)];
  for (std::size_t run = 0; run + 1 < starts.size(); ++run) {
    const std::int64_t count = starts[run + 1] - starts[run];
    const std::size_t inner = which + run * classes_->class_stride(dim);
    cycle.armed = false;
    cycle.done = count < 4 || !unwatched(dim, inner, part);
    cycle.next = 1;
    cycle.period = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      at_[static_cast<std::size_t>(dim)] = starts[run] + i;
      walk(dim + 1, inner, part * 3 + part_of(i, count));
      if (!cycle.done && i > 0 && i < count - 2) {
        look_for_period(dim, i, count);
      }
    }
  }
}

void QueueEnds::state(std::vector<double>& result) const {
  const double first = front();
  result.assign(unused_, 0.0);
  for (const Queue& queue : queues_) {
    for (std::size_t k = queue.front; k < queue.ends.size(); ++k) {
      result.push_back(queue.ends[k] - first);
    }
  }
  std::sort(result.begin(), result.end());
}

bool QueueEnds::same(const std::vector<double>& a, const std::vector<double>& b) const {
  const double allowed = rounding * (front() + a.back());
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](double x, double y) { return std::abs(x - y) <= allowed; });
}

void QueueEnds::skip(const Cycle& cycle, double times, double later) {
  for (std::size_t c = 0; c < tally_.sums.size(); ++c) {
    const double sum = tally_.sums[c] - cycle.tally.sums[c];
    const double count = tally_.counts[c] - cycle.tally.counts[c];
    tally_.sums[c] += times * sum + later * count * times * (times + 1.0) * 0.5;
    tally_.counts[c] += times * count;
  }
  for (Queue& queue : queues_) {
    for (double& end : queue.ends) {
      end += times * later;
    }
  }
  work_ += times * (work_ - cycle.work);
}

void QueueEnds::look_for_period(int dim, std::int64_t& i, std::int64_t count) {
  Cycle& cycle = cycles_[static_cast<std::size_t>(dim)];
  const auto channels = static_cast<double>(network_.channels);
  const double lead = work_ - channels * front();
  const auto arm = [&] {
    cycle.armed = true;
    cycle.since = i;
    cycle.lead = lead;
    cycle.work = work_;
    cycle.tally = tally_;
    state(cycle.state);
  };
  const bool due = cycle.period > 0 ? i == cycle.since + cycle.period : cycle.armed;
  if (due && unused_ == 0 &&
      std::abs(lead - cycle.lead) <= rounding * (work_ + channels * front())) {
    state(state_);
    if (same(state_, cycle.state)) {
      if (cycle.period == 0) {
        cycle.period = i - cycle.since;  // once more, to be sure
        arm();
        return;
      }
      const std::int64_t times = (count - 1 - i) / cycle.period - 1;
      if (times > 0) {
        skip(cycle, static_cast<double>(times), (work_ - cycle.work) / channels);
        i += times * cycle.period;
      }
      cycle.done = true;
      return;
    }
  }
  if (cycle.period > 0 && i >= cycle.since + cycle.period) {
    cycle.period = 0;  // it was chance
    cycle.next = i;
  }
  if (cycle.period == 0 && i >= cycle.next) {
    arm();
    cycle.next = 2 * i + 2;
  }
}

// --- questions
// ----------------------------------------------------------------------------------------------

double QueueEnds::sum_of(std::size_t which) const { return tally_.sums[which]; }

bool QueueEnds::channel_ends(std::vector<double>& ends) const {
  ends.clear();
  for (const Queue& queue : queues_) {
    ends.insert(ends.end(), queue.ends.begin() + static_cast<std::ptrdiff_t>(queue.front),
                queue.ends.end());
  }
  return true;
}

const FoldedEnds* QueueEnds::folded() const {
  if (!folded_ready_) {
    folded_ready_ = true;
    const NetworkLevel level{classes_->processors(), network_};
    folded_->work_out(*classes_, *exchange_, {&level, 1});
  }
  return folded_.get();
}

EndsBelow QueueEnds::below(std::size_t which, double limit) const {
  return folded()->below(which, limit);
}

double QueueEnds::end_of(std::size_t which, const ProcessorClasses::Indices& at,
                         std::int64_t number) const {
  return folded()->end_of(which, at, number);
}

}  // namespace gridcast::model
