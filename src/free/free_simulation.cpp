#include "free_simulation.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "gridcast/base/error.h"

namespace gridcast::model {

namespace {

/// Ends of messages that differ by rounding only are one change.
constexpr double same_time = 1e-14;

}  // namespace

void FreeSimulation::start(const FreeProgram& program, network::Networks& networks, Ledger& ledger,
                           Observer* observer) {
  networks_ = &networks;
  ledger_ = &ledger;
  observer_ = observer;
  program_ = &program;
  processes_.assign(program.processes, {});
  saved_.assign(program.loops * program.processes, {});
  blocks_.clear();
  unused_blocks_.assign(program.schedules.size(), {});
  block_of_step_.assign(program.steps.size(), nothing);
  events_.clear();
  ready_.clear();
  flows_.reset(ScheduleWriter::ports(networks_->system()));
  arrived_ = 0;
  somebody_ = 0.0;
  for (std::uint32_t p = 0; p < processes_.size(); ++p) {
    run_process(p);
  }
  run_ready();
}

double FreeSimulation::least(const FreeProgram& program, network::Networks& networks,
                             Ledger& ledger) {
  alone_ = true;
  start(program, networks, ledger, nullptr);
  require_finished();
  for (const Process& process : processes_) {
    somebody_ = std::max(somebody_, process.clock);
  }
  return somebody_;
}

void FreeSimulation::run(const FreeProgram& program, network::Networks& networks, Ledger& ledger,
                         Observer* observer) {
  alone_ = false;
  start(program, networks, ledger, observer);
  while (!events_.empty()) {
    handle_next();
  }
  require_finished();
  std::vector<double> clocks(processes_.size());
  std::vector<double> busy(processes_.size());
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    clocks[p] = processes_[p].told;
    busy[p] = processes_[p].busy;
  }
  ledger.finish(clocks, busy);
  if (observer != nullptr) {
    observer->finished(clocks);
  }
}

void FreeSimulation::run_ready() {
  while (!ready_.empty()) {
    const std::uint32_t p = ready_.back();
    ready_.pop_back();
    run_process(p);
  }
}

void FreeSimulation::handle_next() {
  const double now = events_.next();
  const double until = now + same_time * now;
  placed_.clear();
  while (!events_.empty() && events_.next() <= until) {
    const FreeEvent event = events_.pop();
    interruption_->count();
    if (event.kind == FreeEvent::Kind::place) {
      placed_.push_back(event);  // after all that happens now has happened
    } else if (event.kind == FreeEvent::Kind::enter) {
      const FreeMessage& message = message_of(event);
      flows_.enter(message.out, message.in, message.length, now, event.a, event.b);
    } else {
      flows_.end(event.a, event.b, until,
                 [&](std::uint32_t block, std::uint32_t message) { arrive(block, message, now); });
    }
    run_ready();
  }
  if (!placed_.empty()) {
    place(now + network::relative_slack * now);
    run_ready();
  }
  for (const PortFlows::Due& due : flows_.settle(now)) {
    events_.push({due.time, FreeEvent::Kind::end, due.port, due.version});
  }
}

void FreeSimulation::place(double until) {
  others_.clear();
  while (!events_.empty() && events_.next() <= until) {
    const FreeEvent event = events_.pop();
    (event.kind == FreeEvent::Kind::place ? placed_ : others_).push_back(event);
  }
  for (const FreeEvent& event : others_) {
    events_.push(event);
  }
  std::sort(placed_.begin(), placed_.end(), [&](const FreeEvent& x, const FreeEvent& y) {
    return std::forward_as_tuple(message_of(x).from, blocks_[x.a].step, x.b) <
           std::forward_as_tuple(message_of(y).from, blocks_[y.a].step, y.b);
  });
  for (const FreeEvent& event : placed_) {
    const FreeMessage& message = message_of(event);
    const network::Transfer transfer{message.from, message.to, message.bytes};
    arrive(event.a, event.b, networks_->send(transfer, event.time));
  }
  networks_->forget_before([&] { return placed_.front().time; });
}

void FreeSimulation::launch(std::uint32_t block, std::uint32_t number, double start) {
  const FreeMessage& message = blocks_[block].messages[number];
  if (message.from == message.to) {
    arrive(block, number, start);
  } else if (alone_) {
    arrive(block, number, start + message.latency + message.length);
  } else if (message.out == FreeMessage::no_port) {
    events_.push({start, FreeEvent::Kind::place, block, number});
  } else if (message.length > 0.0) {
    events_.push({start + message.latency, FreeEvent::Kind::enter, block, number});
  } else {
    arrive(block, number, start + message.latency);
  }
}

void FreeSimulation::arrive(std::uint32_t block, std::uint32_t number, double time) {
  const FreeMessage& message = blocks_[block].messages[number];
  State& state = blocks_[block].states[number];
  state.arrived = time;
  const auto tell = [&](std::uint32_t p) {
    if (--processes_[p].pending == 0) {
      ready_.push_back(p);
    }
  };
  if (state.sender_waits) {
    tell(message.from);
  }
  if (state.receiver_waits) {
    tell(message.to);
  }
}

std::uint32_t FreeSimulation::block_of(std::uint32_t step, std::uint32_t schedule) {
  std::uint32_t& block = block_of_step_[step];
  if (block != nothing) {
    return block;
  }
  std::vector<std::uint32_t>& unused = unused_blocks_[schedule];
  if (unused.empty()) {
    block = static_cast<std::uint32_t>(blocks_.size());
    blocks_.emplace_back();
    blocks_.back().schedule = schedule;
    blocks_.back().messages = program_->schedules[schedule].messages;
  } else {
    block = unused.back();
    unused.pop_back();
  }
  const FreeSchedule& whole = program_->schedules[schedule];
  blocks_[block].step = step;
  blocks_[block].users = whole.participants;
  blocks_[block].states.assign(whole.messages.size(), {});
  return block;
}

void FreeSimulation::release(std::uint32_t step) {
  const std::uint32_t block = block_of_step_[step];
  if (--blocks_[block].users == 0) {
    unused_blocks_[blocks_[block].schedule].push_back(block);
  }
}

void FreeSimulation::require_finished() const {
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    if (processes_[p].step < program_->steps.size()) {
      throw RunError("predicting free processes",
                     "process " + std::to_string(p) + " waits for a message for ever",
                     "the processes wait for each other in a circle");
    }
  }
}

}  // namespace gridcast::model
