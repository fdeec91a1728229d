#include "gridcast/trace/consistency.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "gridcast/base/error.h"

namespace gridcast::trace {
namespace {

/// What can be on its way between a start and a wait.
enum class Transfer : std::uint8_t { shadow, reduction, copy, buffer, buffer_group };

constexpr std::array<const char*, 5> transfer_names{"exchange of edges", "reduction", "copy",
                                                    "loading of a buffer",
                                                    "loading of a group of buffers"};

/// What ends the intervals that a function begins.
constexpr const char* end_of(IntervalType type) {
  return type == IntervalType::user ? "einter_" : "enloop_";
}

/// A communication that was started: a source that has no sink yet.
struct UnderWay {
  const Record* start = nullptr;
  bool by_halves = false;  ///< sendsh_ or recvsh_: the other half may follow
};

struct LoopState {
  const Record* made = nullptr;
  bool mapped = false;
  bool more_portions = false;  ///< the last dopl_ said that another follows
};

class OrderCheck {
public:
  explicit OrderCheck(const Program& program) : program_(program) {}

  std::vector<Finding> run() {
    for (const Record& record : program_.records) {
      record_ = &record;
      std::visit([this](const auto& call) { take(call); }, program_.calls[record.call]);
    }
    report_left_open();
    if (data_ != nullptr && !distributed_) {
      report_at(*data_, "is of a program that distributes nothing (expected distr_ of a template)");
    }
    return std::move(findings_);
  }

private:
  template <class Other>
  void take(const Other& /*call*/) {}

  void take(const BeginInterval& call) {
    const bool inside = std::ranges::any_of(
        intervals_, [](const auto& open) { return open.second == IntervalType::parallel; });
    if (inside && call.type == IntervalType::parallel) {
      report("opens the interval of a parallel loop inside another, which is never closed" +
             since(*intervals_.back().first));
      intervals_.pop_back();
    }
    first_interval_ = first_interval_ == nullptr ? record_ : first_interval_;
    intervals_.push_back({record_, call.type});
  }
  void take(const EndInterval& /*call*/) {
    if (intervals_.empty()) {
      report("closes an interval that was not opened");
      return;
    }
    const auto& [begin, type] = intervals_.back();
    if (program_.function_of(*record_) != end_of(type)) {
      report("closes the interval of " + program_.function_of(*begin) + since(*begin) +
             " (expected " + end_of(type) + ")");
    }
    intervals_.pop_back();
  }
  void take(const RunTask& call) {
    if (call.runs) {
      tasks_.push_back(record_);
    }
  }
  void take(const StopTask& /*call*/) {
    if (tasks_.empty()) {
      report("leaves a task that was not entered");
    } else {
      tasks_.pop_back();
    }
  }
  void take(const BeginIoStatement& /*call*/) {
    if (statement_ != nullptr) {
      report("begins a statement of input or output inside another" + since(*statement_));
    }
    statement_ = record_;
  }
  void take(const EndIoStatement& /*call*/) {
    if (statement_ == nullptr) {
      report("ends a statement of input or output that was not begun");
    }
    statement_ = nullptr;
  }

  void take(const StartReduction& call) { start(Transfer::reduction, call.group); }
  void take(const WaitReduction& call) { wait(Transfer::reduction, call.group); }
  void take(const StartShadow& call) { start(Transfer::shadow, call.group); }
  void take(const SendShadow& call) { start_half(call.group); }
  void take(const ReceiveShadow& call) { start_half(call.group); }
  void take(const WaitShadow& call) { wait(Transfer::shadow, call.group); }
  void take(const LoadBuffer& call) { start(Transfer::buffer, call.buffer); }
  void take(const WaitBuffer& call) { wait(Transfer::buffer, call.buffer); }
  void take(const LoadBufferGroup& call) { start(Transfer::buffer_group, call.group); }
  void take(const WaitBufferGroup& call) { wait(Transfer::buffer_group, call.group); }
  void take(const WaitCopy& call) { wait(Transfer::copy, call.flag); }
  void take(const ElementAccess& call) { check_sections(call.from, call.to); }
  void take(const CopyArrays& call) {
    check_sections(call.from, call.to);
    if (call.flag != no_object) {
      start(Transfer::copy, call.flag);
    }
  }
  void take(const ExportFirst& call) { start(Transfer::shadow, call.group); }
  void take(const ImportLast& call) { wait(Transfer::shadow, call.group); }

  void take(const DeleteShadowGroup& call) { deleted(Transfer::shadow, call.group); }
  void take(const DeleteReductionGroup& call) { deleted(Transfer::reduction, call.group); }
  void take(const DeleteBuffer& call) { deleted(Transfer::buffer, call.buffer); }
  void take(const DeleteBufferGroup& call) { deleted(Transfer::buffer_group, call.group); }

  void take(const InsertShadow& call) { changed(Transfer::shadow, call.group); }
  void take(const InsertReduction& call) { changed(Transfer::reduction, call.group); }
  void take(const InsertBuffer& call) { changed(Transfer::buffer_group, call.group); }

  void take(const CreateTemplate& /*call*/) { has_data(); }
  void take(const CreateArray& call) {
    has_data();
    extents_[call.result] = call.extents;
  }
  void take(const Distribute& /*call*/) { distributed_ = true; }
  void take(const Redistribute& /*call*/) { distributed_ = true; }

  void take(const CreateLoop& call) {
    has_data();
    LoopState& loop = loops_[call.result];
    if (loop.made != nullptr) {
      report_at(*loop.made, "makes a loop that never ends (expected endpl_)");
    }
    loop = {record_, false, false};
  }
  void take(const MapLoop& call) {
    loops_[call.loop].mapped = true;
    if (const auto zero = std::ranges::find(call.step, 0); zero != call.step.end()) {
      report("has InStepArray[" + std::to_string(zero - call.step.begin()) +
             "]=0 (expected a step other than 0)");
    }
  }
  void take(const RunLoop& call) {
    LoopState& loop = loops_[call.loop];
    if (!loop.mapped) {
      report("runs a loop that was not mapped (expected mappl_ before)");
      loop.mapped = true;  // once is enough
    }
    loop.more_portions = call.continues;
    across_ = nullptr;
  }
  void take(const EndLoop& call) {
    const LoopState& loop = loops_[call.loop];
    if (loop.more_portions) {
      report("ends a loop after a portion that is not the last (expected dopl_ until DoPL=0)");
    }
    if (across_ != nullptr) {
      report("ends a loop that was never run although it is pipelined" + since(*across_));
      across_ = nullptr;
    }
    loops_.erase(call.loop);
  }
  void take(const Across& /*call*/) { across_ = record_; }

  void has_data() { data_ = data_ == nullptr ? record_ : data_; }

  void check_sections(const Section& from, const Section& to) {
    check_section(from);
    check_section(to);
  }

  /// Indices are within the array ([Predictor2010 §4.5]); -1 is the whole dimension.
  void check_section(const Section& section) {
    const auto found = extents_.find(section.array);
    if (found == extents_.end()) {
      return;
    }
    const Extents& extents = found->second;
    for (std::size_t i = 0; i < std::min(section.first.size(), extents.size()); ++i) {
      const std::int64_t least = std::min(section.first[i], section.last[i]);
      const std::int64_t most = std::max(section.first[i], section.last[i]);
      if (section.first[i] != -1 && (least < 0 || most >= extents[i])) {
        report("uses a section from " + std::to_string(section.first[i]) + " to " +
               std::to_string(section.last[i]) + " of dimension " + std::to_string(i + 1) +
               ", which has the indices 0 to " + std::to_string(extents[i] - 1) +
               " (expected indices within the array)");
      }
    }
  }

  using Key = std::pair<Transfer, Slot>;

  static const char* name_of(const Key& key) {
    return transfer_names[static_cast<std::size_t>(key.first)];
  }

  void start(Transfer kind, Slot slot) {
    const Key key{kind, slot};
    if (const auto found = under_way_.find(key); found != under_way_.end()) {
      report("starts the " + std::string(name_of(key)) + " again before it is waited for" +
             since(*found->second.start));
    }
    under_way_[key] = {record_, false};
  }

  void start_half(Slot group) {
    const Key key{Transfer::shadow, group};
    const auto found = under_way_.find(key);
    if (found != under_way_.end() && found->second.by_halves) {
      found->second.by_halves = false;  // both halves are under way
      return;
    }
    start(Transfer::shadow, group);
    under_way_[key].by_halves = true;
  }

  void wait(Transfer kind, Slot slot) {
    if (under_way_.erase({kind, slot}) == 0) {
      report("waits for the " + std::string(name_of({kind, slot})) +
             " that was not started (a sink without a source)");
    }
  }

  void deleted(Transfer kind, Slot slot) {
    const Key key{kind, slot};
    if (const auto found = under_way_.find(key); found != under_way_.end()) {
      report("deletes what the " + std::string(name_of(key)) + " still uses" +
             since(*found->second.start));
      under_way_.erase(found);
    }
  }

  void changed(Transfer kind, Slot slot) {
    const Key key{kind, slot};
    if (const auto found = under_way_.find(key); found != under_way_.end()) {
      report("changes the group of the " + std::string(name_of(key)) + " that is under way" +
             since(*found->second.start));
    }
  }

  [[nodiscard]] static std::string since(const Record& record) {
    return " (since line " + std::to_string(record.trace_line) + ")";
  }

  void report(const std::string& problem) { report_at(*record_, problem); }
  void report_at(const Record& record, const std::string& problem) {
    findings_.push_back(
        {program_.trace_file, record.trace_line, program_.function_of(record) + " " + problem});
  }

  void report_left_open() {
    for (const auto& [key, transfer] : under_way_) {
      report_at(*transfer.start, "starts the " + std::string(name_of(key)) +
                                     " that is never waited for (a source without a sink)");
    }
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
      // The library of Fortran opens an interval around the whole program and leaves it open.
      const bool whole_program = intervals_[i].first == first_interval_ &&
                                 intervals_[i].second == IntervalType::sequential;
      if (!whole_program) {
        report_at(*intervals_[i].first, "opens an interval that is never closed");
      }
    }
    for (const Record* task : tasks_) {
      report_at(*task, "enters a task that is never left (expected stopam_)");
    }
    if (statement_ != nullptr) {
      report_at(*statement_, "begins a statement of input or output that never ends");
    }
    for (const auto& [slot, loop] : loops_) {
      if (loop.made != nullptr) {
        report_at(*loop.made, "makes a loop that never ends (expected endpl_)");
      }
    }
  }

  const Program& program_;
  const Record* record_ = nullptr;
  std::vector<std::pair<const Record*, IntervalType>> intervals_;
  std::vector<const Record*> tasks_;
  const Record* first_interval_ = nullptr;
  const Record* statement_ = nullptr;
  const Record* across_ = nullptr;
  const Record* data_ = nullptr;  ///< the first template, array or loop
  bool distributed_ = false;
  std::map<Key, UnderWay> under_way_;
  std::map<Slot, LoopState> loops_;
  std::map<Slot, Extents> extents_;  ///< of arrays
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_order(const Program& program) { return OrderCheck(program).run(); }

Checked check_trace(const std::filesystem::path& path) {
  Checked result;
  ReadOptions options;
  options.findings = &result.findings;
  result.program = read_program(path, options);
  const std::vector<Finding> order = check_order(*result.program);
  result.findings.insert(result.findings.end(), order.begin(), order.end());
  std::ranges::stable_sort(result.findings, {}, &Finding::line);
  return result;
}

}  // namespace gridcast::trace
