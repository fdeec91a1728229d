#include "gridcast/nets/program_net.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "gridcast/base/error.h"

namespace gridcast::nets {
namespace {

using namespace gridcast::trace;

/// Calls that take no time in a trace take this in a net: transitions have rates.
constexpr double least_time = 1e-9;

/// What can be sent: kind and group, as in the calls.
using Message = std::pair<char, Slot>;

/// A call that matters to the structure.
struct NetCall {
  enum class Kind : std::uint8_t { local, loop, together };
  Kind kind = Kind::local;
  std::string name;               ///< function and place
  std::optional<Message> starts;  ///< what is on its way after it
  std::optional<Message> waits;   ///< what has arrived before it
  double seconds = 0.0;
  double count = 0.0;

  [[nodiscard]] bool is_same(const NetCall& other) const {
    return name == other.name && kind == other.kind && starts == other.starts &&
           waits == other.waits;
  }
};

class CallReader {
public:
  explicit CallReader(const Program& program) : program_(program) {}

  std::vector<NetCall> run() {
    double ordinary = 0.0;
    for (const Record& record : program_.records) {
      NetCall call;
      const bool matters =
          std::visit([&](const auto& one) { return take(one, call); }, program_.calls[record.call]);
      ordinary += record.call_time + record.ret_time;
      if (!matters) {
        continue;
      }
      call.name = fmt::format("{} {}:{}", program_.function_of(record), program_.file_of(record),
                              program_.places[record.place].line);
      call.seconds = ordinary;
      call.count = 1.0;
      ordinary = 0.0;
      push(std::move(call));
    }
    return std::move(calls_);
  }

private:
  using Kind = NetCall::Kind;

  template <class Other>
  static bool take(const Other& /*call*/, NetCall& /*made*/) {
    return false;
  }
  static bool start(NetCall& made, char kind, Slot slot) {
    made.kind = Kind::together;
    made.starts = Message{kind, slot};
    return true;
  }
  static bool wait(NetCall& made, char kind, Slot slot) {
    made.waits = Message{kind, slot};
    return true;
  }
  static bool together(NetCall& made) {
    made.kind = Kind::together;
    return true;
  }
  static bool take(const RunLoop& /*call*/, NetCall& made) {
    made.kind = Kind::loop;
    return true;
  }
  static bool take(const StartShadow& call, NetCall& made) { return start(made, 's', call.group); }
  static bool take(const ExportFirst& call, NetCall& made) { return start(made, 's', call.group); }
  static bool take(const WaitShadow& call, NetCall& made) { return wait(made, 's', call.group); }
  static bool take(const ImportLast& call, NetCall& made) { return wait(made, 's', call.group); }
  static bool take(const StartReduction& call, NetCall& made) {
    return start(made, 'r', call.group);
  }
  static bool take(const WaitReduction& call, NetCall& made) { return wait(made, 'r', call.group); }
  static bool take(const LoadBuffer& call, NetCall& made) { return start(made, 'b', call.buffer); }
  static bool take(const WaitBuffer& call, NetCall& made) { return wait(made, 'b', call.buffer); }
  static bool take(const LoadBufferGroup& call, NetCall& made) {
    return start(made, 'g', call.group);
  }
  static bool take(const WaitBufferGroup& call, NetCall& made) {
    return wait(made, 'g', call.group);
  }
  static bool take(const CopyArrays& call, NetCall& made) {
    return call.flag == no_object ? together(made) : start(made, 'c', call.flag);
  }
  static bool take(const WaitCopy& call, NetCall& made) { return wait(made, 'c', call.flag); }
  static bool take(const Redistribute& /*call*/, NetCall& made) { return together(made); }
  static bool take(const Realign& /*call*/, NetCall& made) { return together(made); }
  static bool take(const Across& /*call*/, NetCall& made) { return together(made); }

  /// Adds a call; if the last calls say the same as those before them, both become one.
  void push(NetCall call) {
    calls_.push_back(std::move(call));
    constexpr std::size_t longest = 64;
    for (std::size_t length = 1; length <= longest && 2 * length <= calls_.size(); ++length) {
      const std::size_t second = calls_.size() - length;
      const std::size_t first = second - length;
      bool same = true;
      for (std::size_t i = 0; i < length && same; ++i) {
        same = calls_[first + i].is_same(calls_[second + i]);
      }
      if (!same) {
        continue;
      }
      for (std::size_t i = 0; i < length; ++i) {
        calls_[first + i].seconds += calls_[second + i].seconds;
        calls_[first + i].count += calls_[second + i].count;
      }
      calls_.resize(second);
      return;
    }
  }

  const Program& program_;
  std::vector<NetCall> calls_;
};

class NetBuilder {
public:
  NetBuilder(const std::vector<NetCall>& calls, std::size_t processes)
      : calls_(calls), processes_(processes) {}

  Net run(const std::string& name) {
    net_.name = name;
    for (std::size_t p = 0; p < processes_; ++p) {
      for (std::size_t i = 0; i < calls_.size(); ++i) {
        net_.add_place(fmt::format("process {} before {} {}", p, i + 1, calls_[i].name),
                       i == 0 ? 1 : 0);
      }
    }
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      add(i);
    }
    return std::move(net_);
  }

private:
  [[nodiscard]] std::size_t place(std::size_t process, std::size_t call) const {
    return process * calls_.size() + call % calls_.size();
  }

  void add(std::size_t i) {
    const NetCall& call = calls_[i];
    const double seconds = std::max(least_time, call.seconds / call.count);
    if (call.kind == NetCall::Kind::together) {
      const std::size_t t =
          net_.add_transition(fmt::format("{} {}", i + 1, call.name), 1.0 / seconds);
      for (std::size_t p = 0; p < processes_; ++p) {
        net_.transitions[t].takes.push_back({place(p, i), 1});
        net_.transitions[t].gives.push_back({place(p, i + 1), 1});
      }
      if (call.starts && is_waited_for(i)) {
        send(i, t);
      }
      return;
    }
    const double share = call.kind == NetCall::Kind::loop
                             ? std::max(least_time, seconds / static_cast<double>(processes_))
                             : seconds;
    const auto arrived = call.waits ? arrived_.find(*call.waits) : arrived_.end();
    for (std::size_t p = 0; p < processes_; ++p) {
      const std::size_t t =
          net_.add_transition(fmt::format("{} {}, process {}", i + 1, call.name, p), 1.0 / share);
      net_.transitions[t].takes.push_back({place(p, i), 1});
      net_.transitions[t].gives.push_back({place(p, i + 1), 1});
      if (arrived != arrived_.end()) {
        net_.transitions[t].takes.push_back({arrived->second[p], 1});
      }
    }
    if (arrived != arrived_.end()) {
      arrived_.erase(arrived);
    }
  }

  /// Whether what a call starts is waited for before it is started again.
  [[nodiscard]] bool is_waited_for(std::size_t start) const {
    for (std::size_t i = start + 1; i < calls_.size(); ++i) {
      if (calls_[i].waits == calls_[start].starts) {
        return true;
      }
      if (calls_[i].starts == calls_[start].starts) {
        return false;
      }
    }
    return false;
  }

  /// What is sent is under way until one transition brings it to all.
  void send(std::size_t i, std::size_t start) {
    const std::size_t under_way = net_.add_place(fmt::format("{} under way", i + 1));
    net_.transitions[start].gives.push_back({under_way, 1});
    double seconds = least_time;
    for (std::size_t j = i + 1; j < calls_.size(); ++j) {
      if (calls_[j].waits == calls_[i].starts) {
        seconds = std::max(least_time, calls_[j].seconds / calls_[j].count);
        break;
      }
    }
    const std::size_t t = net_.add_transition(fmt::format("{} arrives", i + 1), 1.0 / seconds);
    net_.transitions[t].takes.push_back({under_way, 1});
    std::vector<std::size_t>& arrived = arrived_[*calls_[i].starts];
    arrived.clear();
    for (std::size_t p = 0; p < processes_; ++p) {
      arrived.push_back(net_.add_place(fmt::format("{} arrived, process {}", i + 1, p)));
      net_.transitions[t].gives.push_back({arrived.back(), 1});
    }
  }

  const std::vector<NetCall>& calls_;
  std::size_t processes_;
  Net net_;
  std::map<Message, std::vector<std::size_t>> arrived_;
};

}  // namespace

Net program_net(const trace::Program& program, std::size_t processes, std::size_t most_calls) {
  const std::vector<NetCall> calls = CallReader(program).run();
  if (calls.empty() || calls.size() > most_calls) {
    throw InputError(program.trace_file, 0,
                     calls.empty()
                         ? std::string("has no loop and no communication")
                         : "has " + std::to_string(calls.size()) + " different calls in a row",
                     "expected a program with 1 to " + std::to_string(most_calls));
  }
  return NetBuilder(calls, processes).run(program.trace_file);
}

NetAnalysis analyse_net(Net net) {
  NetAnalysis analysis;
  analysis.reachable = reachable_markings(net);
  analysis.steady = steady_state(net, analysis.reachable);
  analysis.net = std::move(net);
  return analysis;
}

}  // namespace gridcast::nets
