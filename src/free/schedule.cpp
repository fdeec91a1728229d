#include "schedule.h"

#include <algorithm>
#include <cmath>

#include "gridcast/network/message_time.h"

namespace gridcast::model {

namespace {

constexpr std::uint32_t no_message = 0xffffffffU;

}  // namespace

std::uint32_t ScheduleWriter::member(std::size_t level, std::uint32_t process) const noexcept {
  // A part of a cluster is a member of one network, and so is a processor.
  const std::size_t below = level + 1;
  if (below < static_cast<std::size_t>(system_->levels)) {
    const std::uint32_t part = system_->ancestors[below * system_->processors() + process];
    if (part != machine::ProcessorSystem::no_network) {
      return part;
    }
  }
  return static_cast<std::uint32_t>(system_->networks.size()) + process;
}

std::size_t ScheduleWriter::level_of(const network::Transfer& transfer) const noexcept {
  if (transfer.from != transfer.to) {
    return system_->common_level(transfer.from, transfer.to);
  }
  auto level = static_cast<std::size_t>(system_->levels) - 1;
  while (level > 0 && system_->ancestors[level * system_->processors() + transfer.from] ==
                          machine::ProcessorSystem::no_network) {
    --level;
  }
  return level;
}

std::uint32_t ScheduleWriter::add(const network::Transfer& transfer) {
  const std::size_t level = level_of(transfer);
  const machine::Network& network =
      system_->networks[system_->ancestors[level * system_->processors() + transfer.from]];
  FreeMessage message;
  message.from = transfer.from;
  message.to = transfer.to;
  message.bytes = transfer.bytes;
  if (network.type == machine::NetworkType::transputer) {
    message.bytes = std::max(std::ceil(transfer.bytes), 1.0);  // portions are whole bytes
  }
  message.eager = network.is_eager(transfer.bytes);
  message.detached = network.is_detached(transfer.bytes);
  message.send_time = network.send_time;
  message.receive_time = network.receive_time;
  if (network.type == machine::NetworkType::ports && transfer.from != transfer.to) {
    message.out = 2 * member(level, transfer.from);
    message.in = 2 * member(level, transfer.to) + 1;
    message.latency = network.start_of(transfer.bytes);
    message.length =
        network.byte_of(transfer.bytes) > 0.0 ? network::port_time(network, transfer.bytes) : 0.0;
  }
  messages_.push_back(message);
  return static_cast<std::uint32_t>(messages_.size() - 1);
}

void ScheduleWriter::send(std::uint32_t message) {
  act(messages_[message].from, {FreeAction::Kind::send, message, messages_[message].send_time});
}

void ScheduleWriter::receive(std::uint32_t message) {
  act(messages_[message].to, {FreeAction::Kind::receive, message, 0.0});
}

void ScheduleWriter::blocking_send(std::uint32_t message) {
  if (messages_[message].detached) {
    send(message);
    return;
  }
  act(messages_[message].from, {FreeAction::Kind::send, message, 0.0});
  act(messages_[message].from, {FreeAction::Kind::wait, 0, 0.0});
}

void ScheduleWriter::blocking_receive(std::uint32_t message) {
  receive(message);
  act(messages_[message].to, {FreeAction::Kind::wait, 0, 0.0});
}

void ScheduleWriter::pause(std::span<const double> seconds) {
  for (std::uint32_t p = 0; p < seconds.size() && p < processes_; ++p) {
    if (seconds[p] > 0.0) {
      act(p, {FreeAction::Kind::pause, 0, seconds[p]});
    }
  }
}

void ScheduleWriter::exchange(const network::Communication& communication) {
  pause(communication.packing);
  messages_.reserve(communication.transfers.size());
  for (const network::Transfer& transfer : communication.transfers) {
    receive(add(transfer));
  }
  std::vector<std::uint8_t> waits(processes_, 0);
  for (std::uint32_t m = 0; m < messages_.size(); ++m) {
    send(m);
    waits[messages_[m].from] = waits[messages_[m].to] = 1;
  }
  split_ = acts_.size();
  for (std::uint32_t p = 0; p < processes_; ++p) {
    if (waits[p] != 0) {
      act(p, {FreeAction::Kind::wait, 0, 0.0});
    }
  }
  pause(communication.unpacking);
}

void ScheduleWriter::one_by_one(std::span<const network::Transfer> transfers, bool backwards) {
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const std::uint32_t message = add(transfers[backwards ? transfers.size() - 1 - i : i]);
    blocking_send(message);
    blocking_receive(message);
  }
}

void ScheduleWriter::round(std::span<const network::Transfer> transfers) {
  sends_.assign(processes_, no_message);
  gets_.assign(processes_, no_message);
  for (const network::Transfer& transfer : transfers) {
    sends_[transfer.from] = gets_[transfer.to] = add(transfer);
  }
  for (std::uint32_t p = 0; p < processes_; ++p) {
    if (sends_[p] != no_message && gets_[p] != no_message) {
      send(sends_[p]);
      blocking_receive(gets_[p]);
    } else if (sends_[p] != no_message) {
      blocking_send(sends_[p]);
    } else if (gets_[p] != no_message) {
      blocking_receive(gets_[p]);
    }
  }
}

FreeSchedule ScheduleWriter::write(const Transfers& transfers) {
  const network::Communication& communication = transfers.communication;
  const std::span<const network::Transfer> all = communication.transfers;
  if (!communication.rounds.empty()) {
    for (std::size_t r = 0; r < communication.rounds.size(); ++r) {
      round(communication.round(r));
    }
  } else if (communication.one_by_one) {
    one_by_one(all, false);
  } else if (communication.phases() > 1) {
    // The first of a linear reduction takes from the last one first.
    one_by_one(communication.phase(0), true);
    for (std::size_t phase = 1; phase < communication.phases(); ++phase) {
      one_by_one(communication.phase(phase), false);
    }
  } else {
    exchange(communication);
    return finish(true);
  }
  return finish(false);
}

FreeSchedule ScheduleWriter::broadcast(const network::Communication& communication) {
  for (const network::Transfer& transfer : communication.transfers) {
    const std::uint32_t message = add(transfer);
    send(message);
    blocking_receive(message);
  }
  return finish(false);
}

FreeSchedule ScheduleWriter::portions(const FreePortions& loop) {
  const PipelinePlan& plan = *loop.plan;
  const auto count = static_cast<std::size_t>(loop.portions->count());
  // Edges of a portion by sender and line.
  const std::size_t lines = plan.lines.size();
  std::vector<std::uint32_t> edges(plan.stage_of.size() * lines);
  for (std::size_t k = 0; k < count; ++k) {
    const double size = loop.portions->size(static_cast<std::int64_t>(k));
    std::fill(edges.begin(), edges.end(), no_message);
    for (std::size_t local = 0; local < plan.stage_of.size(); ++local) {
      const PipelineStage& stage = plan.stages[plan.stage_of[local]];
      for (std::uint32_t l = stage.next_line(0); l < lines; l = stage.next_line(l + 1)) {
        const auto to =
            static_cast<std::size_t>(static_cast<std::int64_t>(local) + plan.lines[l].step);
        edges[local * lines + l] =
            add({loop.processors[local], loop.processors[to], stage.bytes[l] * size});
      }
    }
    for (std::size_t local = 0; local < plan.stage_of.size(); ++local) {
      const PipelineStage& stage = plan.stages[plan.stage_of[local]];
      if (!stage.runs) {
        continue;
      }
      const std::uint32_t p = loop.processors[local];
      for (std::size_t l = 0; l < lines; ++l) {
        const auto from = static_cast<std::int64_t>(local) - plan.lines[l].step;
        const bool inside = from >= 0 && from < static_cast<std::int64_t>(plan.stage_of.size());
        const std::uint32_t edge =
            inside ? edges[static_cast<std::size_t>(from) * lines + l] : no_message;
        if (edge != no_message) {
          blocking_receive(edge);
        }
      }
      if (loop.cost > 0.0) {
        act(p, {FreeAction::Kind::pause, 0, loop.cost});
      }
      act(p,
          {FreeAction::Kind::compute, 0, loop.iteration_time * stage.work * stage.relative * size});
      for (std::size_t l = 0; l < lines; ++l) {
        if (edges[local * lines + l] != no_message) {
          blocking_send(edges[local * lines + l]);
        }
      }
    }
  }
  return finish(false);
}

FreeSchedule ScheduleWriter::single(std::span<const network::Transfer> transfers) {
  for (const network::Transfer& transfer : transfers) {
    if (transfer.bytes > 0.0) {
      blocking_send(add(transfer));
    }
  }
  FreeSchedule schedule = finish(false);
  schedule.participants += static_cast<std::uint32_t>(schedule.messages.size());  // those that take
  return schedule;
}

FreeSchedule ScheduleWriter::take(const FreeSchedule& sent) {
  for (std::uint32_t m = 0; m < sent.messages.size(); ++m) {
    act(sent.messages[m].to, {FreeAction::Kind::receive, m, 0.0});
    act(sent.messages[m].to, {FreeAction::Kind::wait, 0, 0.0});
  }
  return finish(false);
}

FreeSchedule ScheduleWriter::finish(bool overlaps) {
  FreeSchedule schedule;
  schedule.messages = std::move(messages_);
  schedule.first.assign(processes_ + 1, 0);
  for (const auto& [process, action] : acts_) {
    ++schedule.first[process + 1];
  }
  for (std::size_t p = 0; p < processes_; ++p) {
    schedule.participants += schedule.first[p + 1] > 0 ? 1 : 0;
    schedule.first[p + 1] += schedule.first[p];
  }
  schedule.actions.resize(acts_.size());
  schedule.later.assign(schedule.first.begin(), schedule.first.end() - 1);
  std::vector<std::uint32_t> next = schedule.later;
  std::vector<std::uint32_t> since = schedule.later;  // the first action after the last wait
  for (std::size_t i = 0; i < acts_.size(); ++i) {
    const auto& [process, action] = acts_[i];
    FreeAction& own = schedule.actions[next[process]++];
    own = action;
    if (own.kind == FreeAction::Kind::wait) {
      own.number = since[process];
      since[process] = next[process];
    }
    if (overlaps && i < split_) {
      schedule.later[process] = next[process];
    }
  }
  messages_.clear();
  acts_.clear();
  split_ = 0;
  return schedule;
}

}  // namespace gridcast::model
