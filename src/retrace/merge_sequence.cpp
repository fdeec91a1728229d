#include "merge_sequence.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "gridcast/base/error.h"

namespace gridcast::trace {
namespace {

constexpr std::size_t deepest_task = 256;

/// Functions that make an object of their own; others may return one that exists.
bool makes_object(std::string_view function) {
  return function.starts_with("crt") || function == "psview_";
}

bool skips_task(const RawTrace& trace) {
  return std::any_of(trace.program.calls.begin(), trace.program.calls.end(), [](const Call& call) {
    const auto* run = std::get_if<RunTask>(&call);
    return run != nullptr && !run->runs;
  });
}

/// The lines with Run=0 as Run=1.
std::string with_run(std::string text) {
  for (std::size_t at = text.find("Run=0"); at != std::string::npos; at = text.find("Run=0", at)) {
    text[at + 4] = '1';
  }
  return text;
}

const std::string remedy_same_run =
    "expected the traces of all processes of one run, complete and of the same program";

}  // namespace

MergeSequence::MergeSequence(const std::vector<RawTrace>& traces, TraceWriter& writer)
    : least_(traces), writer_(writer) {
  members_.reserve(traces.size());
  for (std::size_t i = 0; i < traces.size(); ++i) {
    members_.push_back({.trace = &traces[i],
                        .blocks = BlockHolder(traces[i].program, i),
                        .addresses = AddressBook(i),
                        .at = 0,
                        .stale = std::nullopt});
    translates_ = translates_ || skips_task(traces[i]);
  }
  result_.processes = traces.size();
}

MergeResult MergeSequence::run() {
  Group all(members_.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = i;
  }
  merge_until_stop(all, 0);
  write_exit(0);
  return std::move(result_);
}

bool MergeSequence::at_end(std::size_t member, std::size_t depth) const {
  const Member& m = members_[member];
  return m.at == m.trace->size() ||
         (depth > 0 && std::holds_alternative<StopTask>(m.trace->call(m.at)));
}

void MergeSequence::require_all_at_end(const Group& group, std::size_t depth) const {
  const auto going_on = std::find_if(group.begin(), group.end(),
                                     [&](std::size_t member) { return !at_end(member, depth); });
  if (going_on == group.end()) {
    return;
  }
  const auto ended = std::find_if(group.begin(), group.end(),
                                  [&](std::size_t member) { return at_end(member, depth); });
  const Member& more = members_[*going_on];
  const Member& less = members_[*ended];
  const bool whole = less.at == less.trace->size();
  throw InputError(more.trace->program.trace_file, more.trace->record(more.at).trace_line,
                   "calls " + call_of(*more.trace, more.at) + " where " +
                       (whole ? less.trace->program.trace_file + " has no more calls"
                              : place_of(*less.trace, less.at) + " ends the task"),
                   remedy_same_run);
}

void MergeSequence::merge_until_stop(const Group& group, std::size_t depth) {
  while (std::none_of(group.begin(), group.end(),
                      [&](std::size_t member) { return at_end(member, depth); })) {
    if (depth == 0 && past_exit(group)) {
      write_exit(0);
      if (!make_the_same_call(group)) {
        return;
      }
    }
    require_same_call(group);
    const Member& first = members_[group.front()];
    const Call& call = first.trace->call(first.at);
    if (std::holds_alternative<RunTask>(call)) {
      merge_task(group, depth);
    } else if (std::holds_alternative<RunLoop>(call)) {
      merge_loop_run(group);
    } else {
      merge_call(group);
    }
  }
  if (depth > 0 || !past_exit(group)) {
    require_all_at_end(group, depth);
  }
}

bool MergeSequence::past_exit(const Group& group) const {
  return std::all_of(group.begin(), group.end(), [&](std::size_t member) {
    return members_[member].at >= members_[member].trace->exit_at;
  });
}

bool MergeSequence::make_the_same_call(const Group& group) const {
  const Member& first = members_[group.front()];
  return std::all_of(group.begin(), group.end(), [&](std::size_t member) {
    const Member& m = members_[member];
    return m.trace->function(m.at) == first.trace->function(first.at);
  });
}

void MergeSequence::write_exit(std::size_t member) {
  if (!exit_written_) {
    writer_.text(members_[member].trace->ending);
    exit_written_ = true;
  }
}

bool MergeSequence::is_stale(std::size_t member) const {
  const Member& m = members_[member];
  return m.stale && m.stale->line == m.trace->place(m.at).line &&
         m.stale->file == m.trace->place(m.at).file;
}

std::size_t MergeSequence::leader_of(const Group& group) const {
  const auto fresh = std::find_if(group.begin(), group.end(),
                                  [&](std::size_t member) { return !is_stale(member); });
  return fresh == group.end() ? group.front() : *fresh;
}

void MergeSequence::require_same_call(const Group& group) const {
  const Member& leader = members_[leader_of(group)];
  for (const std::size_t index : group) {
    const Member& m = members_[index];
    const bool same_function = m.trace->function(m.at) == leader.trace->function(leader.at);
    const bool same_line = m.trace->place(m.at).line == leader.trace->place(leader.at).line &&
                           m.trace->file(m.at) == leader.trace->file(leader.at);
    if (!same_function || (!same_line && !is_stale(index))) {
      throw InputError(m.trace->program.trace_file, m.trace->record(m.at).trace_line,
                       "calls " + call_of(*m.trace, m.at) + " where " +
                           place_of(*leader.trace, leader.at) + " calls " +
                           call_of(*leader.trace, leader.at),
                       remedy_same_run);
    }
  }
}

void MergeSequence::advance(std::size_t member) {
  Member& m = members_[member];
  if (!is_stale(member)) {
    m.stale.reset();
  }
  const Call& call = m.trace->call(m.at);
  m.blocks.take(call);
  const auto* run = std::get_if<RunTask>(&call);
  if (run != nullptr && !run->runs) {
    m.stale = m.trace->place(m.at);
  }
  ++m.at;
}

void MergeSequence::merge_call(const Group& group) {
  const std::size_t leader = leader_of(group);
  const Member& first = members_[group.front()];
  const Call& call = first.trace->call(first.at);
  const bool ends_waiting_loop = std::holds_alternative<EndLoop>(call) && loop_waits();
  if (std::holds_alternative<CreateLoop>(call) || std::holds_alternative<EndLoop>(call)) {
    pipelined_ = export_first_ = import_last_ = false;
  }
  pipelined_ = pipelined_ || std::holds_alternative<Across>(call);
  export_first_ = export_first_ || std::holds_alternative<ExportFirst>(call);
  import_last_ = import_last_ || std::holds_alternative<ImportLast>(call);

  Merged merged;
  const auto count = static_cast<double>(group.size());
  double smallest = std::numeric_limits<double>::infinity();
  double least = smallest;
  bool runs = false;
  for (const std::size_t index : group) {
    const Member& m = members_[index];
    const Record& record = m.trace->record(m.at);
    merged.parts.push_back({.member = index, .records = {m.at}});
    merged.call_time += record.call_time / count;
    merged.ret_time += record.ret_time / count;
    smallest = std::min(smallest, record.ret_time);
    least = std::min(least, least_.at(index, m.at));
    const auto* task = std::get_if<RunTask>(&m.trace->call(m.at));
    runs = runs || (task != nullptr && task->runs);
  }
  const ReturnTime kind =
      ends_waiting_loop ? ReturnTime::waiting : return_time_of(first.trace->function(first.at));
  const double mean = merged.ret_time;
  merged.ret_time = kind == ReturnTime::work || group.size() == 1 ? mean
                    : kind == ReturnTime::transfer                ? smallest
                                                   : LeastReturns::without_waiting(smallest, least);
  merged.waiting = mean - merged.ret_time;
  if (runs) {
    const std::string result = with_run(translated(group.front(), first.at, true));
    write(merged, leader, &result);
  } else {
    write(merged, leader, nullptr);
  }
  for (const std::size_t index : group) {
    advance(index);
  }
}

void MergeSequence::merge_task(const Group& group, std::size_t depth) {
  if (depth == deepest_task) {
    const Member& m = members_[group.front()];
    throw InputError(m.trace->program.trace_file, m.trace->record(m.at).trace_line,
                     "tasks are nested too deeply", "expected a stopam_ for each runam_");
  }
  Group running;
  for (const std::size_t index : group) {
    const Member& m = members_[index];
    if (std::get<RunTask>(m.trace->call(m.at)).runs) {
      running.push_back(index);
    }
  }
  ++result_.tasks;
  merge_call(group);
  if (running.empty()) {
    return;
  }
  merge_until_stop(running, depth + 1);
  const Member& m = members_[running.front()];
  if (m.at < m.trace->size()) {
    require_same_call(running);
    merge_call(running);  // stopam_
  }
}

std::vector<std::size_t> MergeSequence::portions_of(std::size_t member) const {
  const Member& m = members_[member];
  std::vector<std::size_t> records;
  for (std::size_t at = m.at; at < m.trace->size(); ++at) {
    const auto* run = std::get_if<RunLoop>(&m.trace->call(at));
    if (run == nullptr) {
      break;
    }
    records.push_back(at);
    if (!run->continues) {
      break;
    }
  }
  return records;
}

std::vector<MergeSequence::Merged> MergeSequence::sort_portions(
    const std::vector<Part>& runs) const {
  std::size_t most = 0;
  bool equal = true;  // processes without iterations make one call
  for (const Part& run : runs) {
    most = std::max(most, run.records.size());
  }
  for (const Part& run : runs) {
    equal = equal && (run.records.size() == most || run.records.size() == 1);
  }
  // The serial run computes a loop in one portion after the call that starts it; with exfrst_ the
  // interior comes last and the edges before it, with imlast_ it comes first (docs/model.md §2.13).
  const bool separate = export_first_ || import_last_;
  std::size_t count = most;
  if (pipelined_ || (!equal && !separate)) {
    count = std::min<std::size_t>(most, 2);
  } else if (!equal) {
    count = 3;
  }
  std::vector<Merged> portions(count);
  for (const Part& run : runs) {
    for (std::size_t k = 0; k < run.records.size(); ++k) {
      std::size_t slot = std::min(k, count - 1);
      if (count == 3 && !equal && export_first_ && k > 0) {
        slot = k + 1 == run.records.size() ? 2 : 1;
      }
      std::vector<Part>& parts = portions[slot].parts;
      if (parts.empty() || parts.back().member != run.member) {
        parts.push_back({.member = run.member, .records = {}});
      }
      parts.back().records.push_back(run.records[k]);
    }
  }
  return portions;
}

void MergeSequence::add_loop_times(Merged& portion) const {
  struct Block {
    double time = 0.0;
    std::size_t holders = 0;
  };
  std::map<BlockKey, Block> shared;
  double smallest = std::numeric_limits<double>::infinity();
  double least = smallest;
  for (const Part& part : portion.parts) {
    const Member& m = members_[part.member];
    double time = 0.0;
    for (const std::size_t record : part.records) {
      time += m.trace->record(record).call_time;
      portion.ret_time += m.trace->record(record).ret_time;
      smallest = std::min(smallest, m.trace->record(record).ret_time);
      least = std::min(least, least_.at(part.member, record));
    }
    const auto& run = std::get<RunLoop>(m.trace->call(part.records.front()));
    if (const auto key = m.blocks.block_of(run.loop)) {
      Block& block = shared[*key];
      block.time += time;
      ++block.holders;
    } else {
      portion.call_time += time;
    }
  }
  for (const auto& [key, block] : shared) {
    portion.call_time += block.time / static_cast<double>(block.holders);
  }
  // Between the portions of such a loop the library waits for edges of the neighbours.
  const double mean = portion.ret_time / static_cast<double>(portion.parts.size());
  portion.ret_time =
      loop_waits() && members_.size() > 1 ? LeastReturns::without_waiting(smallest, least) : mean;
  portion.waiting = mean - portion.ret_time;
}

void MergeSequence::merge_loop_run(const Group& group) {
  const std::size_t leader = leader_of(group);
  std::vector<Part> runs;
  for (const std::size_t index : group) {
    runs.push_back({.member = index, .records = portions_of(index)});
  }
  std::vector<Merged> portions = sort_portions(runs);
  for (std::size_t k = 0; k < portions.size(); ++k) {
    Merged& portion = portions[k];
    add_loop_times(portion);
    const std::string result = k + 1 < portions.size() ? "DoPL=1;\n" : "DoPL=0;\n";
    const Part& first = portion.parts.front();
    const Member& m = members_[first.member];
    const auto& run = std::get<RunLoop>(m.trace->call(first.records.front()));
    const bool as_it_is = portion.parts.size() == 1 && first.records.size() == 1 &&
                          run.continues == (k + 1 < portions.size());
    write(portion, leader, as_it_is ? nullptr : &result);
  }
  for (const Part& run : runs) {
    for (std::size_t k = 0; k < run.records.size(); ++k) {
      advance(run.member);
    }
  }
}

std::string MergeSequence::translated(std::size_t member, std::size_t record, bool result) {
  Member& m = members_[member];
  const std::string& text = result ? m.trace->result_text(record) : m.trace->call_text(record);
  if (!translates_ || member == 0) {
    return text;
  }
  return m.addresses.translate(text, result && makes_object(m.trace->function(record)));
}

void MergeSequence::write(const Merged& merged, std::size_t place_member,
                          const std::string* result) {
  const Part& first = merged.parts.front();
  const std::size_t record = first.records.front();
  const std::string parameters = translated(first.member, record, false);
  const std::string results = result != nullptr ? *result : translated(first.member, record, true);
  if (translates_) {
    for (std::size_t i = 1; i < merged.parts.size(); ++i) {
      Member& m = members_[merged.parts[i].member];
      const std::size_t other = merged.parts[i].records.front();
      m.addresses.learn(m.trace->call_text(other), parameters);
      m.addresses.learn(m.trace->result_text(other), results);
    }
  }
  const Member& placed = members_[place_member];
  const WrittenCall call{.function = placed.trace->function(placed.at),
                         .file = placed.trace->file(placed.at),
                         .line = placed.trace->place(placed.at).line,
                         .call_time = merged.call_time,
                         .ret_time = merged.ret_time};
  writer_.call(call, parameters, results);
  ++result_.calls;
  result_.waiting += merged.waiting;
  result_.duration += merged.call_time + merged.ret_time;
}

}  // namespace gridcast::trace
