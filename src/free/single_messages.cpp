#include "single_messages.h"

#include <algorithm>
#include <string>

#include "gridcast/base/error.h"
#include "gridcast/rules/transfers.h"
#include "schedule.h"

namespace gridcast::model {

void SingleMessages::clear() {
  open_.clear();
  transfers_.clear();
  sent_.clear();
  taken_.clear();
  nothing_.reset();
}

const StatementSpec& SingleMessages::statement(CommunicationId communication) const {
  const auto& tables = script_->tables();
  return tables.statements[tables.communications[communication].statement];
}

SingleMessages::Channel SingleMessages::channel(CommunicationId communication, bool on_grid) const {
  const StatementSpec& said = statement(communication);
  const auto& tables = script_->tables();
  const bool receives =
      tables.communications[communication].kind == CommunicationSpec::Kind::receive;
  const auto offset =
      script_->ints(tables.messages[script_->part_ids(said.messages).front()].offset);
  const auto periodic = script_->ints(tables.domains[said.domain].periodic);
  Channel found{said.tag, {}};
  for (std::size_t j = 0; j < found.second.size() && j < offset.size(); ++j) {
    std::int64_t step = receives ? -offset[j] : offset[j];
    if (on_grid && j < periodic.size() && periodic[j] != 0) {
      const std::int64_t extent = details_->mapping().grid().extent(static_cast<int>(j));
      step = (step % extent + extent) % extent;
    }
    found.second[j] = step;
  }
  return found;
}

const std::vector<network::Transfer>& SingleMessages::transfers(CommunicationId communication) {
  const auto [known, fresh] = transfers_.try_emplace(communication);
  if (fresh) {
    known->second =
        single_messages(details_->mapping(), script_->tables().communications[communication]);
  }
  return known->second;
}

void SingleMessages::add(FreeStep& step, CommunicationId communication) {
  const Half half{static_cast<std::uint32_t>(program_->steps.size() - 1), communication};
  const bool receives =
      script_->tables().communications[communication].kind == CommunicationSpec::Kind::receive;
  Halves& open = open_[channel(communication, true)];
  if (!receives) {
    const auto [known, fresh] =
        sent_.try_emplace(communication, static_cast<std::uint32_t>(program_->schedules.size()));
    if (fresh) {
      ScheduleWriter writer(details_->system(), program_->processes);
      program_->schedules.push_back(writer.single(transfers(communication)));
    }
    step.number = known->second;
  } else {
    step.kind = FreeStep::Kind::take;
    step.number = nothing();
  }
  std::deque<Half>& others = receives ? open.sends : open.receives;
  if (others.empty()) {
    (receives ? open.receives : open.sends).push_back(half);
    return;
  }
  const Half other = others.front();
  others.pop_front();
  match(receives ? other : half, receives ? half : other);
}

std::uint32_t SingleMessages::nothing() {
  if (!nothing_) {
    nothing_ = static_cast<std::uint32_t>(program_->schedules.size());
    ScheduleWriter writer(details_->system(), program_->processes);
    program_->schedules.push_back(writer.take({}));
  }
  return *nothing_;
}

void SingleMessages::match(const Half& send, const Half& receive) {
  const auto [known, fresh] =
      taken_.try_emplace({send.communication, receive.communication},
                         static_cast<std::uint32_t>(program_->schedules.size()));
  if (fresh) {
    // Both say who sends to whom; they may be about different domains.
    std::vector<network::Transfer> sent = transfers(send.communication);
    std::vector<network::Transfer> asked = transfers(receive.communication);
    const auto pair = [](const network::Transfer& one) { return std::pair(one.from, one.to); };
    std::ranges::sort(sent, {}, pair);
    std::ranges::sort(asked, {}, pair);
    const auto [lone, wanted] = std::ranges::mismatch(sent, asked, {}, pair, pair);
    if (lone != sent.end()) {
      refuse(send.communication, *lone);
    }
    if (wanted != asked.end()) {
      refuse(receive.communication, *wanted);
    }
    const FreeSchedule& schedule = program_->schedules[program_->steps[send.step].number];
    ScheduleWriter writer(details_->system(), program_->processes);
    FreeSchedule taken = writer.take(schedule);
    program_->schedules.push_back(std::move(taken));
  }
  program_->steps[receive.step].number = known->second;
  program_->steps[receive.step].partner = send.step;
}

bool SingleMessages::balanced(std::span<const Op> iteration) const {
  std::map<Channel, std::int64_t> open;
  const auto& tables = script_->tables();
  for (const Op& op : iteration) {
    if (op.kind != Op::Kind::transfer) {
      continue;
    }
    const auto kind = tables.communications[op.communication()].kind;
    if (kind == CommunicationSpec::Kind::send || kind == CommunicationSpec::Kind::receive) {
      open[channel(op.communication(), false)] += kind == CommunicationSpec::Kind::send ? 1 : -1;
    }
  }
  return std::ranges::all_of(open, [](const auto& one) { return one.second == 0; });
}

bool SingleMessages::matched() const {
  return std::ranges::all_of(open_, [](const auto& one) {
    return one.second.sends.empty() && one.second.receives.empty();
  });
}

void SingleMessages::require_matched() const {
  const auto require = [&](const std::deque<Half>& halves) {
    for (const Half& half : halves) {
      const std::vector<network::Transfer> there = single_messages(
          details_->mapping(), script_->tables().communications[half.communication]);
      if (!there.empty()) {
        refuse(half.communication, there.front());
      }
    }
  };
  for (const auto& [channel, halves] : open_) {
    require(halves.sends);
    require(halves.receives);
  }
}

void SingleMessages::refuse(CommunicationId communication,
                            const network::Transfer& transfer) const {
  const StatementSpec& said = statement(communication);
  const bool receives =
      script_->tables().communications[communication].kind == CommunicationSpec::Kind::receive;
  const std::string sender = std::to_string(transfer.from);
  const std::string receiver = std::to_string(transfer.to);
  throw InputError(
      std::string(script_->text(said.file)), static_cast<std::size_t>(said.line),
      receives ? "process " + receiver + " receives from process " + sender + " what nobody sends"
               : "process " + sender + " sends to process " + receiver + " what nobody receives",
      "expected as many sends (only = true) as receives of each tag and offset");
}

}  // namespace gridcast::model
