#include "free_clocks.h"

#include <algorithm>

#include "gridcast/rules/repeats.h"
#include "gridcast/rules/walk.h"

namespace gridcast::model {

namespace {

constexpr std::uint32_t not_yet = 0xffffffffU;

/// The operation of a start is that of its wait: nothing but packing and sending costs time before.
Operation waited_for(CommunicationSpec::Kind kind) {
  using Kind = CommunicationSpec::Kind;
  if (kind == Kind::reduction) {
    return Operation::reduction;
  }
  return kind == Kind::shadow || kind == Kind::phase ? Operation::shadow : Operation::remote_access;
}

/// The first of so many iterations that takes longer or shorter than the one after those that a
/// leap goes by.
std::size_t alike_until(std::span<const Op> ops, std::size_t period, std::size_t iterations) {
  const auto iteration = [&](std::size_t i) { return ops.subspan(i * period, period); };
  std::size_t end = std::min(leap_iterations, iterations);
  while (end < iterations && std::ranges::equal(iteration(end), iteration(leap_iterations),
                                                [](const Op& a, const Op& b) {
                                                  return a.call == b.call && a.ret == b.ret &&
                                                         a.cost == b.cost;
                                                })) {
    ++end;
  }
  return end;
}

}  // namespace

FreeClocks::FreeClocks(const Script& script, const ModelOptions& options, GridDetails& details,
                       Ledger& ledger)
    : script_(&script),
      options_(options),
      details_(&details),
      ledger_(&ledger),
      repeats_(has_repeats(script)),
      singles_(script, details, program_) {
  if (!repeats_) {
    loops_ = find_repetitions(script.tables().ops);
  }
}

const FreeProgram& FreeClocks::write(std::size_t processes, bool least) {
  program_.clear();
  least_ = least;
  program_.processes = processes;
  left_ = {};
  library_ = options_.counted(details_->system().library);
  started_.assign(script_->header().tokens, 0);
  scheduled_.assign(script_->tables().communications.size(), not_yet);
  broadcasts_.clear();
  pipelines_.clear();
  shares_.clear();
  views_.clear();
  written_.clear();
  works_.clear();
  singles_.clear();
  if (repeats_) {
    unrolled_ = unrolled(details_->mapping());
    loops_ = find_repetitions(unrolled_);
  }
  enter(root_view);
  walk_all(repeats_ ? std::span<const Op>(unrolled_) : script_->tables().ops, loops_, 0);
  singles_.require_matched();
  return program_;
}

void FreeClocks::walk_all(std::span<const Op> ops, std::span<const Repetition> loops,
                          std::uint32_t depth) {
  std::size_t at = 0;
  const auto walk_until = [&](std::size_t end) {
    for (; at < end; ++at) {
      op_ = &ops[at];
      walk(*this, *script_, ops[at]);
    }
  };
  for (const Repetition& loop : loops) {
    walk_until(loop.begin);
    walk_loop(ops.subspan(loop.begin, loop.period * loop.count), loop, depth);
    at = loop.end();
  }
  walk_until(ops.size());
}

void FreeClocks::walk_loop(std::span<const Op> ops, const Repetition& loop, std::uint32_t depth) {
  const bool some = options_.iterations > 0 && singles_.balanced(ops.first(loop.period));
  const auto [simulated, last, rest] =
      some ? simulated_of(loop, options_.iterations) : Simulated{loop.count, 0, 0.0};
  left_.all += static_cast<double>(loop.count);
  left_.simulated += static_cast<double>(simulated);
  std::size_t at = 0;
  const auto walk_until = [&](std::size_t end) {
    for (; at < end; ++at) {
      walk_all(ops.subspan(at * loop.period, loop.period), loop.nested, depth + 1);
    }
  };
  const auto mark = [&](FreeStep::Kind kind, double call) -> FreeStep& {
    program_.loops = std::max(program_.loops, depth + 1);
    FreeStep& step = add(kind, Operation::io, nullptr, call);
    step.number = depth;
    return step;
  };
  const std::size_t alike = least_ && depth == 0 ? alike_until(ops, loop.period, simulated) : 0;
  if (alike > 2 * leap_iterations &&
      (last == 0 || (alike == simulated && last >= leap_iterations))) {
    walk_until(leap_iterations);
    if (singles_.matched()) {  // nothing but clocks goes from an iteration to the next one
      mark(FreeStep::Kind::half, 0.0);
      walk_until(2 * leap_iterations);
      FreeStep& leap = mark(FreeStep::Kind::leap, static_cast<double>(alike - at));
      leap.ret = static_cast<double>(loop.count - simulated);
      leap.partner = static_cast<std::uint32_t>(std::max(last, leap_iterations));
      at = alike;
      walk_until(simulated);
      return;
    }
  }
  walk_until(simulated - last);
  if (last > 0) {
    mark(FreeStep::Kind::half, rest);
    walk_until(simulated);
    mark(FreeStep::Kind::jump, rest);
  }
}

FreeStep& FreeClocks::add(FreeStep::Kind kind, Operation operation, const Share* share,
                          double call) {
  FreeStep& step = program_.steps.emplace_back();
  step.kind = kind;
  step.operation = operation;
  step.op = op_;
  step.interval = ledger_->opened();
  step.share = share;
  step.call = call;
  return step;
}

void FreeClocks::work(double call, double ret) {
  add(FreeStep::Kind::work, Operation::io, everyone_, call).ret = ret;
}

void FreeClocks::io_work(double seconds) {
  // Processor 0 of the grid, also in a task of others.
  add(FreeStep::Kind::io, Operation::io, views_[root_view], seconds);
}

bool FreeClocks::share(double seconds, PlacementId placement, PortionId portion) {
  const Share* const share =
      kept(details_->share(placement, portion, current_), placement, portion);
  if (share->any) {
    add(FreeStep::Kind::share, Operation::io, share, seconds);
  }
  return share->any;
}

const Share* FreeClocks::kept(const Share& share, PlacementId placement, PortionId portion) {
  const Share*& known = shares_[{current_, placement, portion}];
  if (known == nullptr) {
    known = &program_.shares.emplace_back(share);
  }
  return known;
}

bool FreeClocks::copied(CommunicationId communication, double ret) {
  const Share*& written = written_[communication];
  if (written == nullptr) {
    written = &program_.shares.emplace_back(details_->written(communication));
  }
  if (written->any) {
    add(FreeStep::Kind::copying, Operation::io, written, ret);
  }
  return written->any;
}

void FreeClocks::pay(double seconds, Operation operation, bool pipelined) {
  add(FreeStep::Kind::pay, operation, everyone_, seconds).pipelined = pipelined;
}

std::uint32_t FreeClocks::schedule(const GridDetails::Source& source) {
  const bool handed_out = source.communication == none;
  std::uint32_t& known =
      handed_out ? broadcasts_.try_emplace({source.view, source.bytes}, not_yet).first->second
                 : scheduled_[source.communication];
  if (known == not_yet) {
    ScheduleWriter writer(details_->system(), program_.processes);
    const Transfers& transfers = details_->built(source)->transfers;
    FreeSchedule whole =
        handed_out ? writer.broadcast(transfers.communication) : writer.write(transfers);
    // Reductions of several loops are often the same one.
    const auto same = std::ranges::find(program_.schedules, whole);
    known = static_cast<std::uint32_t>(same - program_.schedules.begin());
    if (same == program_.schedules.end()) {
      program_.schedules.push_back(std::move(whole));
    }
  }
  return known;
}

void FreeClocks::broadcast(double bytes) {
  add(FreeStep::Kind::run, Operation::io, nullptr, 0.0).number = schedule({none, bytes, current_});
}

void FreeClocks::start(CommunicationId communication, std::uint32_t token, double) {
  started_[token] = static_cast<std::uint32_t>(program_.steps.size());
  add(FreeStep::Kind::post, waited_for(script_->tables().communications[communication].kind),
      nullptr, 0.0)
      .number = schedule({communication});
}

void FreeClocks::wait(std::uint32_t token, Operation operation) {
  FreeStep& step = add(FreeStep::Kind::complete, operation, nullptr, 0.0);
  step.partner = started_[token];
  step.number = program_.steps[step.partner].number;
}

void FreeClocks::transfer(CommunicationId communication, double, Operation operation,
                          bool pipelined) {
  using Kind = CommunicationSpec::Kind;
  const Kind kind = script_->tables().communications[communication].kind;
  if (kind == Kind::send || kind == Kind::receive) {
    singles_.add(add(FreeStep::Kind::run, operation, nullptr, 0.0), communication);
    return;
  }
  const std::uint32_t number = schedule({communication});
  FreeStep& step = add(FreeStep::Kind::run, operation, nullptr, 0.0);
  step.number = number;
  step.pipelined = pipelined;
}

bool FreeClocks::pipeline(PipelineId pipeline, double seconds) {
  const PipelineSpec& spec = script_->tables().pipelines[pipeline];
  const Share* const whole =
      kept(details_->share(spec.placement, none, current_), spec.placement, none);
  if (program_.processes == 1 || !whole->any || !details_->pipeline().prepare(spec, seconds)) {
    return false;
  }
  const auto [known, fresh] = pipelines_.try_emplace({pipeline, seconds}, not_yet);
  if (fresh) {
    Pipeline& loop = details_->pipeline();
    const Portions& portions = loop.cut();
    known->second = static_cast<std::uint32_t>(program_.schedules.size());
    ScheduleWriter writer(details_->system(), program_.processes);
    program_.schedules.push_back(writer.portions(
        {&loop.plan(), &portions, details_->mapping().layout(spec.placement).view().processors(),
         loop.iteration_time(), library_.portion}));
  }
  FreeStep& step = add(FreeStep::Kind::run, Operation::shadow, whole, 0.0);
  step.number = known->second;
  step.pipelined = true;
  return true;
}

void FreeClocks::block_work(StatementId statement) {
  const Share*& known = works_[statement];
  if (known == nullptr) {
    known = &program_.shares.emplace_back(details_->work(statement));
  }
  add(FreeStep::Kind::share, Operation::io, known, 1.0);
}

void FreeClocks::begin_interval(IntervalId interval) {
  ledger_->open(interval);
  ledger_->involve(members_);
  add(FreeStep::Kind::begin, Operation::io, nullptr, 0.0).number = interval;
}

void FreeClocks::end_interval() {
  add(FreeStep::Kind::end, Operation::io, nullptr, 0.0).number = ledger_->opened();
  ledger_->close();
}

void FreeClocks::enter(ViewId view) {
  current_ = view;
  members_ = details_->mapping().view(view).processors();
  ledger_->involve(members_);
  const Share*& everyone = views_[view];
  if (everyone == nullptr) {
    Share& share = program_.shares.emplace_back();
    share.any = true;
    share.parts.assign(program_.processes, 0.0);
    share.once = share.parts;
    for (const std::uint32_t p : members_) {
      share.parts[p] = 1.0 / details_->system().performance[p];
      share.once[p] = share.parts[p] / static_cast<double>(members_.size());
    }
    everyone = &share;
  }
  everyone_ = everyone;
}

}  // namespace gridcast::model
