#include "bound_stretch.h"

#include <algorithm>

#include "bound_facts.h"
#include "gridcast/network/networks.h"
#include "gridcast/rules/loop_part.h"

namespace gridcast::model {
namespace {

/// Stretches are simulated only if they leave out this part of the operations or more: else one may
/// as well predict.
constexpr double left_out = 0.75;

/// Margin of decisions in units of what network::Networks takes for equal.
constexpr double margin = 2.2;

}  // namespace

BoundStretches::BoundStretches(const Script& script, const ModelOptions& options,
                               BoundMachine& machine, BoundLists& lists)
    : script_(&script), machine_(&machine), lists_(&lists) {
  pending_.resize(script.header().tokens);
  find_stretches(options);
}

bool BoundStretches::alike(const Stretch& a, const Stretch& b) const {
  const auto ops = script_->tables().ops;
  const auto same = [](const Op& x, const Op& y) {
    return x.kind == y.kind && x.a == y.a && x.b == y.b && x.call == y.call && x.ret == y.ret;
  };
  const auto at = [&](std::size_t i) { return ops.begin() + static_cast<std::ptrdiff_t>(i); };
  return std::equal(at(a.begin), at(a.end), at(b.begin), at(b.end), same);
}

void BoundStretches::find_stretches(const ModelOptions& options) {
  const auto ops = script_->tables().ops;
  const std::vector<OperationFacts> facts = find_operation_facts(*script_, options);
  std::vector<Stretch> all(1);
  std::uint32_t view = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].kind == Op::Kind::pipeline || facts[i].extrapolated) {
      return;  // the order of edges that are ready at the same time is a matter of rounding
    }
    if (ops[i].kind == Op::Kind::enter_view) {
      view = ops[i].a;
    } else if (ops[i].kind == Op::Kind::leave_view) {
      view = ops[i].b;
    }
    const bool meets = ops[i].kind == Op::Kind::start || ops[i].kind == Op::Kind::transfer;
    if (meets && view == 0 && facts[i].idle) {
      all.back().end = i;
      all.push_back({i, i, 1.0});
    }
  }
  all.back().end = ops.size();
  double simulated = 0.0;
  for (const Stretch& stretch : all) {
    const auto known = std::find_if(stretches_.begin(), stretches_.end(),
                                    [&](const Stretch& other) { return alike(stretch, other); });
    if (known != stretches_.end()) {
      known->count += 1.0;
      continue;
    }
    simulated += static_cast<double>(stretch.end - stretch.begin);
    if (simulated > (1.0 - left_out) * static_cast<double>(ops.size())) {
      stretches_.clear();
      return;
    }
    stretches_.push_back(stretch);
  }
}

std::optional<double> BoundStretches::total(double most) {
  const auto processors = static_cast<std::int64_t>(lists_->mapping().processors());
  if (stretches_.empty() || machine_->has_links(processors)) {
    return std::nullopt;
  }
  const machine::ProcessorSystem& system = machine_->system();
  if (!networks_ || known_processors_ != system.processors()) {
    networks_.emplace(system);
    known_processors_ = system.processors();
  }
  shares_.clear();
  ends_.resize(static_cast<std::size_t>(processors));
  double sum = 0.0;
  for (const Stretch& stretch : stretches_) {
    networks_->reset(margin * network::relative_slack * most);
    sum += stretch.count * time(stretch);
    if (!networks_->certain()) {
      return std::nullopt;
    }
  }
  // Decisions were those of a program that takes no longer than `most`; if it does, that bounds it.
  return std::min(sum, most);
}

double BoundStretches::time(const Stretch& stretch) {
  clock_.assign(ends_.size(), 0.0);
  for (Pending& pending : pending_) {
    pending.started = false;
  }
  enter(0);
  for (std::size_t i = stretch.begin; i < stretch.end && networks_->certain(); ++i) {
    step(script_->tables().ops[i]);
  }
  return *std::max_element(clock_.begin(), clock_.end());
}

void BoundStretches::enter(std::uint32_t view) {
  view_ = view;
  members_ = lists_->mapping().view(view).processors();
}

void BoundStretches::work(double time) {
  for (const std::uint32_t p : members_) {
    clock_[p] += time / machine_->performance(p);
  }
}

const BoundStretches::Share& BoundStretches::share_of(std::uint32_t placement,
                                                      std::uint32_t portion) {
  const auto [entry, fresh] = shares_.try_emplace({view_, placement, portion});
  Share& share = entry->second;
  if (!fresh) {
    return share;
  }
  const mapping::Layout& loop = lists_->mapping().layout(placement);
  const LoopPart part(loop, *script_, portion);
  share.part.assign(members_.size(), 0.0);
  std::array<std::int64_t, machine::max_grid_rank> at{};
  std::array<mapping::IndexRange, mapping::max_rank> block;
  for (std::size_t i = 0; i < members_.size() && !part.empty(); ++i) {
    const std::int64_t local = loop.view().local(members_[i]);
    if (local < 0) {
      continue;
    }
    loop.coordinates(static_cast<std::size_t>(local), at);
    if (!loop.block(at, block)) {
      continue;
    }
    const double own = part.share(block);
    share.part[i] = own / machine_->performance(members_[i]);
    share.any = share.any || own > 0.0;
  }
  return share;
}

void BoundStretches::share(const Op& op) {
  const Share& share = share_of(op.a, op.b);
  if (!share.any) {
    work(op.call);
    return;
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    clock_[members_[i]] += op.call * share.part[i];
  }
}

double BoundStretches::latest() const {
  double latest = 0.0;
  for (const std::uint32_t p : members_) {
    latest = std::max(latest, clock_[p]);
  }
  return latest;
}

double BoundStretches::synchronize() {
  const double time = latest();
  for (const std::uint32_t p : members_) {
    clock_[p] = time;
  }
  return time;
}

void BoundStretches::launch(std::uint32_t communication, double start, std::span<double> ends) {
  networks_->run(lists_->transfers(communication).communication, start, ends);
}

void BoundStretches::wait(const Pending& pending) {
  if (!pending.started) {
    return;
  }
  const mapping::ProcessorView& started_on = lists_->mapping().view(pending.view);
  for (const std::uint32_t p : members_) {
    if (pending.view == view_ || started_on.local(p) >= 0) {
      clock_[p] = std::max(clock_[p], pending.ends[p]);
    }
  }
}

void BoundStretches::transfer(const Op& op, double start) {
  launch(op.a, start, ends_);
  // Holders outside the current processor system take part as well.
  for (const network::Transfer& transfer : lists_->transfers(op.a).communication.transfers) {
    for (const std::uint32_t p : {transfer.from, transfer.to}) {
      clock_[p] = std::max(clock_[p], ends_[p]);
    }
  }
}

void BoundStretches::broadcast(double bytes) {
  lists_->builder().broadcast(view_, bytes, transfers_);
  const double start = clock_[0];
  networks_->run(transfers_.communication, start, ends_);
  for (const std::uint32_t p : members_) {
    if (p != 0 && !transfers_.communication.empty()) {
      clock_[p] = std::max(clock_[p], ends_[p]);
    }
  }
}

void BoundStretches::copied(const Op& op) {
  lists_->builder().written(script_->tables().communications[op.a], written_);
  if (!written_.any) {
    work(op.ret);
    return;
  }
  for (std::size_t p = 0; p < clock_.size(); ++p) {
    clock_[p] += op.ret * written_.share[p] / machine_->performance(static_cast<std::int64_t>(p));
  }
}

void BoundStretches::step(const Op& op) {
  switch (op.kind) {
    case Op::Kind::work:
      work(op.call + op.ret);
      break;
    case Op::Kind::io_work:
      clock_[0] += op.call / machine_->performance(0);
      break;
    case Op::Kind::broadcast:
      broadcast(op.call);
      break;
    case Op::Kind::share:
      share(op);
      break;
    case Op::Kind::enter_view:
      enter(op.a);
      break;
    case Op::Kind::leave_view:
      enter(op.b);
      break;
    case Op::Kind::synchronize:
      synchronize();
      break;
    case Op::Kind::start:
    case Op::Kind::send: {
      Pending& pending = pending_[op.b];
      pending.started = true;
      pending.view = view_;
      pending.start = op.kind == Op::Kind::start ? synchronize() : latest();
      pending.ends.resize(clock_.size());
      launch(op.a, pending.start, pending.ends);
      break;
    }
    case Op::Kind::wait:
      wait(pending_[op.b]);
      break;
    case Op::Kind::transfer:
      transfer(op, synchronize());
      break;
    case Op::Kind::exchange:
      transfer(op, latest());
      break;
    case Op::Kind::copied:
      copied(op);
      break;
    case Op::Kind::begin_interval:
    case Op::Kind::end_interval:
    case Op::Kind::pipeline:
      break;
  }
}

}  // namespace gridcast::model
