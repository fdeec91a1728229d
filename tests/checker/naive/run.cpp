// The rules of time (docs/model.md §2).

#include "run.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace gridcast::naive {

Run::Run(const Trace& trace, Machine machine, const Options& options, bool explain)
    : trace_(trace),
      machine_(std::move(machine)),
      options_(options),
      explain_(explain),
      ledger_(machine_, trace.first_file, trace.first_line) {
  System root;
  root.shape = machine_.shape;
  root.traced_shape = trace.traced_shape;
  for (int p = 0; p < machine_.processors(); ++p) {
    root.members.push_back(p);
  }
  systems_open_.push_back(root);
  ledger_.run_free(options_.free ? &free_ : nullptr);
  ledger_.is_current(root);
}

Result Run::result() {
  for (number_ = 0; number_ < trace_.calls.size(); ++number_) {
    const Call& call = trace_.calls[number_];
    const auto handler = handlers().find(call.name);
    if (handler != handlers().end()) {
      (this->*handler->second)(call);
    } else if (call.name.starts_with("dvm_void_")) {
      output(call);
    } else if (call.name.starts_with("dvm_") && !call.name.starts_with("dvm_df")) {
      input_output(call);
    } else {
      ordinary(call);
    }
    if (explain_) {
      explain(call);
    }
  }
  return {ledger_.finish(), options_.free ? free_.clocks() : std::vector<double>(), explanation_};
}

void Run::explain(const Call& call) {
  explanation_ += std::to_string(number_) + " " + call.name + ":";
  for (int p = 0; p < machine_.processors(); ++p) {
    char text[32];
    std::snprintf(text, sizeof text, " %.9g", ledger_.clock(p));
    explanation_ += text;
  }
  explanation_ += "\n";
}

double Run::performance(int p) const { return machine_.performance[static_cast<std::size_t>(p)]; }

void Run::user_time(double time) {
  if (in_statement_) {
    ledger_.input_output(0, time / performance(0));
    return;
  }
  const double n = current().size();
  for (const int p : current().members) {
    ledger_.compute(p, time / performance(p));
    ledger_.insufficient_usr(p, time / performance(p) * (n - 1) / n);
  }
}

void Run::library_time(double time) {
  if (in_statement_) {
    ledger_.input_output(0, time / performance(0));
    return;
  }
  const double n = current().size();
  for (const int p : current().members) {
    ledger_.library(p, time / performance(p));
    ledger_.insufficient_sys(p, time / performance(p) * (n - 1) / n);
  }
}

void Run::synchronise(Operation kind) {
  if (options_.free) {
    return;
  }
  const double latest = ledger_.latest(current().all());
  for (const int p : current().members) {
    ledger_.raise(kind, p, latest, latest);
  }
}

void Run::written_time(double time, const std::vector<Written>& written) {
  double all = 0.0;
  for (const Written& one : written) {
    std::set<std::size_t> distinct;
    for (const auto& own : one.by) {
      distinct.insert(own.begin(), own.end());
    }
    all += static_cast<double>(distinct.size());
  }
  if (all == 0.0 || in_statement_) {
    library_time(time);
    return;
  }
  for (int p = 0; p < machine_.processors(); ++p) {
    for (const Written& one : written) {
      const auto& own = one.by[static_cast<std::size_t>(p)];
      const auto holders = static_cast<double>(std::count(one.by.begin(), one.by.end(), own));
      const double share = time / performance(p) * static_cast<double>(own.size()) / all;
      ledger_.library(p, share);
      ledger_.insufficient_sys(p, share * (holders - 1) / holders);
    }
  }
}

void Run::vary(Operation kind, const std::vector<double>& ends, Holders over) {
  double latest = 0.0;
  for (int p = 0; p < machine_.processors(); ++p) {
    latest = contains(over, p) ? std::max(latest, ends[static_cast<std::size_t>(p)]) : latest;
  }
  for (int p = 0; p < machine_.processors(); ++p) {
    if (contains(over, p)) {
      ledger_.variation(kind, p, latest - ends[static_cast<std::size_t>(p)]);
    }
  }
}

/// Waits for its end in a communication, which takes at least so much of its own time.
void Run::complete(Operation kind, int p, double end, double busy, double synch_up_to) {
  ledger_.raise(kind, p, std::max(ledger_.clock(p) + busy, end), synch_up_to);
}

void Run::blocking(Operation kind, const Transfers& transfers) {
  if (options_.free) {
    exchange_free(transfers);
    return;
  }
  const double start = ledger_.latest(current().all());
  const std::vector<double> ends = carry(machine_, transfers, start);
  const std::vector<double> own = busy(machine_, transfers);
  Holders concerned = current().all();
  for (const auto& [pair, bytes] : transfers) {
    concerned |= only(pair.first) | only(pair.second);
  }
  for (int p = 0; p < machine_.processors(); ++p) {
    if (contains(concerned, p)) {
      const auto at = static_cast<std::size_t>(p);
      complete(kind, p, ends[at], own[at], 0.0);
    }
  }
  vary(kind, ends, current().all());
}

/// Blocking transfers without synchronisation: only those that send or receive wait.
void Run::exchange(Operation kind, const Transfers& transfers) {
  if (options_.free) {
    exchange_free(transfers);
    return;
  }
  const double start = ledger_.latest(current().all());
  const std::vector<double> ends = carry(machine_, transfers, start);
  const std::vector<double> own = busy(machine_, transfers);
  Holders concerned = 0;
  for (const auto& [pair, bytes] : transfers) {
    concerned |= only(pair.first) | only(pair.second);
  }
  for (int p = 0; p < machine_.processors(); ++p) {
    if (contains(concerned, p)) {
      const auto at = static_cast<std::size_t>(p);
      complete(kind, p, ends[at], own[at], 0.0);
    }
  }
  vary(kind, ends, current().all());
}

/// Synchronises, counts, and pays what the run-time library costs.
void Run::begin_collective(Operation kind, double cost) {
  synchronise(kind);
  ledger_.count(kind);
  if (current().size() > 1) {
    for (const int p : current().members) {
      if (options_.free) {
        free_.spend(free_.program, p, cost);
      } else {
        ledger_.raise(kind, p, ledger_.clock(p) + cost, 0.0);
      }
    }
  }
}

Pending Run::start(Operation kind, const Transfers& transfers, bool loads) {
  begin_collective(kind, loads ? machine_.load : machine_.collective);
  Pending pending;
  if (options_.free) {
    FreeActs before;
    free_.exchange(transfers, before, pending.later);
    free_.append(before);
    return pending;
  }
  pending.start = ledger_.latest(current().all());
  pending.starters = current().all();
  pending.ends = carry(machine_, transfers, pending.start);
  pending.busy = busy(machine_, transfers);
  return pending;
}

void Run::exchange_free(const Transfers& transfers) {
  FreeActs acts;
  free_.exchange(transfers, free_.program, acts);
  free_.append(acts);
}

void Run::wait(Operation kind, const Pending& pending) {
  if (options_.free) {
    free_.append(pending.later);
    return;
  }
  const Holders waiting = pending.starters & current().all();
  for (int p = 0; p < machine_.processors(); ++p) {
    if (!contains(waiting, p)) {
      continue;
    }
    const double clock = ledger_.clock(p);
    const double end = pending.ends[static_cast<std::size_t>(p)];
    const double own = pending.busy[static_cast<std::size_t>(p)];
    // What of the communication was neither waited for nor its own work.
    const double raise = std::max(own, end - clock);
    const double hidden = end - pending.start - raise;
    ledger_.overlap(kind, p, std::max(0.0, std::min(hidden, clock - pending.start)));
    complete(kind, p, end, own, 0.0);
  }
  vary(kind, pending.ends, waiting);
}

void Run::broadcast(double bytes) {
  const double start = ledger_.clock(0);
  Transfers transfers;
  for (const int p : current().members) {
    if (p != 0 && bytes > 0.0) {
      transfers[{0, p}] = bytes;
    }
  }
  if (options_.free) {
    for (const auto& [pair, sent] : transfers) {
      const int m = free_.message(pair.first, pair.second, sent);
      free_.send(free_.program, m);
      free_.blocking_receive(free_.program, m);
    }
    return;
  }
  const std::vector<double> ends = carry(machine_, transfers, start);
  const std::vector<double> own = busy(machine_, transfers);
  for (const auto& [pair, sent] : transfers) {
    const auto at = static_cast<std::size_t>(pair.second);
    complete(io, pair.second, ends[at], own[at], start);
  }
  complete(io, 0, 0.0, own.front(), 0.0);  // processor 0 does not wait
}

const std::map<std::string, Run::Handler>& Run::handlers() {
  static const std::map<std::string, Handler> table{{"binter_", &Run::begin_interval},
                                                    {"bsloop_", &Run::begin_interval},
                                                    {"bploop_", &Run::begin_interval},
                                                    {"einter_", &Run::end_interval},
                                                    {"enloop_", &Run::end_interval},
                                                    {"srmem_", &Run::share_memory},
                                                    {"biof_", &Run::begin_statement},
                                                    {"eiof_", &Run::end_statement},
                                                    {"crtps_", &Run::create_system},
                                                    {"psview_", &Run::reshape_system},
                                                    {"getps_", &Run::get_system},
                                                    {"getam_", &Run::get_machine},
                                                    {"getamr_", &Run::get_machine},
                                                    {"mapam_", &Run::map_machine},
                                                    {"runam_", &Run::run_task},
                                                    {"stopam_", &Run::stop_task},
                                                    {"crtamv_", &Run::create_template},
                                                    {"blkdiv_", &Run::divide_blocks},
                                                    {"setelw_", &Run::set_weights},
                                                    {"genblk_", &Run::set_lengths},
                                                    {"distr_", &Run::distribute},
                                                    {"redis_", &Run::redistribute},
                                                    {"delobj_", &Run::delete_object},
                                                    {"crtrda_", &Run::create_array},
                                                    {"sendsh_", &Run::send_shadow},
                                                    {"recvsh_", &Run::send_shadow},
                                                    {"rwelm_", &Run::access_element},
                                                    {"copelm_", &Run::access_element},
                                                    {"elmcpy_", &Run::access_element},
                                                    {"crtda_", &Run::create_array},
                                                    {"delda_", &Run::delete_array},
                                                    {"align_", &Run::align},
                                                    {"realn_", &Run::realign},
                                                    {"crtpl_", &Run::create_loop},
                                                    {"mappl_", &Run::map_loop},
                                                    {"across_", &Run::across},
                                                    {"dopl_", &Run::run_loop},
                                                    {"endpl_", &Run::end_loop},
                                                    {"exfrst_", &Run::export_first},
                                                    {"imlast_", &Run::import_last},
                                                    {"crtrg_", &Run::create_group},
                                                    {"crtred_", &Run::create_reduction},
                                                    {"insred_", &Run::insert_reduction},
                                                    {"strtrd_", &Run::start_reduction},
                                                    {"waitrd_", &Run::wait_reduction},
                                                    {"crtshg_", &Run::create_group},
                                                    {"inssh_", &Run::insert_shadow},
                                                    {"insshd_", &Run::insert_shadow},
                                                    {"incsh_", &Run::include_shadow},
                                                    {"incshd_", &Run::include_shadow},
                                                    {"strtsh_", &Run::start_shadow},
                                                    {"waitsh_", &Run::wait_shadow},
                                                    {"arrcpy_", &Run::copy_arrays},
                                                    {"aarrcp_", &Run::copy_arrays},
                                                    {"waitcp_", &Run::wait_copy},
                                                    {"crtrbl_", &Run::create_loop_buffer},
                                                    {"crtrbp_", &Run::create_point_buffer},
                                                    {"loadrb_", &Run::load_buffer},
                                                    {"waitrb_", &Run::wait_buffer},
                                                    {"crtbg_", &Run::create_group},
                                                    {"insrb_", &Run::insert_buffer},
                                                    {"loadbg_", &Run::load_group},
                                                    {"waitbg_", &Run::wait_group}};
  return table;
}

Result predict(const std::string& trace, const std::string& machine, const std::vector<int>& grid,
               const Options& options, bool explain) {
  Trace read = read_trace(trace);
  if (options.skip_startup && !read.calls.empty()) {
    read.calls.front().call_time = 0.0;
  }
  Machine placed = read_machine(machine, grid);
  if (!options.library_costs) {
    placed.collective = placed.load = placed.portion = 0.0;
  }
  place(placed, options.by_column, options.block);
  return Run(read, std::move(placed), options, explain).result();
}

}  // namespace gridcast::naive
