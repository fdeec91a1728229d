#include <catch2/catch.hpp>
#include <sstream>

#include "gridcast/retrace/merge.h"
#include "process_traces.h"

using namespace gridcast;
using namespace gridcast::trace;
using namespace gridcast::trace::test;

namespace {

namespace fs = std::filesystem;

Program merged(const std::vector<fs::path>& members) {
  std::ostringstream out;
  merge_traces(members, out);
  return parse_program(out.str(), "merged.ptr");
}

/// Two processes on a line that made these calls.
Program merged_pair(const std::string& first, const std::string& second) {
  const Directory directory;
  const std::string start = preamble_on(2, "1", "2");
  return merged({directory.file("p0_0.ptr", start + first + ending),
                 directory.file("p1_1.ptr", start + second + ending)});
}

template <class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Function and line of each call.
std::vector<std::pair<std::string, std::uint32_t>> sequence(const Program& program) {
  std::vector<std::pair<std::string, std::uint32_t>> calls;
  for (const Record& record : program.records) {
    calls.emplace_back(program.function_of(record), program.places[record.place].line);
  }
  return calls;
}

/// Without the first call: its time is the start of the processes (docs/model.md §2.11).
double without_startup(const Program& program) {
  return program.duration - program.records.front().call_time;
}

}  // namespace

TEST_CASE("merging averages, sums the shares of loops, takes the smallest wait") {
  const auto calls = [](const std::string& own, const std::string& times) {
    return event("getam_", "1", times, {}, "AMRef=" + own + "f0;") + loop_over_array(own) +
           portion(own, "0", true) + portion(own, times, false, times) +
           event("bsynch_", times, times);
  };
  const Program program = merged_pair(calls("a", "2"), calls("b", "6"));
  REQUIRE(program.records.size() == 10);
  CHECK(program.records[0].call_time == 1.0);
  CHECK(program.records[0].ret_time == 4.0);  // (2 + 6) / 2
  const auto portions = records_of(program, "dopl_");
  REQUIRE(portions.size() == 2);
  CHECK(portions[1].call_time == 8.0);  // 2 + 6: different blocks
  CHECK(portions[1].ret_time == 4.0);
  const auto barriers = records_of(program, "bsynch_");
  CHECK(barriers[0].call_time == 4.0);
  CHECK(barriers[0].ret_time == 2.0);
}

TEST_CASE("a merged trace reads as one of a run on one process with a virtual grid") {
  const Program program = merged_pair(event("getsiz_", "1", "1"), event("getsiz_", "1", "1"));
  CHECK(program.process_count == 1);
  CHECK(program.traced_grid == std::vector<std::int64_t>{2});
  CHECK(program.warnings.empty());
}

TEST_CASE("processes that hold the same block are averaged before the sum") {
  // Grid 2x2, the template over its first dimension only: 0 and 1 hold a block, 2 and 3 the other.
  const Directory directory;
  const std::vector<std::string> times = {"1", "3", "10", "30"};
  std::vector<fs::path> members;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::string own(1, static_cast<char>('a' + i));
    members.push_back(directory.file("p" + std::to_string(i) + "_" + std::to_string(i) + ".ptr",
                                     preamble_on(4, "2", "2 2") + loop_over_array(own) +
                                         portion(own, "0", true) + portion(own, times[i], false) +
                                         ending));
  }
  CHECK(records_of(merged(members), "dopl_")[1].call_time == 2.0 + 20.0);

  // The order of the arguments does not matter: the names say which process is which.
  std::swap(members[1], members[2]);
  CHECK(records_of(merged(members), "dopl_")[1].call_time == 2.0 + 20.0);
}

TEST_CASE("a loop that no dimension of the grid splits is averaged") {
  const auto calls = [](const std::string& own, const std::string& time) {
    return loop_over_array(own, "0") + portion(own, "0", true) + portion(own, time, false);
  };
  const Program program = merged_pair(calls("a", "1"), calls("b", "3"));
  CHECK(records_of(program, "dopl_")[1].call_time == 2.0);
}

TEST_CASE("pipelined loops have the portions of the serial run") {
  const auto start = [](const std::string& own) {
    return loop_over_array(own) +
           event("crtshg_", "0", "0", "StaticSign=1;", "ShadowGroupRef=" + own + "d0;") +
           event("across_", "0", "0",
                 "AcrossType=0; OldShadowGroupRef=0; NewShadowGroupRef=" + own + "d0;") +
           portion(own, "0.5", true);
  };
  const std::string first =
      start("a") + portion("a", "1", true, "9") + portion("a", "2", false, "0.25");
  const std::string second = start("b") + portion("b", "4", true, "7") +
                             portion("b", "8", true, "0.5") + portion("b", "16", false, "3");
  const auto portions = records_of(merged_pair(first, second), "dopl_");
  REQUIRE(portions.size() == 2);
  CHECK(portions[0].call_time == 1.0);
  CHECK(portions[1].call_time == 31.0);
  CHECK(portions[1].ret_time == 0.25);  // the rest is waiting for the neighbour
}

TEST_CASE("a process without iterations adds nothing to a loop") {
  const Program program =
      merged_pair(loop_over_array("a") + portion("a", "0", true) + portion("a", "3", false),
                  loop_over_array("b") + portion("b", "0", false));
  const auto portions = records_of(program, "dopl_");
  REQUIRE(portions.size() == 2);
  CHECK(portions[1].call_time == 3.0);
  const auto runs = all<RunLoop>(program);
  CHECK(runs[0].continues);
  CHECK_FALSE(runs[1].continues);
}

TEST_CASE("tasks come from the processes that run them") {
  // Two tasks; process 0 runs the first, process 1 the second. The line of a skipped task stays.
  const auto calls = [](const std::string& own, bool first) {
    const auto am = [&](int i) { return own + "e" + std::to_string(i); };
    std::string text = event("crtamv_", "0", "0", "AMRef=0; Rank=1; StaticSign=1;\nSizeArray[0]=2;",
                             "AMViewRef=" + own + "cc;");
    int line = 20;
    for (int i = 0; i < 2; ++i) {
      const bool runs = first == (i == 0);
      text += event("getamr_", "1", "0",
                    "AMViewRef=" + own + "cc;\nIndexArray[0]=" + std::to_string(i) + ";",
                    "AMRef=" + am(i) + ";", line);
      text += event("runam_", "0", "0", "AMRef=" + am(i) + ";", runs ? "Run=1;" : "Run=0;", line);
      if (runs) {
        line = 30 + i;
        text += event("crtpl_", i == 0 ? "5" : "7", "0", "Rank=1;", "LoopRef=" + own + "77;", line);
        text += event("endpl_", "0", "0", "LoopRef=" + own + "77;", {}, line);
        text += event("stopam_", "0", "0", {}, {}, line);
      }
    }
    return text + event("bsynch_", "0", "0", {}, {}, 40);
  };
  const Program program = merged_pair(calls("a", true), calls("b", false));
  using Sequence = std::vector<std::pair<std::string, std::uint32_t>>;
  CHECK(sequence(program) == Sequence{{"crtamv_", 20},
                                      {"getamr_", 20},
                                      {"runam_", 20},
                                      {"crtpl_", 30},
                                      {"endpl_", 30},
                                      {"stopam_", 30},
                                      {"getamr_", 30},
                                      {"runam_", 30},
                                      {"crtpl_", 31},
                                      {"endpl_", 31},
                                      {"stopam_", 31},
                                      {"bsynch_", 40}});
  CHECK(program.records[3].call_time == 5.0);
  CHECK(program.records[8].call_time == 7.0);
  for (const RunTask& run : all<RunTask>(program)) {
    CHECK(run.runs);
  }
  // The addresses of process 1 name the objects of process 0: two tasks, one template.
  const auto elements = all<GetMachineElement>(program);
  REQUIRE(elements.size() == 2);
  CHECK(elements[0].parent == elements[1].parent);
  CHECK(elements[0].result != elements[1].result);
  CHECK(all<RunTask>(program)[1].machine == elements[1].result);
}

TEST_CASE("a call makes one object, whatever else stands among its results") {
  // In the task of process 1 the line of the next call is damaged: its parameters look like
  // results.
  const auto calls = [](const std::string& own, bool runs) {
    std::string text = event("crtamv_", "0", "0", "AMRef=0; Rank=1; StaticSign=1;\nSizeArray[0]=2;",
                             "AMViewRef=" + own + "cc;");
    const std::string element = "AMViewRef=" + own + "cc;\nIndexArray[0]=";
    for (int i = 0; i < 2; ++i) {
      const std::string am = own + "e" + std::to_string(i);
      const bool here = runs == (i == 1);
      text +=
          event("getamr_", "1", "0", element + std::to_string(i) + ";", "AMRef=" + am + ";", 20);
      text += event("runam_", "0", "0", "AMRef=" + am + ";", here ? "Run=1;" : "Run=0;", 20);
      if (here) {
        text += event("crtpl_", "5", "0", "Rank=1;",
                      "LoopRef=" + own + "77;\nAMViewRef=" + own + "cc;", 30);
        text += event("getamr_", "1", "0", element + "0;", "AMRef=" + own + "f0;", 31);
        text += event("stopam_", "0", "0", {}, {}, 32);
      }
    }
    return text + event("bsynch_", "0", "0", {}, {}, 40);
  };
  const Program program = merged_pair(calls("a", false), calls("b", true));
  const auto elements = all<GetMachineElement>(program);
  REQUIRE(elements.size() == 4);
  CHECK(elements[3].parent == elements[0].parent);
}

TEST_CASE("a diverging or missing member is an error that says where") {
  const std::string common = event("getam_", "1", "1", {}, "AMRef=f0;");
  CHECK_THAT(message_of([&] {
               static_cast<void>(merged_pair(common + event("getsiz_", "1", "1"),
                                             common + event("getrnk_", "1", "1")));
             }),
             Catch::Matchers::Contains("p1_1.ptr:10: calls getrnk_ (a.cdv, line 20) where ") &&
                 Catch::Matchers::Contains("p0_0.ptr:10 calls getsiz_ (a.cdv, line 20)"));
  CHECK_THAT(message_of([&] {
               static_cast<void>(merged_pair(common, common + event("getrnk_", "1", "1")));
             }),
             Catch::Matchers::Contains("p1_1.ptr:10: calls getrnk_ (a.cdv, line 20) where ") &&
                 Catch::Matchers::Contains("p0_0.ptr has no more calls"));

  const Directory directory;
  const std::string text = preamble_on(3, "1", "3") + common + ending;
  const std::vector<fs::path> two = {directory.file("p0_0.ptr", text),
                                     directory.file("p1_1.ptr", text)};
  CHECK_THAT(message_of([&] { static_cast<void>(merged(two)); }),
             Catch::Matchers::Contains("run on 3 processes, 2 traces are given"));
  CHECK_THAT(message_of([&] { static_cast<void>(find_member_files((directory / "p").string())); }),
             Catch::Matchers::Contains("p2_2.ptr: the trace of process 2 is missing"));
}

TEST_CASE("the files of a program are found by its name") {
  const Directory directory;
  const std::string text = preamble_on(2, "1", "2") + ending;
  const auto one = directory.file("one.ptr", text);
  const auto zero = directory.file("many0_0.ptr", text);
  const auto first = directory.file("many1_1.ptr", text);
  const auto tenth = directory.file("odd10_10.ptr", text);
  const auto second = directory.file("odd2_2.ptr", text);
  using Paths = std::vector<fs::path>;
  CHECK(find_member_files((directory / "one").string()) == Paths{one});
  CHECK(find_member_files((directory / "one.ptr").string()) == Paths{one});
  CHECK(find_member_files((directory / "many").string()) == Paths{zero, first});
  CHECK(find_member_files((directory / "odd@").string()) == Paths{second, tenth});
  CHECK(find_member_files((directory / "@n@y@_1").string()) == Paths{first});
  CHECK(message_of([&] { static_cast<void>(find_member_files((directory / "x@").string())); }) !=
        "no error");
  CHECK(message_of([&] { static_cast<void>(find_member_files((directory / "none").string())); }) !=
        "no error");
}

TEST_CASE("merged real runs take the time of the recorded serial run") {
  const auto members = [](const std::string& name) {
    return find_member_files(data("processes/" + name).string());
  };
  SECTION("Jacobi, 2 processes, whole trace and without start-up") {
    const Program parallel = merged(members("jac2d_1x2/jac2d"));
    const Program serial = read_program(data("c_jac2d_1000x10.ptr.gz"));
    CHECK(parallel.duration == Approx(serial.duration).epsilon(0.10));
    CHECK(without_startup(parallel) == Approx(without_startup(serial)).epsilon(0.10));
  }
  SECTION("tasks, 2 processes: the same calls, the same time without start-up") {
    const Program parallel = merged(members("tsk_2/tsk"));
    const Program serial = read_program(data("c_tsk_8.ptr.gz"));
    CHECK(sequence(parallel) == sequence(serial));
    CHECK(without_startup(parallel) == Approx(without_startup(serial)).epsilon(0.10));
    CHECK(parallel.traced_grid == std::vector<std::int64_t>{2});
  }
  SECTION("a pipeline, 4 processes on 2 cores: the same calls") {
    const Program parallel = merged(members("sor_2x2/sor"));
    const Program serial = read_program(data("c_sor_1000x10.ptr.gz"));
    CHECK(sequence(parallel) == sequence(serial));
    CHECK(parallel.traced_grid == std::vector<std::int64_t>{2, 2});
  }
}
