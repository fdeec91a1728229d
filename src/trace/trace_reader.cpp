#include "trace_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"

namespace gridcast::trace {
namespace {

constexpr std::string_view expected_trace = "expected a trace of the run-time library (.ptr)";
constexpr std::size_t most_warnings_of_a_kind = 5;
constexpr std::size_t longest_call_text = std::size_t{1} << 22U;

/// A name out of the trace as text for results.
std::string clean(std::string_view word) { return gridcast::printable(word, "?"); }

/// The numbers after `PSSize=` up to `;`.
std::vector<std::int64_t> extents_after(std::string_view text) {
  std::vector<std::int64_t> extents;
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p != end && *p != ';') {
    std::int64_t value = 0;
    const auto number = std::from_chars(p, end, value);
    if (number.ec == std::errc{} && value > 0 && value <= largest_coefficient) {
      extents.push_back(value);
      p = number.ptr;
    } else if (*p == ' ' || *p == '\t') {
      ++p;
    } else {
      break;
    }
  }
  return extents;
}

/// Where the value of a name stands in a line of the preamble; empty if it is not in it.
std::string_view value_of(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find(name); at != std::string_view::npos;
       at = line.find(name, at + 1)) {
    const char before = at == 0 ? ' ' : line[at - 1];
    const bool word = before == ' ' || before == '\t' || before == ';';
    std::string_view rest = line.substr(at + name.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (word && rest.starts_with('=')) {
      rest.remove_prefix(1);
      rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
      return rest;
    }
  }
  return {};
}

std::string calls_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " call" : " calls");
}

}  // namespace

TraceReader::TraceReader(const std::string& name, const ReadOptions& options,
                         UnreturnedLines unreturned)
    : name_(name), options_(options), unreturned_(std::move(unreturned)) {
  program_.trace_file = name;
}

void TraceReader::take_line(std::string_view line, std::size_t number) {
  last_line_ = number;
  bool damaged = false;
  if (const auto event = parse_event_line(line, damaged)) {
    if (damaged) {
      return refuse(InputError(name_, number, "the numbers of this event line cannot be read",
                               "expected TIME=<seconds> LINE=<number> FILE=<name>"));
    }
    take_event(*event, number);
    return;
  }
  if (line.starts_with(note_mark)) {
    take_spread(line.substr(note_mark.size()));
    return;
  }
  if (!started_) {
    take_preamble(line);
  } else if (section_ != Section::none && current_.function->kind.needs_parameters) {
    std::string& text = section_ == Section::call ? call_text_ : result_text_;
    if (text.size() + line.size() > longest_call_text) {
      throw InputError(name_, number, "one call has megabytes of informational lines",
                       std::string(expected_trace));
    }
    text.append(line).push_back('\n');
  }
}

void TraceReader::take_preamble(std::string_view line) {
  if (line.find("Tirecv") != std::string_view::npos) {
    take_start_times(line);
  }
  if (line.find("Proc") == std::string_view::npos && line.find("PS") == std::string_view::npos) {
    return;
  }
  const auto number = [&](std::string_view key) {
    const std::string_view text = value_of(line, key);
    std::int64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    return result.ec == std::errc{} && value >= 0 ? std::optional(value) : std::nullopt;
  };
  if (const auto count = number("ProcCount"); count && *count > 0 && !process_count_seen_) {
    program_.process_count = *count;
    process_count_seen_ = true;
  }
  if (const auto count = number("VProcCount")) {
    virtual_grid_ = *count != 0;
  }
  if (real_extents_.empty()) {
    real_extents_ = extents_after(value_of(line, "PSSize"));
  }
  if (virtual_extents_.empty()) {
    virtual_extents_ = extents_after(value_of(line, "VPSSize"));
  }
}

double TraceReader::checked_time(const EventLine& event, std::size_t number) {
  if (event.time >= 0.0 && event.time <= longest_time) {
    return event.time;
  }
  if (event.time > longest_time) {
    refuse(InputError(name_, number, "TIME is longer than a run can be", "expected seconds"));
    return 0.0;
  }
  warn_limited(negative_times_, number, "a negative TIME counts as 0");
  return 0.0;
}

void TraceReader::take_event(const EventLine& event, std::size_t number) {
  if (!any_event_) {
    any_event_ = true;
    program_.first_file = file_index(event.file);
    program_.first_line = event.line;
  }
  if (event.name == "dvm_exit") {
    exit_seen_ = true;
  }
  if (!started_) {
    started_ = event.kind == EventKind::ret && event.name == "dvm_Init";
    return;
  }
  if (event.kind == EventKind::event) {
    return;  // skipped, with its TIME (docs/model.md §2.11)
  }
  const double time = without_recording(checked_time(event, number));
  if (event.kind == EventKind::call) {
    take_call(event, time, number);
  } else {
    take_return(event, time, number);
  }
}

void TraceReader::take_call(const EventLine& event, double time, std::size_t number) {
  if (!unreturned_.empty() && unreturned_.contains(number)) {
    warn_limited(dropped_calls_, number,
                 "call_" + clean(event.name) + " has no ret_ line and is left out");
    if (open_count_ == 0) {
      complete_call();
    }
    section_ = Section::none;
    return;
  }
  if (open_count_ == open_.size()) {
    open_.emplace_back();
  }
  OpenCall& opened = open_[open_count_++];
  opened.name.assign(event.name);
  opened.line = number;
  if (open_count_ > 1) {  // nested: the outermost counts
    current_.record.ret_time += time;
    ++events_in_open_;
    section_ = Section::none;
    return;
  }
  complete_call();
  events_in_open_ = 0;
  FunctionEntry& function = function_entry(event.name);
  current_.function = &function;
  current_.name = program_.functions[function.index];
  current_.active = true;
  current_.record = {};
  current_.has_deviation = false;
  current_.record.trace_line = static_cast<std::uint32_t>(
      std::min<std::size_t>(number, std::numeric_limits<std::uint32_t>::max()));
  current_.record.call_time = time;
  current_.record.place =
      place_index({.function = function.index, .file = file_index(event.file), .line = event.line});
  call_text_.clear();
  result_text_.clear();
  section_ = Section::call;
}

void TraceReader::take_return(const EventLine& event, double time, std::size_t number) {
  std::size_t match = open_count_;
  while (match > 0 && open_[match - 1].name != event.name) {
    --match;
  }
  if (open_count_ > 0) {
    current_.record.ret_time += time;
    ++events_in_open_;
  }
  if (match == 0) {
    warn_limited(stray_returns_, number,
                 "ret_" + clean(event.name) + " without its call_ line is left out");
    section_ = Section::none;
    return;
  }
  open_count_ = match - 1;
  if (open_count_ > 0) {
    section_ = Section::none;
    return;
  }
  current_.returned = true;
  section_ = Section::result;
}

void TraceReader::complete_call() {
  const bool complete = current_.active && current_.returned;
  current_.active = false;
  if (!complete) {
    return;
  }
  current_.returned = false;
  FunctionEntry& function = *current_.function;
  ++function.calls;
  Call call = Ordinary{function.kind.known};
  if (function.kind.decoder != nullptr) {
    try {
      call = decode(function);
    } catch (const InputError& error) {
      refuse(error);
    }
  }
  Record record = current_.record;
  record.call = pool_.index_of(std::move(call));
  if (options_.skip_startup && program_.records.empty()) {
    record.call_time = 0.0;
  }
  program_.duration += record.call_time + record.ret_time;
  if (current_.has_deviation || !program_.deviations.empty()) {
    program_.deviations.resize(program_.records.size());
    program_.deviations.push_back(current_.has_deviation ? current_.deviation : Deviation{});
    if (options_.skip_startup && program_.records.empty()) {
      program_.deviations.back().call_time = 0.0;
    }
  }
  program_.records.push_back(record);
}

Call TraceReader::decode(const FunctionEntry& function) {
  const CallPlace place{&name_, current_.record.trace_line, current_.name};
  call_arguments_.set_place(place);
  result_arguments_.set_place(place);
  if (function.kind.needs_parameters) {
    call_arguments_.parse(call_text_);
    result_arguments_.parse(result_text_);
  }
  Decoding decoding{call_arguments_, result_arguments_, objects_, missing_weights_,
                    options_.findings != nullptr};
  return function.kind.decoder(decoding);
}

void TraceReader::refuse(const InputError& error) {
  if (options_.findings == nullptr) {
    throw error;
  }
  options_.findings->push_back(
      {error.file(), error.line(), error.problem() + " (" + error.remedy() + ")"});
}

TraceReader::FunctionEntry& TraceReader::function_entry(std::string_view name) {
  lookup_.assign(name);
  const auto found = functions_.find(lookup_);
  if (found != functions_.end()) {
    return found->second;
  }
  FunctionEntry entry;
  entry.kind = function_kind(name);
  entry.index = static_cast<std::uint32_t>(program_.functions.size());
  program_.functions.push_back(clean(name));
  return functions_.emplace(lookup_, entry).first->second;
}

std::uint32_t TraceReader::file_index(std::string_view file) {
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  if (last_file_index_ != none && file == last_file_) {
    return last_file_index_;
  }
  last_file_.assign(file);
  const auto next = static_cast<std::uint32_t>(program_.files.size());
  const auto [entry, is_new] = files_.emplace(last_file_, next);
  if (is_new) {
    program_.files.push_back(clean(file));
  }
  last_file_index_ = entry->second;
  return last_file_index_;
}

std::uint32_t TraceReader::place_index(const Place& place) {
  const std::uint64_t key = std::uint64_t{place.line} | std::uint64_t{place.function} << 32U;
  auto& candidates = places_[key];
  for (const std::uint32_t candidate : candidates) {
    if (program_.places[candidate] == place) {
      return candidate;
    }
  }
  candidates.push_back(static_cast<std::uint32_t>(program_.places.size()));
  program_.places.push_back(place);
  return candidates.back();
}

void TraceReader::warn_limited(std::size_t& count, std::size_t number, const std::string& text) {
  const bool by_rounding = &count == &negative_times_;
  if (options_.findings != nullptr && !by_rounding) {
    options_.findings->push_back({name_, number, text});
    return;
  }
  if (++count <= most_warnings_of_a_kind) {
    program_.warnings.push_back(name_ + ":" + std::to_string(number) + ": " + text);
  }
}

UnreturnedLines TraceReader::swallowing_calls() const {
  UnreturnedLines lines;
  if (open_count_ > 0 && events_in_open_ > 0) {
    for (std::size_t i = 0; i < open_count_; ++i) {
      lines.insert(open_[i].line);
    }
  }
  return lines;
}

Program TraceReader::finish() {
  if (!any_event_) {
    throw InputError(name_, 0, "not a trace: it has no event line", std::string(expected_trace));
  }
  if (!started_) {
    throw InputError(name_, last_line_, "the trace ends before ret_dvm_Init (truncated?)",
                     std::string(expected_trace));
  }
  if (!exit_seen_) {
    refuse(InputError(name_, last_line_, "the trace ends before dvm_exit (truncated?)",
                      "expected a complete trace, to the line Event_dvm_exit"));
  }
  if (open_count_ > 0) {
    warn_limited(dropped_calls_, open_.front().line,
                 "call_" + clean(open_.front().name) + " has no ret_ line and is left out");
    current_.active = false;
  }
  complete_call();
  program_.calls = pool_.take();
  program_.slots = objects_.counts();
  program_.traced_grid = virtual_grid_ ? virtual_extents_ : real_extents_;
  add_final_warnings();
  return std::move(program_);
}

void TraceReader::add_final_warnings() {
  const auto rest = [&](std::size_t count, std::string_view what) {
    if (count > most_warnings_of_a_kind) {
      program_.warnings.push_back(name_ + ": " + std::to_string(count - most_warnings_of_a_kind) +
                                  " more " + std::string(what));
    }
  };
  rest(dropped_calls_, "calls without a ret_ line");
  rest(stray_returns_, "ret_ lines without a call_ line");
  rest(negative_times_, "negative times");
  std::vector<std::pair<std::uint32_t, std::size_t>> unknown;
  for (const auto& [name, entry] : functions_) {
    if (!entry.kind.known && entry.calls > 0) {
      unknown.emplace_back(entry.index, entry.calls);
    }
  }
  std::sort(unknown.begin(), unknown.end());  // in the order of their first call
  for (const auto& [index, calls] : unknown) {
    program_.warnings.push_back("unknown function " + program_.functions[index] + " (" +
                                calls_text(calls) + ")");
  }
  warn_of_recording();
  if (missing_weights_ > 0) {
    program_.warnings.push_back(
        "the trace was recorded without the weights of setelw_ or genblk_ (" +
        calls_text(missing_weights_) + "): equal weights are used");
  }
  if (program_.process_count > 1) {
    program_.warnings.push_back(name_ + " is one of " + std::to_string(program_.process_count) +
                                " traces of a run on several processes: the work of the others "
                                "is missing unless they are merged");
  }
}

}  // namespace gridcast::trace
