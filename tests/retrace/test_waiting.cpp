/// Merging takes out the waiting of a run on several processes: process sets with known waiting.

#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "gridcast/retrace/merge.h"
#include "process_traces.h"

using namespace gridcast;
using namespace gridcast::trace;
using namespace gridcast::trace::test;

namespace {

constexpr int processes = 4;
constexpr int iterations = 6;

/// Return times in the serial run, seconds, of the functions that an iteration calls.
const std::map<std::string, double>& serial_returns() {
  static const std::map<std::string, double> all = {
      {"strtrd_", 3e-6}, {"waitrd_", 1e-6},  {"strtsh_", 2.5e-6}, {"waitsh_", 1e-6},
      {"recvsh_", 1e-6}, {"sendsh_", 2e-6},  {"across_", 4e-6},   {"bsynch_", 1e-6},
      {"exfrst_", 1e-6}, {"imlast_", 1e-6},  {"dopl_", 1.5e-6},   {"endpl_", 2e-6},
      {"crtpl_", 2e-6},  {"loadrb_", 30e-6}, {"waitrb_", 1e-6},   {"mapam_", 40e-6}};
  return all;
}

/// A trace as a process of a run writes it: the serial times plus what it waits.
class Recorder {
public:
  Recorder(int process, std::uint32_t seed) : process_(process), random_(seed) {}

  /// `free`: the process that does not wait in this call; -1: all wait.
  void call(const std::string& name, int free, const std::string& parameters,
            const std::string& results = {}, int line = 20) {
    const double own = serial_returns().at(name);
    const double waits = free == process_ ? 0.0 : waiting();
    text_ += event(name, "0.000001", number(own + waits), parameters, results, line);
  }

  void plain(const std::string& text) { text_ += text; }

  [[nodiscard]] const std::string& text() const { return text_; }

private:
  static std::string number(double value) {
    std::ostringstream out;
    out.precision(12);
    out << std::fixed << value;
    return out.str();
  }
  double waiting() { return 1e-5 + 1e-6 * static_cast<double>(random_() % 2000); }

  int process_;
  std::mt19937 random_;
  std::string text_;
};

/// Everything that exchanges, some times over. In reductions and exchanges of edges all processes
/// wait, but for one execution; in the others one process (another one each time) does not.
std::string exchanging(int process) {
  const std::string own(1, static_cast<char>('a' + process));
  Recorder recorder(process, 17U + static_cast<std::uint32_t>(process));
  recorder.plain(loop_over_array(own) +
                 event("crtshg_", "0", "0", "StaticSign=1;", "ShadowGroupRef=" + own + "d0;") +
                 event("crtrg_", "0", "0", "StaticSign=1;", "RedGroupRef=" + own + "d1;") +
                 event("crtrbl_", "0", "0",
                       "RemArrayHeader=" + own + "a0; BufferHeader=" + own + "b0; LoopRef=" + own +
                           "10;\nAxisArray[0]=1;\nCoeffArray[0]=1;\nConstArray[0]=0;",
                       "BufferHandlePtr=" + own + "b1;") +
                 event("getam_", "0", "0", {}, "AMRef=" + own + "e0;"));
  const std::string shadow = "ShadowGroupRef=" + own + "d0;";
  const std::string reduction = "RedGroupRef=" + own + "d1;";
  const std::string loop = "LoopRef=" + own + "10;";
  for (int k = 0; k < iterations; ++k) {
    const int free = k % processes;
    const int seldom = k == 2 ? free : -1;
    for (const std::string name : {"strtsh_", "waitsh_", "recvsh_", "sendsh_"}) {
      recorder.call(name, seldom, shadow);
    }
    recorder.call("strtrd_", seldom, reduction);
    recorder.call("waitrd_", seldom, reduction);
    recorder.call("bsynch_", seldom, {});
    recorder.call("loadrb_", free, "BufferHeader=" + own + "b0;");
    recorder.call("waitrb_", free, "BufferHeader=" + own + "b0;");
    recorder.call("mapam_", free, "AMRef=" + own + "e0; PSRef=0;");
    for (const std::string kind : {"across_", "exfrst_", "imlast_"}) {
      const int line = kind == "across_" ? 31 : kind == "exfrst_" ? 32 : 33;
      recorder.plain(event("crtpl_", "0", "0", "Rank=1;", "LoopRef=" + own + "10;"));
      recorder.call(kind, kind == "across_" ? seldom : process,
                    kind == "across_" ? "OldShadowGroupRef=0; NewShadowGroupRef=" + own + "d0;"
                                      : loop + " " + shadow,
                    {}, line);
      recorder.call("dopl_", process, loop, "DoPL=1;", line);
      recorder.call("dopl_", seldom, loop, "DoPL=1;", line);
      recorder.call("dopl_", seldom, loop, "DoPL=0;", line);
      recorder.call("endpl_", seldom, loop, {}, line);
    }
  }
  return recorder.text();
}

Program merged_exchanges(MergeResult& result) {
  const Directory directory;
  std::vector<std::filesystem::path> members;
  for (int p = 0; p < processes; ++p) {
    members.push_back(directory.file(
        "p" + std::to_string(p) + "_" + std::to_string(p) + ".ptr",
        preamble_on(processes, "1", std::to_string(processes)) + exchanging(p) + ending));
  }
  std::ostringstream out;
  result = merge_traces(members, out);
  return parse_program(out.str(), "merged.ptr");
}

}  // namespace

TEST_CASE("no waiting is left in the return times of calls that exchange") {
  MergeResult result;
  const Program program = merged_exchanges(result);
  std::map<std::string, int> seen;
  double left_out = 0.0;
  for (const Record& record : program.records) {
    const std::string& function = program.function_of(record);
    if (record.ret_time > 0.0) {
      INFO(function << " in line " << program.places[record.place].line);
      CHECK(record.ret_time == Approx(serial_returns().at(function)).epsilon(1e-6));
      ++seen[function];
    }
  }
  for (const auto& [function, time] : serial_returns()) {
    INFO(function);
    CHECK((function == "crtpl_" || seen[function] >= iterations));
  }
  // What was left out is the mean of what the processes waited.
  for (int p = 0; p < processes; ++p) {
    const Program own = parse_program(
        preamble_on(processes, "1", std::to_string(processes)) + exchanging(p) + ending, "p.ptr");
    for (const Record& record : own.records) {
      const auto serial = serial_returns().find(own.function_of(record));
      if (record.ret_time > 0.0 && serial != serial_returns().end()) {
        left_out += (record.ret_time - serial->second) / processes;
      }
    }
  }
  CHECK(result.waiting == Approx(left_out).epsilon(0.01));
}

TEST_CASE("work that differs between the processes is averaged, not taken for waiting") {
  const Directory directory;
  const auto calls = [](const std::string& own, const std::string& time) {
    return loop_over_array(own) + portion(own, "0", true, time) + portion(own, "1", false, time) +
           event("endpl_", "0", time, "LoopRef=" + own + "10;") + event("getsiz_", "0", time) +
           event("dvm_void_printf", "0", time);
  };
  const std::string start = preamble_on(2, "1", "2");
  const std::vector<std::filesystem::path> members = {
      directory.file("p0_0.ptr", start + calls("a", "2") + ending),
      directory.file("p1_1.ptr", start + calls("b", "6") + ending)};
  std::ostringstream out;
  const MergeResult result = merge_traces(members, out);
  const Program program = parse_program(out.str(), "merged.ptr");
  int averaged = 0;
  for (const Record& record : program.records) {
    averaged += record.ret_time == 4.0 ? 1 : 0;
  }
  CHECK(averaged == 5);
  CHECK(result.waiting == 0.0);
}

TEST_CASE("copying that grows from call to call is not taken for waiting") {
  const Directory directory;
  const auto calls = [](const std::string& own, int waits_in) {
    std::string text =
        loop_over_array(own) +
        event("crtrbl_", "0", "0",
              "RemArrayHeader=" + own + "a0; BufferHeader=" + own + "b0; LoopRef=" + own +
                  "10;\nAxisArray[0]=1;\nCoeffArray[0]=1;\nConstArray[0]=0;",
              "BufferHandlePtr=" + own + "b1;");
    for (int k = 1; k <= 3; ++k) {
      text += event("loadrb_", "0", std::to_string(k + (k == waits_in ? 9 : 0)),
                    "BufferHeader=" + own + "b0;");
    }
    return text;
  };
  const std::string start = preamble_on(2, "1", "2");
  std::ostringstream out;
  merge_traces(
      std::vector<std::filesystem::path>{
          directory.file("p0_0.ptr", start + calls("a", 1) + ending),
          directory.file("p1_1.ptr", start + calls("b", 2) + ending)},
      out);
  const Program program = parse_program(out.str(), "merged.ptr");
  const auto loads = records_of(program, "loadrb_");
  REQUIRE(loads.size() == 3);
  for (std::size_t k = 0; k < loads.size(); ++k) {
    CHECK(loads[k].ret_time == static_cast<double>(k + 1));
  }
}

TEST_CASE("times below the resolution of the clock are no measurement of what a call costs") {
  // A microsecond on average: a short event takes what it lacks off a later one.
  const Directory directory;
  const auto calls = [](const std::string& own, const std::string& second) {
    const std::string group = "RedGroupRef=" + own + "d1;";
    return event("crtrg_", "0", "0", "StaticSign=1;", group) +
           event("strtrd_", "0", "0.000002", group) + event("strtrd_", "0", second, group) +
           event("strtrd_", "0", "0.0005", group);
  };
  const std::string start = preamble_on(2, "1", "2");
  std::ostringstream out;
  merge_traces(
      std::vector<std::filesystem::path>{
          directory.file("p0_0.ptr", start + calls("a", "0.00000005") + ending),
          directory.file("p1_1.ptr", start + calls("b", "0.000001") + ending)},
      out);
  const auto starts = records_of(parse_program(out.str(), "merged.ptr"), "strtrd_");
  REQUIRE(starts.size() == 3);
  CHECK(starts[0].ret_time == Approx(1e-6));
  CHECK(starts[1].ret_time == Approx(0.05e-6));
  CHECK(starts[2].ret_time == Approx(1e-6));
}

TEST_CASE("the trace of one process keeps its times when it is merged alone") {
  const Directory directory;
  const auto path =
      directory.file("one.ptr", preamble_on(1, "1", "1") +
                                    event("crtrg_", "0", "0", "StaticSign=1;", "RedGroupRef=d1;") +
                                    event("strtrd_", "0", "5", "RedGroupRef=d1;") +
                                    event("strtrd_", "0", "2", "RedGroupRef=d1;") + ending);
  std::ostringstream out;
  merge_traces(std::vector<std::filesystem::path>{path}, out);
  const auto starts = records_of(parse_program(out.str(), "merged.ptr"), "strtrd_");
  REQUIRE(starts.size() == 2);
  CHECK(starts[0].ret_time == 5.0);
  CHECK(starts[1].ret_time == 2.0);
}
