/// Compares the collective calls of the processes of a run.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>

#include "gridcast/trace/consistency.h"

namespace gridcast::trace {
namespace {

/// A collective call of one process.
struct Collective {
  std::string place;      ///< function, source file and line
  std::string signature;  ///< what it moves; the same in all processes
  std::size_t line = 0;   ///< in the trace
};

using Sequence = std::vector<Collective>;

/// The collectives of one process: those of the whole set, and those of each task that it runs.
struct ProcessCalls {
  Sequence all;
  std::map<std::size_t, Sequence> of_task;  ///< by the number of the runam_
};

class CollectiveReader {
public:
  explicit CollectiveReader(const Program& program) : program_(program) {}

  ProcessCalls run() {
    for (const Record& record : program_.records) {
      record_ = &record;
      std::visit([this](const auto& call) { take(call); }, program_.calls[record.call]);
    }
    return std::move(calls_);
  }

private:
  template <class Other>
  void take(const Other& /*call*/) {}

  void take(const RunTask& call) {
    if (depth_ == 0) {
      task_ = entered_++;
    }
    depth_ += call.runs ? 1 : 0;
  }
  void take(const StopTask& /*call*/) { depth_ -= depth_ > 0 ? 1 : 0; }

  void take(const CreateArray& call) { extents_[call.result] = call.extents; }
  void take(const CreateReduction& call) {
    reductions_[call.result] = fmt::format("{}*{}+{};", call.element_size, call.length, call.extra);
  }
  void take(const CreateReductionGroup& call) { groups_[{'r', call.result}].clear(); }
  void take(const InsertReduction& call) {
    groups_[{'r', call.group}] += reductions_[call.reduction];
  }
  void take(const StartReduction& call) { add(groups_[{'r', call.group}]); }
  void take(const WaitReduction& call) { add(groups_[{'r', call.group}]); }
  void take(const CreateShadowGroup& call) { groups_[{'s', call.result}].clear(); }
  void take(const InsertShadow& call) {
    groups_[{'s', call.group}] +=
        fmt::format("{}:{}:{}:{};", fmt::join(extents_[call.array], ","), fmt::join(call.low, ","),
                    fmt::join(call.high, ","), call.edge_bytes);
  }
  void take(const StartShadow& call) { add(groups_[{'s', call.group}]); }
  void take(const WaitShadow& call) { add(groups_[{'s', call.group}]); }
  void take(const ExportFirst& call) { add(groups_[{'s', call.group}]); }
  void take(const Across& call) {
    add(call.new_values == no_object ? "" : groups_[{'s', call.new_values}]);
  }
  void take(const Redistribute& call) {
    add(fmt::format("{} {}", fmt::join(call.axes, ","), call.new_values));
  }
  void take(const Realign& call) {
    add(fmt::format("{} {} {} {}", fmt::join(call.rule.axes, ","),
                    fmt::join(call.rule.coefficients, ","), fmt::join(call.rule.constants, ","),
                    call.new_values));
  }
  void take(const CopyArrays& call) { add(section(call.from) + section(call.to)); }
  void take(const WaitCopy& /*call*/) { add(""); }
  void take(const LoadBuffer& /*call*/) { add(""); }
  void take(const WaitBuffer& /*call*/) { add(""); }
  void take(const LoadBufferGroup& /*call*/) { add(""); }
  void take(const WaitBufferGroup& /*call*/) { add(""); }

  [[nodiscard]] std::string section(const Section& part) {
    return part.array == no_object
               ? "memory;"
               : fmt::format("{}:{}:{};", fmt::join(part.first, ","), fmt::join(part.last, ","),
                             fmt::join(part.step, ","));
  }

  [[nodiscard]] std::string place_of(const Record& record) const {
    return fmt::format("{} ({}:{})", program_.function_of(record), program_.file_of(record),
                       program_.places[record.place].line);
  }

  void add(std::string signature) {
    Sequence& sequence = depth_ > 0 ? calls_.of_task[task_] : calls_.all;
    sequence.push_back({place_of(*record_), std::move(signature), record_->trace_line});
  }

  const Program& program_;
  const Record* record_ = nullptr;
  ProcessCalls calls_;
  int depth_ = 0;
  std::size_t task_ = 0;
  std::size_t entered_ = 0;
  std::map<Slot, Extents> extents_;
  std::map<Slot, std::string> reductions_;
  std::map<std::pair<char, Slot>, std::string> groups_;
};

/// One process beside the first of its set.
class Comparison {
public:
  Comparison(const Program& first, const Program& other, std::vector<Finding>& findings)
      : first_(first), other_(other), findings_(findings) {}

  /// Walks along both; after a difference, on from where they agree again with the fewest calls
  /// left out.
  void compare(const Sequence& a, const Sequence& b) const {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() || j < b.size()) {
      if (i < a.size() && j < b.size() && a[i].place == b[j].place) {
        if (a[i].signature != b[j].signature) {
          report(b[j].line, b[j].place + " moves something else than in " + at(a[i]));
        }
        ++i;
        ++j;
        continue;
      }
      const auto [ahead_a, ahead_b] = next_agreement(a, b, i, j);
      for (; i < ahead_a; ++i) {
        report(j < b.size() ? b[j].line : 0,
               "does not make the call " + a[i].place + " of " + at(a[i]));
      }
      for (; j < ahead_b; ++j) {
        report(b[j].line, b[j].place + " is not called in " + first_.trace_file);
      }
    }
  }

private:
  using Ahead = std::pair<std::size_t, std::size_t>;

  /// Among the nearest places where both agree that from which they agree longest; among those (of
  /// repetitions) that which leaves equally many calls on both sides.
  static Ahead next_agreement(const Sequence& a, const Sequence& b, std::size_t i, std::size_t j) {
    constexpr std::size_t farthest = 200;
    for (std::size_t distance = 1; distance <= farthest; ++distance) {
      Ahead best{a.size(), b.size()};
      std::pair<std::size_t, std::size_t> best_score{0, 0};
      for (std::size_t in_a = 0; in_a <= distance; ++in_a) {
        const Ahead ahead{i + in_a, j + distance - in_a};
        const std::size_t length = agreement(a, b, ahead);
        if (length == 0) {
          continue;
        }
        const std::size_t left_a = a.size() - ahead.first;
        const std::size_t left_b = b.size() - ahead.second;
        const std::size_t difference = left_a > left_b ? left_a - left_b : left_b - left_a;
        const std::pair score{length, a.size() + b.size() - difference};
        if (score > best_score) {
          best_score = score;
          best = ahead;
        }
      }
      if (best_score.first > 0) {
        return best;
      }
    }
    return {a.size(), b.size()};
  }

  static std::size_t agreement(const Sequence& a, const Sequence& b, const Ahead& from) {
    constexpr std::size_t enough = 16;
    std::size_t length = 0;
    while (length < enough && from.first + length < a.size() && from.second + length < b.size() &&
           a[from.first + length].place == b[from.second + length].place) {
      ++length;
    }
    return length;
  }

  [[nodiscard]] std::string at(const Collective& call) const {
    return first_.trace_file + ":" + std::to_string(call.line);
  }

  void report(std::size_t line, const std::string& problem) const {
    findings_.push_back({other_.trace_file, line, problem});
  }

  const Program& first_;
  const Program& other_;
  std::vector<Finding>& findings_;
};

}  // namespace

std::vector<Finding> check_processes(std::span<const Program> programs) {
  std::vector<Finding> findings;
  std::vector<ProcessCalls> calls;
  for (const Program& program : programs) {
    calls.push_back(CollectiveReader(program).run());
  }
  for (std::size_t k = 1; k < programs.size(); ++k) {
    Comparison(programs[0], programs[k], findings).compare(calls[0].all, calls[k].all);
    for (const auto& [task, sequence] : calls[k].of_task) {
      const auto first = std::ranges::find_if(
          calls, [task = task](const ProcessCalls& one) { return one.of_task.contains(task); });
      const auto number = static_cast<std::size_t>(first - calls.begin());
      if (number < k) {
        Comparison(programs[number], programs[k], findings)
            .compare(first->of_task.at(task), sequence);
      }
    }
  }
  return findings;
}

}  // namespace gridcast::trace
