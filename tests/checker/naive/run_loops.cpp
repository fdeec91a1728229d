// Parallel loops.

#include <algorithm>
#include <stdexcept>

#include "run.h"

namespace gridcast::naive {

void Run::create_loop(const Call& call) {
  ordinary(call);
  const std::string name = call.out.text("LoopRef");
  LoopState state;
  state.loop.reference = name;
  for (std::size_t i = number_ + 1; i < trace_.calls.size(); ++i) {
    const Call& later = trace_.calls[i];
    if (later.in.text("LoopRef") == name && later.name == "endpl_") {
      break;
    }
    state.portions += later.in.text("LoopRef") == name && later.name == "dopl_" ? 1 : 0;
  }
  loops_[name] = state;
  open_loop_ = name;
}

void Run::map_loop(const Call& call) {
  ordinary(call);
  Loop& loop = loops_.at(call.in.text("LoopRef")).loop;
  loop.placed = placed_by(call);
  if (loop.placed.over) {  // as it is cut now: a later redis_ does not move a loop
    loop.placed.over = std::make_shared<Template>(*loop.placed.over);
  }
  loop.mapped = true;
  const std::vector<long> first = call.in.list("InInitIndexArray");
  const std::vector<long> last = call.in.list("InLastIndexArray");
  loop.step = call.in.list("InStepArray");
  loop.values.clear();
  for (std::size_t d = 0; d < first.size(); ++d) {
    Index along;
    for (long i = first[d]; loop.step[d] > 0 ? i <= last[d] : i >= last[d]; i += loop.step[d]) {
      along.push_back(i);
    }
    loop.values.push_back(along);
  }
  mapped_last_ = loop;
}

void Run::across(const Call& call) {
  user_time(call.call_time);
  begin_collective(shadow, machine_.collective);
  library_time(call.ret_time);
  LoopState& state = loops_.at(open_loop_);
  state.across = true;
  const auto known = [&](const std::string& name) {
    return shadow_groups_.contains(name) ? name : std::string();
  };
  state.old_values = known(call.in.text("OldShadowGroupRef"));
  state.new_values = known(call.in.text("NewShadowGroupRef"));
}

void Run::export_first(const Call& call) {
  ordinary(call);
  loops_.at(call.in.text("LoopRef")).export_first = call.in.text("ShadowGroupRef");
}

void Run::import_last(const Call& call) {
  ordinary(call);
  loops_.at(call.in.text("LoopRef")).import_last = call.in.text("ShadowGroupRef");
}

/// (k - 1) / k per processor, k processors having the same iterations.
std::map<int, double> Run::insufficient_shares(const std::vector<Holders>& executes) {
  std::map<int, double> shares;
  for (const int p : current().members) {
    double same = 0.0;
    for (const int q : current().members) {
      const bool equal = std::all_of(executes.begin(), executes.end(), [&](Holders set) {
        return contains(set, p) == contains(set, q);
      });
      same += equal ? 1.0 : 0.0;
    }
    shares[p] = (same - 1.0) / same;
  }
  return shares;
}

void Run::share(const LoopState& state, const Call& call) {
  const std::vector<long> lower = call.out.list("Lower");
  const std::vector<long> upper = call.out.list("Upper");
  std::vector<Holders> executes;
  Holders any = 0;
  for (const Index& iteration : state.loop.iterations()) {
    bool inside = true;
    for (std::size_t d = 0; d < lower.size(); ++d) {
      inside = inside && iteration[d] >= std::min(lower[d], upper[d]) &&
               iteration[d] <= std::max(lower[d], upper[d]);
    }
    if (inside) {
      executes.push_back(holders(state.loop.placed, iteration, current()) & current().all());
      any |= executes.back();
    }
  }
  if (any == 0 || in_statement_) {
    user_time(call.call_time);
    return;
  }
  std::map<int, double> insufficient = insufficient_shares(executes);
  for (const int p : current().members) {
    const auto own = static_cast<double>(std::count_if(
        executes.begin(), executes.end(), [&](Holders set) { return contains(set, p); }));
    const double time =
        call.call_time / performance(p) * own / static_cast<double>(executes.size());
    ledger_.compute(p, time);
    ledger_.insufficient_usr(p, time * insufficient[p]);
  }
}

bool Run::pipeline(const LoopState& state, const Call& call) {
  Clocks clocks;
  for (int p = 0; p < machine_.processors(); ++p) {
    clocks.push_back(ledger_.clock(p));
  }
  const auto group = shadow_groups_.find(state.new_values);
  const auto times = group == shadow_groups_.end()
                         ? std::nullopt
                         : run_pipeline(machine_, state.loop, group->second, call.call_time,
                                        current(), clocks, options_.free ? &free_ : nullptr);
  if (!times || options_.free) {
    return times.has_value();
  }
  share(state, call);  // the computing; the waiting between it only moves clocks
  std::vector<double> ends(clocks.size(), 0.0);
  for (const int p : current().members) {
    const PipelineTimes& own = (*times)[static_cast<std::size_t>(p)];
    ledger_.raise(shadow, p, ledger_.clock(p) + own.waiting, 0.0);
    ledger_.overlap(shadow, p, own.overlap);
    ends[static_cast<std::size_t>(p)] = own.end;
  }
  vary(shadow, ends, current().all());
  return true;
}

void Run::exchange_old_values(const LoopState& state) {
  exchange(shadow, old_values_of(shadow_groups_.at(state.old_values), state.loop, current()));
}

void Run::exchange_in_portions(LoopState& state, bool at_end) {
  const bool start_now = at_end || state.portions_done == std::max(1L, state.portions - 1);
  const bool wait_now = at_end || state.portions_done == std::min(2L, state.portions);
  if (!state.import_last.empty() && wait_now) {
    wait(shadow, shadows_pending_.at(state.import_last));
    shadows_pending_.erase(state.import_last);
    state.import_last.clear();
  }
  if (!state.export_first.empty() && start_now) {
    const Transfers transfers = edges_of(shadow_groups_.at(state.export_first), current());
    shadows_pending_[state.export_first] = start(shadow, transfers);
    state.export_first.clear();
  }
}

void Run::run_loop(const Call& call) {
  LoopState& state = loops_.at(call.in.text("LoopRef"));
  ++state.portions_done;
  const bool continues = call.out.number("DoPL") != 0;
  if (!state.loop.mapped) {
    user_time(call.call_time);
  } else if (!state.across || continues) {
    share(state, call);
  } else if (!pipeline(state, call)) {
    share(state, call);  // nothing to wait for, but a collective loop all the same
    std::vector<double> ends;
    for (int p = 0; p < machine_.processors(); ++p) {
      ends.push_back(ledger_.clock(p));
    }
    vary(shadow, ends, current().all());
  }
  if (state.across && continues && !state.old_values_done && !state.old_values.empty()) {
    exchange_old_values(state);
    state.old_values_done = true;
  }
  exchange_in_portions(state, false);
  library_time(call.ret_time);
}

void Run::end_loop(const Call& call) {
  user_time(call.call_time);
  exchange_in_portions(loops_.at(call.in.text("LoopRef")), true);
  library_time(call.ret_time);
}

}  // namespace gridcast::naive
