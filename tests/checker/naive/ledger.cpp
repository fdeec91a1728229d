#include "ledger.h"

#include <algorithm>

namespace gridcast::naive {
namespace {

void add_depth_first(const std::vector<Interval>& all, int parent, int new_parent,
                     std::vector<Interval>& ordered) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].parent == parent) {
      ordered.push_back(all[i]);
      ordered.back().parent = new_parent;
      add_depth_first(all, static_cast<int>(i), static_cast<int>(ordered.size()) - 1, ordered);
    }
  }
}

/// Idle time and load imbalance of each processor.
void complete(Interval& interval) {
  double longest = 0.0;
  double busiest = 0.0;
  for (std::size_t p = 0; p < interval.processors.size(); ++p) {
    const Times& times = interval.processors[p];
    longest = std::max(longest, times.execution);
    if (contains(interval.present, static_cast<int>(p))) {
      busiest = std::max(busiest, times.cpu + times.sys);
    }
  }
  for (std::size_t p = 0; p < interval.processors.size(); ++p) {
    Times& times = interval.processors[p];
    times.idle = longest - times.execution;
    if (contains(interval.present, static_cast<int>(p))) {
      times.imbalance = busiest - (times.cpu + times.sys);
    }
  }
}

}  // namespace

Sums sums_of(const Interval& interval) {
  Sums sums;
  double cpu = 0.0;
  double sys = 0.0;
  for (const Times& times : interval.processors) {
    sums.execution = std::max(sums.execution, times.execution);
    cpu += times.cpu;
    sys += times.sys;
    sums.io += times.io;
    sums.insufficient_usr += times.insufficient_usr;
    sums.insufficient_sys += times.insufficient_sys;
    sums.idle += times.idle;
    sums.imbalance += times.imbalance;
    sums.synchronization += times.synchronization;
    sums.variation += times.variation;
    for (std::size_t k = 0; k < operations; ++k) {
      sums.of[k].communication += times.of[k].communication;
      sums.of[k].synch += times.of[k].synch;
      sums.of[k].variation += times.of[k].variation;
      sums.of[k].overlap += times.of[k].overlap;
      sums.communication += times.of[k].communication;
      sums.real_synch += times.of[k].synch;
      sums.overlap += times.of[k].overlap;
    }
  }
  sums.total = sums.execution * static_cast<double>(interval.processors.size());
  sums.productive_cpu = cpu - sums.insufficient_usr;
  sums.productive_sys = sys - sums.insufficient_sys;
  sums.productive = sums.productive_cpu + sums.productive_sys + sums.io;
  sums.lost = sums.insufficient_usr + sums.insufficient_sys + sums.communication + sums.idle;
  sums.efficiency = sums.total > 0.0 ? sums.productive / sums.total : 1.0;
  return sums;
}

Ledger::Ledger(const Machine& machine, const std::string& file, long line)
    : clocks_(machine.performance.size(), 0.0) {
  Interval whole;
  whole.type = "main";
  whole.file = file;
  whole.line = line;
  whole.processors.resize(clocks_.size());
  intervals_.push_back(whole);
  open_.push_back(0);
}

double Ledger::latest(Holders of) const {
  double result = 0.0;
  for (std::size_t p = 0; p < clocks_.size(); ++p) {
    result = contains(of, static_cast<int>(p)) ? std::max(result, clocks_[p]) : result;
  }
  return result;
}

template <class Change>
void Ledger::each_open(int p, Change change) {
  for (const std::size_t number : open_) {
    change(intervals_[number].processors[static_cast<std::size_t>(p)]);
  }
}

void Ledger::spend(int p, double time) {
  clocks_[static_cast<std::size_t>(p)] += time;
  if (free_ != nullptr) {
    free_->spend(free_->program, p, time);
  }
}

void Ledger::compute(int p, double time) {
  spend(p, time);
  each_open(p, [&](Times& times) {
    times.execution += time;
    times.cpu += time;
  });
}

void Ledger::library(int p, double time) {
  spend(p, time);
  each_open(p, [&](Times& times) {
    times.execution += time;
    times.sys += time;
  });
}

void Ledger::input_output(int p, double time) {
  spend(p, time);
  each_open(p, [&](Times& times) {
    times.execution += time;
    times.io += time;
  });
}

void Ledger::insufficient_usr(int p, double time) {
  each_open(p, [&](Times& times) { times.insufficient_usr += time; });
}

void Ledger::insufficient_sys(int p, double time) {
  each_open(p, [&](Times& times) { times.insufficient_sys += time; });
}

void Ledger::overlap(Operation kind, int p, double time) {
  each_open(p, [&](Times& times) { times.of[kind].overlap += time; });
}

void Ledger::variation(Operation kind, int p, double time) {
  each_open(p, [&](Times& times) {
    times.variation += time;
    times.of[kind].variation += time;
  });
}

void Ledger::count(Operation kind) {
  for (const std::size_t number : open_) {
    ++intervals_[number].counts[kind];
  }
}

void Ledger::raise(Operation kind, int p, double to, double synch_up_to) {
  const double from = clock(p);
  if (from >= to) {
    return;
  }
  const double synch = std::max(0.0, std::min(to, synch_up_to) - from);
  clocks_[static_cast<std::size_t>(p)] = to;
  each_open(p, [&](Times& times) {
    times.execution += to - from;
    times.of[kind].communication += to - from;
    times.of[kind].synch += synch;
    times.synchronization += synch;
  });
}

void Ledger::enter(Interval identity) {
  identity.parent = static_cast<int>(open_.back());
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    Interval& known = intervals_[i];
    if (known.parent == identity.parent && known.type == identity.type &&
        known.file == identity.file && known.line == identity.line &&
        known.has_expression == identity.has_expression &&
        known.expression == identity.expression) {
      ++known.count;
      known.present |= current_;
      open_.push_back(i);
      return;
    }
  }
  identity.processors.resize(clocks_.size());
  identity.present = current_;
  open_.push_back(intervals_.size());
  intervals_.push_back(identity);
}

void Ledger::leave() {
  if (open_.size() > 1) {
    open_.pop_back();
  }
}

void Ledger::is_current(const System& system) {
  current_ = system.all();
  for (const std::size_t number : open_) {
    intervals_[number].present |= current_;
  }
}

std::vector<Interval> Ledger::finish() {
  std::vector<Interval> ordered;
  add_depth_first(intervals_, -1, -1, ordered);
  for (Interval& interval : ordered) {
    complete(interval);
  }
  return ordered;
}

}  // namespace gridcast::naive
