/// Exchanges on any networks with channels, message after message.
///
/// All messages are ready at the start and the networks are free then, so a channel is taken
/// without gaps: a line of channels per network instance.

#include "gridcast/network/listed_ends.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gridcast/network/message_time.h"

namespace gridcast::network {
namespace {

/// Queues of more networks than this are given back.
constexpr std::size_t many_queues = 4096;

}  // namespace

/// Calls f(class, begin, end) for all processors that follow each other in a line and a class.
template <class F>
void ListedEnds::for_each_run(F&& f) const {
  const int along = classes_->rank() - 1;
  const std::int64_t row = classes_->extent(along);
  for (std::int64_t line = 0; line < classes_->processors(); line += row) {
    const std::size_t first = classes_->class_of(line);
    classes_->for_each_run(along, 0, row, [&](std::size_t run, std::int64_t x, std::int64_t end) {
      f(first + run, static_cast<std::size_t>(line + x), static_cast<std::size_t>(line + end));
    });
  }
}

void ListedEnds::assign(const ProcessorClasses& classes, std::span<const double> ends, bool once,
                        std::span<const double> overheads, double busy) {
  start(classes.size());
  busy_ = busy;
  once_ = once;
  classes_ = &classes;
  system_ = nullptr;
  ends_.assign(ends.begin(), ends.end());
  beside_.assign(overheads.begin(), overheads.end());
  sum_up();
}

void ListedEnds::reset(const ProcessorClasses& classes, const machine::ProcessorSystem& system) {
  start(classes.size());
  classes_ = &classes;
  system_ = &system;
  ends_.assign(static_cast<std::size_t>(classes.processors()), 0.0);
  beside_.clear();
  queues_.resize(system.networks.size());
  ++epoch_;
}

double ListedEnds::place(std::size_t from, std::size_t to, double bytes) {
  const std::uint32_t id = system_->levels == 1 ? 0 : system_->common_network(from, to);
  const machine::Network& network = system_->networks[id];
  Queue& queue = queues_[id];
  if (queue.epoch != epoch_) {
    queue.epoch = epoch_;
    queue.line.reset(network.channels);
  }
  return queue.line.place(channel_time(network, bytes));
}

void ListedEnds::work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                          const machine::ProcessorSystem& system) {
  reset(classes, system);
  for_each_run([&](std::size_t which, std::size_t begin, std::size_t end_of_run) {
    const auto messages = exchange.messages(which);
    for (std::size_t p = begin; p < end_of_run; ++p) {
      for (const ClassMessage& message : messages) {
        const auto to = static_cast<std::size_t>(static_cast<std::int64_t>(p) + message.offset);
        const double end = place(p, to, message.bytes);
        ends_[p] = std::max(ends_[p], end);
        ends_[to] = std::max(ends_[to], end);
      }
    }
  });
  sum_up();
}

void ListedEnds::sum_up() {
  std::fill(least_.begin(), least_.end(), HUGE_VAL);
  std::fill(most_.begin(), most_.end(), -HUGE_VAL);
  std::fill(sums_.begin(), sums_.end(), 0.0);
  std::vector<ClassOverheads> each(beside_.empty() ? 0 : classes_->size());
  for_each_run([&](std::size_t which, std::size_t begin, std::size_t end) {
    double least = least_[which];
    double most = most_[which];
    double sum = 0.0;
    for (std::size_t p = begin; p < end; ++p) {
      least = std::min(least, ends_[p]);
      most = std::max(most, ends_[p]);
      sum += ends_[p];
    }
    for (std::size_t p = begin; !each.empty() && p < end; ++p) {
      each[which].add(ends_[p], ends_[p], beside_[p]);
    }
    least_[which] = least;
    most_[which] = most;
    sums_[which] += sum;
  });
  set_overheads(each);
  total_ = std::accumulate(sums_.begin(), sums_.end(), 0.0);
  find_last();
  if (queues_.size() > many_queues) {
    queues_ = std::vector<Queue>();
  }
}

double ListedEnds::end_of(std::size_t, const ProcessorClasses::Indices&,
                          std::int64_t number) const {
  bring_back();
  return ends_[static_cast<std::size_t>(number)];
}

double ListedEnds::overhead_of(std::size_t which, std::int64_t number) const {
  bring_back();
  return overheads_listed() ? beside_[static_cast<std::size_t>(number)] : overhead(which);
}

bool ListedEnds::channel_ends(std::vector<double>& ends, double /*from*/) const {
  if (system_ == nullptr || system_->levels != 1 || queues_.front().epoch != epoch_) {
    return false;
  }
  const std::span<const double> times = queues_.front().line.times();
  ends.assign(times.begin(), times.end());
  return true;
}

EndsBelow ListedEnds::below(std::size_t which, double limit) const {
  bring_back();
  EndsBelow result;
  for_each_run([&](std::size_t each, std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; each == which && p < end; ++p) {
      if (ends_[p] < limit) {
        result.count += 1.0;
        result.sum += ends_[p];
      }
    }
  });
  return result;
}

}  // namespace gridcast::network
