#include "raw_trace.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <ostream>
#include <system_error>

#include "gridcast/base/byte_source.h"
#include "gridcast/base/error.h"
#include "gridcast/base/line_reader.h"
#include "gridcast/trace/event_line.h"

namespace gridcast::trace {
namespace {

/// Distributes the lines of a trace over the calls that its reading has found.
class TextCollector {
public:
  explicit TextCollector(RawTrace& trace) : trace_(trace) {
    trace_.call_texts.resize(trace_.size());
  }

  void take_line(std::string_view line, std::size_t number) {
    bool damaged = false;
    const auto event = parse_event_line(line, damaged);
    if (next_ < trace_.size() && trace_.record(next_).trace_line == number) {
      close_call();
      current_ = next_++;
      section_ = &call_;
    } else if (!current_) {
      trace_.preamble.append(line).push_back('\n');
    } else if (event) {
      take_event(*event, line);
    } else if (section_ != nullptr && !line.starts_with(note_mark)) {
      section_->append(line).push_back('\n');
    }
  }

  void finish() {
    close_call();
    if (trace_.ending.empty()) {
      trace_.exit_at = trace_.size();
    }
  }

private:
  void take_event(const EventLine& event, std::string_view line) {
    section_ = nullptr;
    if (event.kind == EventKind::event) {
      if (event.name == "dvm_exit" && trace_.ending.empty()) {
        trace_.ending.append(line).push_back('\n');
        trace_.exit_at = next_;
        section_ = &trace_.ending;
      }
    } else if (event.kind == EventKind::ret && event.name == trace_.function(*current_)) {
      // Of nested calls of one function the last return is that of the outermost.
      result_.clear();
      section_ = &result_;
    }
  }

  void close_call() {
    if (current_) {
      trace_.call_texts[*current_] = {.call = trace_.texts.index_of(call_),
                                      .result = trace_.texts.index_of(result_)};
    }
    call_.clear();
    result_.clear();
  }

  RawTrace& trace_;
  std::size_t next_ = 0;
  std::optional<std::size_t> current_;
  std::string call_, result_;
  std::string* section_ = nullptr;
};

void append_seconds(std::string& text, double seconds) {
  std::array<char, 64> digits{};
  char* const last = digits.data() + digits.size();
  auto end = std::to_chars(digits.data(), last, seconds, std::chars_format::fixed, 8);
  double read = 0.0;
  std::from_chars(digits.data(), end.ptr, read);
  if (end.ec != std::errc{} || read != seconds) {
    end = std::to_chars(digits.data(), last, seconds, std::chars_format::fixed);
  }
  if (end.ec != std::errc{}) {
    end = std::to_chars(digits.data(), last, seconds);
  }
  text.append(digits.data(), end.ptr);
}

void pad(std::string& text, std::size_t width, std::size_t from) {
  text.append(std::max<std::size_t>(1, width - std::min(width, text.size() - from)), ' ');
}

}  // namespace

std::uint32_t TextPool::index_of(std::string_view text) {
  const auto next = static_cast<std::uint32_t>(texts_.size());
  const auto [entry, is_new] = indices_.emplace(text, next);
  if (is_new) {
    texts_.push_back(&entry->first);
  }
  return entry->second;
}

RawTrace read_raw_trace(const std::filesystem::path& path, const ReadOptions& options) {
  RawTrace trace;
  trace.program = read_program(path, options);
  const std::string name = path.string();
  const auto source = open_source(path, name);
  LineReader lines(*source, name);
  TextCollector collector(trace);
  while (const auto line = lines.next()) {
    collector.take_line(*line, lines.line());
  }
  collector.finish();
  if (trace.size() == 0) {
    throw InputError(name, 0, "the trace has no call after ret_dvm_Init",
                     "expected the trace of a program that calls the run-time library");
  }
  return trace;
}

void TraceWriter::text(std::string_view lines) {
  out_ << lines;
  if (!lines.empty() && lines.back() != '\n') {
    out_ << '\n';
  }
}

void TraceWriter::event(std::string_view mark, std::string_view name, double time,
                        const WrittenCall& place) {
  constexpr std::size_t name_width = 27;
  constexpr std::size_t line_width = 12;
  buffer_.assign(mark).append(name);
  pad(buffer_, name_width, 0);
  buffer_.append("TIME=");
  append_seconds(buffer_, time);
  buffer_.push_back(' ');
  const std::size_t column = buffer_.size();
  buffer_.append("LINE=").append(std::to_string(place.line));
  pad(buffer_, line_width, column);
  buffer_.append("FILE=").append(place.file).push_back('\n');
  out_ << buffer_;
}

void TraceWriter::call(const WrittenCall& call, std::string_view parameters,
                       std::string_view results) {
  if (!out_) {
    finish(call.file);  // a full disk need not wait for the end of a long trace
  }
  event("call_", call.function, call.call_time, call);
  text(parameters);
  event("ret_", call.function, call.ret_time, call);
  text(results);
}

void TraceWriter::finish(std::string_view name) {
  out_.flush();
  if (!out_) {
    throw RunError(name, "the trace could not be written completely",
                   "check the free space and the permissions");
  }
}

std::string place_of(const RawTrace& trace, std::size_t record) {
  return trace.program.trace_file + ":" + std::to_string(trace.record(record).trace_line);
}

std::string call_of(const RawTrace& trace, std::size_t record) {
  return trace.function(record) + " (" + trace.file(record) + ", line " +
         std::to_string(trace.place(record).line) + ")";
}

namespace {

/// Which source file of one trace stands for which of another: one for one.
class FilePairs {
public:
  /// False if one of the two is already the partner of a third.
  bool pair(std::uint32_t first, std::uint32_t other) {
    return forward_.emplace(first, other).first->second == other &&
           backward_.emplace(other, first).first->second == first;
  }

  /// Sentences about those whose names differ, in the order of the first trace's files.
  [[nodiscard]] std::vector<std::string> taken_for_one(const RawTrace& first,
                                                       const RawTrace& other) const {
    std::vector<std::string> sentences;
    for (const auto& [own, theirs] : forward_) {
      const std::string& name = first.program.files[own];
      if (name != other.program.files[theirs]) {
        sentences.push_back(other.program.trace_file + ": source file " +
                            other.program.files[theirs] + " is taken for " + name + " of " +
                            first.program.trace_file);
      }
    }
    return sentences;
  }

private:
  std::map<std::uint32_t, std::uint32_t> forward_, backward_;
};

[[noreturn]] void fail_at(const RawTrace& first, const RawTrace& other, std::size_t i,
                          const std::string& remedy) {
  throw InputError(
      other.program.trace_file, other.record(i).trace_line,
      "calls " + call_of(other, i) + " where " + place_of(first, i) + " calls " + call_of(first, i),
      remedy);
}

FilePairs paired_files(const RawTrace& first, const RawTrace& other, std::size_t calls,
                       const std::string& remedy) {
  FilePairs pairs;
  for (std::size_t i = 0; i < calls; ++i) {
    if (first.function(i) != other.function(i) || first.place(i).line != other.place(i).line ||
        !pairs.pair(first.place(i).file, other.place(i).file)) {
      fail_at(first, other, i, remedy);
    }
  }
  return pairs;
}

}  // namespace

std::vector<std::string> require_same_calls(const std::vector<RawTrace>& traces,
                                            const std::string& count_remedy) {
  const RawTrace& first = traces.front();
  std::vector<std::string> taken_for_one;
  for (std::size_t t = 1; t < traces.size(); ++t) {
    const RawTrace& other = traces[t];
    const std::size_t common = std::min(first.size(), other.size());
    const FilePairs pairs = paired_files(first, other, common, count_remedy);
    if (first.size() != other.size()) {
      const RawTrace& longer = first.size() > common ? first : other;
      throw InputError(longer.program.trace_file, longer.record(common).trace_line,
                       "goes on with " + call_of(longer, common) + " where the calls of " +
                           (first.size() > common ? other : first).program.trace_file + " end (" +
                           std::to_string(longer.size()) + " and " + std::to_string(common) +
                           " calls)",
                       count_remedy);
    }
    const std::vector<std::string> sentences = pairs.taken_for_one(first, other);
    taken_for_one.insert(taken_for_one.end(), sentences.begin(), sentences.end());
  }
  return taken_for_one;
}

}  // namespace gridcast::trace
