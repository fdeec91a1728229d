/// What a free process does by itself, from wait to wait (docs/model.md §10).

#include <algorithm>
#include <cmath>

#include "free_simulation.h"

namespace gridcast::model {

void FreeSimulation::compute(std::uint32_t p, const FreeStep& step, double own, double once,
                             bool library) {
  Process& me = processes_[p];
  me.clock += own;
  const double counted = own * me.weight;
  me.told += counted;
  me.busy += counted;
  tell(step, [&](Observer& observer) {
    observer.worked(p, library ? Work::library : Work::computing, counted,
                    counted - once * me.weight);
  });
  ledger_->note(step.interval, p, [&](IntervalSums& sums) {
    if (library) {
      sums.copying(counted, once * me.weight);
    } else {
      sums.loop(counted, once * me.weight);
    }
  });
}

void FreeSimulation::pay(std::uint32_t p, const FreeStep& step, double seconds) {
  tell(step, [&](Observer& observer) { observer.paid(p, seconds * processes_[p].weight); });
  communicate(p, step, seconds, 0.0);
}

void FreeSimulation::communicate(std::uint32_t p, const FreeStep& step, double seconds,
                                 double late) {
  Process& me = processes_[p];
  me.clock += seconds;
  const double counted = seconds * me.weight;
  me.told += counted;
  ledger_->note(step.interval, p, [&](IntervalSums& sums) {
    sums.communication(step.operation, counted, step.pipelined);
    if (late > 0.0) {
      sums.late(step.operation, late * me.weight, step.pipelined);
    }
  });
}

void FreeSimulation::run_process(std::uint32_t p) {
  Process& me = processes_[p];
  for (; me.step < program_->steps.size(); ++me.step) {
    const FreeStep& step = program_->steps[me.step];
    const double part = step.share != nullptr ? step.share->parts[p] : 0.0;
    const double once = step.share != nullptr ? step.share->once[p] : 0.0;
    switch (step.kind) {
      case FreeStep::Kind::work:
        if (part > 0.0) {
          compute(p, step, step.call * part, step.call * once, false);
          compute(p, step, step.ret * part, step.ret * once, true);
        }
        break;
      case FreeStep::Kind::share:
      case FreeStep::Kind::copying:
        if (part > 0.0) {
          compute(p, step, step.call * part, step.call * once,
                  step.kind == FreeStep::Kind::copying);
        }
        break;
      case FreeStep::Kind::io:
        if (p == 0) {
          const double time = step.call * part;
          me.clock += time;
          me.told += time * me.weight;
          tell(step,
               [&](Observer& observer) { observer.worked(p, Work::io, time * me.weight, 0.0); });
          ledger_->note(step.interval, p,
                        [&](IntervalSums& sums) { sums.times.io_time += time * me.weight; });
        }
        break;
      case FreeStep::Kind::pay:
        if (part > 0.0) {
          pay(p, step, step.call);
        }
        break;
      case FreeStep::Kind::post:
      case FreeStep::Kind::complete:
      case FreeStep::Kind::run:
      case FreeStep::Kind::take:
        if (!perform(p, step)) {
          return;
        }
        break;
      case FreeStep::Kind::begin:
        ledger_->stamp(step.number, -1.0, p, me.told, me.busy);
        break;
      case FreeStep::Kind::end:
        ledger_->stamp(step.number, 1.0, p, me.told, me.busy);
        break;
      case FreeStep::Kind::half:
        saved(p, step) = {me.clock, me.weight, me.waited};
        me.weight *= 1.0 + step.call;
        break;
      case FreeStep::Kind::jump:
        me.clock += (alone_ ? own_since(p, step) : me.clock - saved(p, step).clock) * step.call;
        me.weight = saved(p, step).weight;
        break;
      case FreeStep::Kind::leap:
        if (!leap(p, step)) {
          return;
        }
        break;
    }
  }
}

bool FreeSimulation::perform(std::uint32_t p, const FreeStep& step) {
  Process& me = processes_[p];
  const FreeSchedule& schedule = program_->schedules[step.number];
  const bool rest = step.kind == FreeStep::Kind::complete;
  const std::uint32_t begin = rest ? schedule.later[p] : schedule.first[p];
  const std::uint32_t end =
      step.kind == FreeStep::Kind::post ? schedule.later[p] : schedule.first[p + 1];
  if (schedule.first[p] == schedule.first[p + 1]) {
    return true;
  }
  const std::uint32_t owner = rest || step.kind == FreeStep::Kind::take ? step.partner : me.step;
  const std::uint32_t block = block_of(owner, program_->steps[owner].number);
  for (me.at = me.at == nothing ? begin : me.at; me.at < end; ++me.at) {
    const FreeAction& action = schedule.actions[me.at];
    if (action.kind != FreeAction::Kind::wait) {
      act(p, step, action, block);
    } else if (!finish_wait(p, step, action.number, block)) {
      return false;
    }
  }
  me.at = nothing;
  if (step.kind != FreeStep::Kind::post) {
    release(owner);
  }
  return true;
}

void FreeSimulation::act(std::uint32_t p, const FreeStep& step, const FreeAction& action,
                         std::uint32_t block) {
  Process& me = processes_[p];
  if (action.kind == FreeAction::Kind::compute) {
    const double part = step.share->parts[p];
    compute(p, step, action.seconds,
            part > 0.0 ? action.seconds * (step.share->once[p] / part) : action.seconds, false);
    return;
  }
  if (action.kind == FreeAction::Kind::pause) {
    pay(p, step, action.seconds);
    return;
  }
  const FreeMessage& message = blocks_[block].messages[action.number];
  State& state = blocks_[block].states[action.number];
  if (action.kind == FreeAction::Kind::send) {
    if (action.seconds > 0.0) {
      pay(p, step, action.seconds);
    }
    state.sent = me.clock;
    if (message.eager || state.asked < unknown) {
      launch(block, action.number, message.eager ? state.sent : std::max(state.sent, state.asked));
    }
  } else {
    state.asked = me.clock;
    if (!message.eager && state.sent < unknown) {
      launch(block, action.number, std::max(state.sent, state.asked));
    }
  }
}

bool FreeSimulation::finish_wait(std::uint32_t p, const FreeStep& step, std::uint32_t from,
                                 std::uint32_t block) {
  Process& me = processes_[p];
  const FreeSchedule& schedule = program_->schedules[step.number];
  const std::span<const FreeMessage> messages = blocks_[block].messages;
  std::vector<State>& states = blocks_[block].states;
  completions_.clear();
  for (std::uint32_t i = from; i < me.at; ++i) {
    const FreeAction& action = schedule.actions[i];
    const bool receives = action.kind == FreeAction::Kind::receive;
    if (!receives && action.kind != FreeAction::Kind::send) {
      continue;
    }
    const FreeMessage& message = messages[action.number];
    State& state = states[action.number];
    if (!receives && message.detached) {
      continue;  // it was through when it was sent
    }
    const double there = receives || message.eager ? state.sent : state.asked;
    if (state.arrived == unknown) {
      (receives ? state.receiver_waits : state.sender_waits) = true;
      ++me.pending;
    } else {
      const double begin = message.eager ? state.sent : std::max(state.sent, state.asked);
      completions_.push_back({state.arrived, there, begin, action.number,
                              receives && message.detached ? message.receive_time : 0.0,
                              completions_.size()});
    }
  }
  if (me.pending > 0) {
    return false;
  }
  std::sort(completions_.begin(), completions_.end(), [](const Completion& a, const Completion& b) {
    return a.time != b.time ? a.time < b.time : a.number < b.number;
  });
  for (const Completion& each : completions_) {
    complete(p, step, each, messages[each.message]);
  }
  if (alone_ && completions_.size() > 1) {
    const double through = through_ports(p, messages);
    me.waited += std::max(through - me.clock, 0.0);
    me.clock = std::max(me.clock, through);
  }
  return true;
}

/// What a port carries for one process takes at least as long as it takes alone, from the moment on
/// at which the first of it enters.
double FreeSimulation::through_ports(std::uint32_t p, std::span<const FreeMessage> messages) {
  const auto port_of = [&](const Completion& each) {
    const FreeMessage& message = messages[each.message];
    return message.to == p ? message.in : message.out;
  };
  const auto entry_of = [&](const Completion& each) {
    return each.time - messages[each.message].length;
  };
  std::ranges::sort(completions_, [&](const Completion& a, const Completion& b) {
    return std::pair(port_of(a), -entry_of(a)) < std::pair(port_of(b), -entry_of(b));
  });
  double latest = 0.0;
  double length = 0.0;  // of those that enter no earlier, seconds
  double receive_time = 0.0;
  for (std::size_t i = 0; i < completions_.size(); ++i) {
    const Completion& each = completions_[i];
    const bool first = i == 0 || port_of(completions_[i - 1]) != port_of(each);
    length = (first ? 0.0 : length) + messages[each.message].length;
    receive_time = first ? each.receive_time : std::min(receive_time, each.receive_time);
    if (port_of(each) != FreeMessage::no_port) {
      latest = std::max(latest, entry_of(each) + length + receive_time);
    }
  }
  return latest;
}

void FreeSimulation::complete(std::uint32_t p, const FreeStep& step, const Completion& each,
                              const FreeMessage& message) {
  Process& me = processes_[p];
  const double raise = std::max(each.time - me.clock, 0.0);
  const double late = std::clamp(each.other - me.clock, 0.0, raise);
  if (!(raise + each.receive_time > 0.0)) {
    return;
  }
  tell(step, [&](Observer& observer) {
    if (message.from != message.to) {
      observer.waited(p, message.from == p ? message.to : message.from, late * me.weight);
      observer.delivered(
          p, (raise - late) * me.weight,
          {{message.from, message.to, message.bytes}, each.other, each.begin, each.time});
    }
    observer.paid(p, each.receive_time * me.weight);
  });
  me.waited += raise;
  communicate(p, step, raise + each.receive_time, late);
  me.clock = std::max(me.clock, each.time + each.receive_time);
}

bool FreeSimulation::leap(std::uint32_t p, const FreeStep& step) {
  if (++arrived_ < processes_.size()) {
    return false;
  }
  leap_together(step);
  for (std::uint32_t other = 0; other < processes_.size(); ++other) {
    if (other != p) {
      ++processes_[other].step;
      ready_.push_back(other);
    }
  }
  return true;
}

/// Clocks that all grow by g in some iterations grow by at least as much in as many others, since
/// no end is the earlier for a later start. Of the iterations that a prediction leaves out each
/// counts what the process whose clock is the least before the last simulated ones grows by in
/// these: as if all began at that clock, at least.
void FreeSimulation::leap_together(const FreeStep& step) {
  constexpr auto before = static_cast<double>(leap_iterations);
  const auto mean_of = static_cast<double>(step.partner);
  arrived_ = 0;
  double grown = unknown;
  double latest = 0.0;
  for (std::uint32_t p = 0; p < processes_.size(); ++p) {
    grown = std::min(grown, processes_[p].clock - saved(p, step).clock);
    latest = std::max(latest, saved(p, step).clock);
  }
  double soonest = unknown;
  double mean = unknown;  // what stands for those left out, seconds
  for (std::uint32_t p = 0; p < processes_.size(); ++p) {
    Process& me = processes_[p];
    const double own = own_since(p, step) / before;
    const auto after = [&, growth = grown](double iterations) {
      return me.clock + std::max(std::floor(iterations / before) * growth, iterations * own);
    };
    soonest = std::min(soonest, after(step.call));
    mean = std::min(mean, after(mean_of - before) - latest);
    me.clock = after(step.call) + step.ret * own;
  }
  somebody_ = std::max(somebody_, soonest + step.ret / mean_of * std::max(mean, 0.0));
}

}  // namespace gridcast::model
