#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <sstream>

#include "gridcast/base/byte_source.h"
#include "gridcast/base/error.h"
#include "gridcast/compile/compile.h"
#include "gridcast/trace/consistency.h"
#include "process.h"

using namespace gridcast::trace;
using gridcast::trace::Finding;
using support::ScratchDirectory;

namespace fs = std::filesystem;

namespace {

const std::string traces = std::string(GRIDCAST_SOURCE_DIR) + "/tests/data/";

std::string text_of(const fs::path& path) {
  const std::string name = path.string();
  const auto source = gridcast::open_source(path, name);
  std::string text;
  std::array<char, 65536> buffer{};
  while (const std::size_t size = source->read(buffer)) {
    text.append(buffer.data(), size);
  }
  return text;
}

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

/// The k-th line, from 1, that begins with `mark`, from 0.
std::size_t nth(const Lines& lines, const std::string& mark, int k) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with(mark) && --k == 0) {
      return i;
    }
  }
  throw std::runtime_error("no " + mark);
}

/// Lines of the k-th call of a function.
std::pair<std::size_t, std::size_t> call_at(const Lines& lines, const std::string& name, int k) {
  const std::size_t begin = nth(lines, "call_" + name + " ", k);
  std::size_t end = begin + 1;
  while (end < lines.size() && !lines[end].starts_with("call_") &&
         !lines[end].starts_with("Event_")) {
    ++end;
  }
  return {begin, end};
}

Lines without(Lines lines, const std::string& name, int k = 3) {
  const auto [begin, end] = call_at(lines, name, k);
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(begin),
              lines.begin() + static_cast<std::ptrdiff_t>(end));
  return lines;
}

Lines twice(Lines lines, const std::string& name, int k = 3) {
  const auto [begin, end] = call_at(lines, name, k);
  const Lines call(lines.begin() + static_cast<std::ptrdiff_t>(begin),
                   lines.begin() + static_cast<std::ptrdiff_t>(end));
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(end), call.begin(), call.end());
  return lines;
}

/// The k-th call of `name` in front of that of `other`.
Lines before(Lines lines, const std::string& name, const std::string& other, int k = 3) {
  const auto [begin, end] = call_at(lines, name, k);
  const Lines call(lines.begin() + static_cast<std::ptrdiff_t>(begin),
                   lines.begin() + static_cast<std::ptrdiff_t>(end));
  lines = without(std::move(lines), name, k);
  lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(call_at(lines, other, k).first),
               call.begin(), call.end());
  return lines;
}

Lines changed(Lines lines, const std::string& mark, int k, const std::string& from,
              const std::string& to) {
  for (std::size_t i = nth(lines, mark, k); i < lines.size(); ++i) {
    if (const std::size_t at = lines[i].find(from); at != std::string::npos) {
      lines[i].replace(at, from.size(), to);
      return lines;
    }
  }
  throw std::runtime_error("no " + from);
}

Lines without_line(Lines lines, const std::string& mark, int k = 3) {
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(nth(lines, mark, k)));
  return lines;
}

std::vector<Finding> findings_of(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  const ScratchDirectory scratch;
  return check_trace(scratch.file("faulty.ptr", text)).findings;
}

bool is_found(const std::vector<Finding>& findings, const std::string& part) {
  return std::ranges::any_of(findings, [&](const Finding& finding) {
    return finding.line > 0 && finding.problem.find(part) != std::string::npos;
  });
}

/// A fault and what its finding says.
struct Fault {
  std::string trace;
  std::string name;
  Lines (*inject)(const Lines&);
  std::string found;
};

const std::vector<Fault> faults{
    {"c_jac2d_8_e1.ptr", "no wait for edges",
     [](const Lines& lines) { return without(lines, "waitsh_"); },
     "deletes what the exchange of edges still uses"},
    {"c_jac2d_8_e1.ptr", "no start of edges",
     [](const Lines& lines) { return without(lines, "strtsh_"); },
     "waits for the exchange of edges that was not started"},
    {"c_jac2d_8_e1.ptr", "no wait for a reduction",
     [](const Lines& lines) { return without(lines, "waitrd_"); },
     "deletes what the reduction still uses"},
    {"c_jac2d_8_e1.ptr", "no start of a reduction",
     [](const Lines& lines) { return without(lines, "strtrd_"); },
     "waits for the reduction that was not started"},
    {"c_jac2d_8_e1.ptr", "edges started twice",
     [](const Lines& lines) { return twice(lines, "strtsh_"); },
     "starts the exchange of edges again before it is waited for"},
    {"c_jac2d_8_e1.ptr", "waited for twice",
     [](const Lines& lines) { return twice(lines, "waitrd_"); },
     "waits for the reduction that was not started"},
    {"c_jac2d_8_e1.ptr", "used after deletion",
     [](const Lines& lines) { return before(lines, "delshg_", "strtsh_"); },
     "names no existing object"},
    {"c_jac2d_8_e1.ptr", "deleted twice", [](const Lines& lines) { return twice(lines, "delrg_"); },
     "names an object that was deleted"},
    {"c_jac2d_8_e1.ptr", "group changed under way",
     [](const Lines& lines) { return before(lines, "strtsh_", "inssh_"); },
     "changes the group of the exchange of edges"},
    {"c_jac2d_8_e1.ptr", "loop not made",
     [](const Lines& lines) { return without(lines, "crtpl_"); }, "names no existing object"},
    {"c_jac2d_8_e1.ptr", "loop not mapped",
     [](const Lines& lines) { return without(lines, "mappl_"); },
     "runs a loop that was not mapped"},
    {"c_jac2d_8_e1.ptr", "loop not ended",
     [](const Lines& lines) { return without(lines, "endpl_"); }, "makes a loop that never ends"},
    {"c_jac2d_8_e1.ptr", "portions missing",
     [](const Lines& lines) { return changed(lines, "ret_dopl_", 6, "DoPL=0", "DoPL=1"); },
     "ends a loop after a portion that is not the last"},
    {"c_jac2d_8_e1.ptr", "interval not closed",
     [](const Lines& lines) { return without(lines, "enloop_"); },
     "inside another, which is never closed"},
    {"c_jac2d_8_e1.ptr", "interval not opened",
     [](const Lines& lines) { return without(lines, "bploop_"); },
     "closes an interval that was not opened"},
    {"c_jac2d_8_e1.ptr", "no return",
     [](const Lines& lines) { return without_line(lines, "ret_inssh_"); }, "has no ret_ line"},
    {"c_jac2d_8_e1.ptr", "no call",
     [](const Lines& lines) { return without_line(lines, "call_inssh_"); },
     "without its call_ line"},
    {"c_jac2d_8_e1.ptr", "parameter destroyed",
     [](const Lines& lines) { return changed(lines, "call_inssh_", 3, "=1;", "=q;"); }, "inssh_"},
    {"c_jac2d_8_e1.ptr", "time destroyed",
     [](const Lines& lines) { return changed(lines, "call_strtsh_", 3, "TIME=0", "TIME=x"); },
     "numbers of this event line cannot be read"},
    {"c_jac2d_8_e1.ptr", "end missing",
     [](const Lines& lines) { return without_line(lines, "Event_dvm_exit", 1); },
     "the trace ends before dvm_exit"},
    {"c_jac2d_8_e1.ptr", "loop's interval closed as one of the user",
     [](const Lines& lines) {
       Lines result = changed(lines, "call_enloop_", 3, "enloop_", "einter_");
       return changed(result, "ret_enloop_", 3, "enloop_", "einter_");
     },
     "einter_ closes the interval of bploop_"},
    {"c_redist_100_e4.ptr", "user's interval closed as one of a loop",
     [](const Lines& lines) {
       Lines result = changed(lines, "call_einter_", 3, "einter_", "enloop_");
       return changed(result, "ret_einter_", 3, "einter_", "enloop_");
     },
     "enloop_ closes the interval of binter_"},
    {"c_jac2d_8_e1.ptr", "nothing distributed",
     [](const Lines& lines) { return without(lines, "distr_", 1); }, "distributes nothing"},
    {"c_jac2d_8_e1.ptr", "loop without a step",
     [](const Lines& lines) {
       return changed(lines, "call_mappl_", 3, "InStepArray[1]=1", "InStepArray[1]=0");
     },
     "InStepArray[1]=0"},
    {"c_jac2d_8_e1.ptr", "edges of an unknown array, by its handle",
     [](const Lines& lines) {
       return changed(lines, "call_inssh_", 3, "ArrayHandlePtr=", "ArrayHandlePtr=1");
     },
     "names no existing object (expected an array created before)"},
    {"c_jac2d_8_e1.ptr", "edges of an unknown array, by its header",
     [](const Lines& lines) {
       return changed(lines, "call_inssh_", 3, "ArrayHeader=", "ArrayHeader=1");
     },
     "names no existing object (expected an array created before)"},
    {"c_acopy_100.ptr", "section that ends beyond the array",
     [](const Lines& lines) {
       return changed(lines, "call_arrcpy_", 1, "FromLastIndexArray[0]=99",
                      "FromLastIndexArray[0]=100");
     },
     "a section from 0 to 100 of dimension 1, which has the indices 0 to 99"},
    {"c_acopy_100.ptr", "section that is written beyond the array",
     [](const Lines& lines) {
       return changed(lines, "call_aarrcp_", 1, "ToInitIndexArray[1]=0", "ToInitIndexArray[1]=100");
     },
     "a section from 100 to 99 of dimension 2"},
    {"c_acopy_100.ptr", "no wait for a copy",
     [](const Lines& lines) { return without(lines, "waitcp_"); }, "starts the copy"},
    {"c_acopy_100.ptr", "no start of a copy",
     [](const Lines& lines) { return without(lines, "aarrcp_"); }, "belongs to no copy"},
    {"c_tsk_ra_8.ptr.gz", "task not left",
     [](const Lines& lines) { return without(lines, "stopam_"); },
     "enters a task that is never left"},
    {"c_tsk_ra_8.ptr.gz", "task not entered",
     [](const Lines& lines) { return without(lines, "runam_"); },
     "leaves a task that was not entered"},
    {"c_tsk_ra_8.ptr.gz", "no wait for a group of buffers",
     [](const Lines& lines) { return without(lines, "waitbg_"); }, "starts the loading of a group"},
    {"c_gausswb_10.ptr", "no loading of a buffer",
     [](const Lines& lines) { return without(lines, "loadrb_"); },
     "waits for the loading of a buffer that was not started"},
    {"f_feat_100.ptr.gz", "deleted twice by delobj_",
     [](const Lines& lines) { return twice(lines, "delobj_"); },
     "names an object that was deleted"},
};

std::vector<gridcast::trace::Program> programs_of(const std::vector<Lines>& processes) {
  std::vector<gridcast::trace::Program> programs;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    std::string text;
    for (const std::string& line : processes[i]) {
      text += line + "\n";
    }
    programs.push_back(gridcast::trace::parse_program(text, "process" + std::to_string(i)));
  }
  return programs;
}

std::vector<Lines> jacobi_processes() {
  const std::string folder = traces + "processes/jac2d_1x2/";
  return {lines_of(text_of(folder + "jac2d0_0.ptr.gz")),
          lines_of(text_of(folder + "jac2d1_1.ptr.gz"))};
}

}  // namespace

TEST_CASE("no trace of a real run is found faulty") {
  std::size_t looked_at = 0;
  for (const auto& entry : fs::recursive_directory_iterator(traces)) {
    const std::string name = entry.path().filename().string();
    const bool is_trace = name.ends_with(".ptr") || name.ends_with(".ptr.gz");
    if (!is_trace || entry.file_size() > 2'000'000) {
      continue;
    }
    INFO(entry.path());
    const Checked checked = check_trace(entry.path());
    CHECK(checked.program);
    for (const Finding& finding : checked.findings) {
      FAIL_CHECK(finding.text());
    }
    ++looked_at;
  }
  CHECK(looked_at > 25);
}

TEST_CASE("every kind of fault is found, with its line") {
  for (const Fault& fault : faults) {
    INFO(fault.trace << ": " << fault.name);
    const Lines lines = lines_of(text_of(traces + fault.trace));
    const std::vector<Finding> findings = findings_of(fault.inject(lines));
    for (const Finding& finding : findings) {
      UNSCOPED_INFO(finding.text());
    }
    CHECK(is_found(findings, fault.found));
  }
}

TEST_CASE("a section that ends beyond its array is no prediction either") {
  const Lines lines = changed(lines_of(text_of(traces + "c_acopy_100.ptr")), "call_arrcpy_", 1,
                              "ToLastIndexArray[1]=99", "ToLastIndexArray[1]=100");
  const gridcast::trace::Program program = programs_of({lines}).front();
  CHECK_THROWS_AS(gridcast::model::compile(program), gridcast::InputError);
}

TEST_CASE("all faults of a trace are reported, in the order of its lines") {
  Lines lines = lines_of(text_of(traces + "c_jac2d_8_e1.ptr"));
  for (const Fault& fault : faults) {
    const bool together = fault.name == "edges started twice" || fault.name == "deleted twice" ||
                          fault.name == "waited for twice" || fault.name == "loop not mapped";
    if (together && fault.trace == "c_jac2d_8_e1.ptr") {
      lines = fault.inject(lines);
    }
  }
  const std::vector<Finding> findings = findings_of(lines);
  CHECK(findings.size() == 4);
  CHECK(std::ranges::is_sorted(findings, {}, &Finding::line));
}

TEST_CASE("a finding names the line of the call") {
  Lines lines = lines_of(text_of(traces + "c_jac2d_8_e1.ptr"));
  lines = twice(std::move(lines), "strtsh_", 5);
  const std::vector<Finding> findings = findings_of(lines);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].line == nth(lines, "call_strtsh_", 6) + 1);
  CHECK(findings[0].problem.find("(since line " +
                                 std::to_string(nth(lines, "call_strtsh_", 5) + 1) + ")") !=
        std::string::npos);
}

TEST_CASE("the processes of a real run agree") {
  CHECK(check_processes(programs_of(jacobi_processes())).empty());
  for (const char* run : {"sor_2x2", "tsk_2"}) {
    std::vector<Lines> processes;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(traces + "processes/" + run)) {
      files.push_back(entry.path());
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) {
      processes.push_back(lines_of(text_of(file)));
    }
    INFO(run);
    CHECK(check_processes(programs_of(processes)).empty());
  }
}

TEST_CASE("processes that do not make the same collective calls are found") {
  std::vector<Lines> processes = jacobi_processes();
  SECTION("one leaves out a reduction") {
    processes[1] = without(without(processes[1], "strtrd_"), "waitrd_");
    const auto findings = check_processes(programs_of(processes));
    REQUIRE(findings.size() == 2);
    CHECK(findings[0].file == "process1");
    CHECK(findings[0].problem.find("does not make the call strtrd_") != std::string::npos);
  }
  SECTION("one makes an exchange more") {
    processes[1] = twice(twice(processes[1], "waitsh_"), "strtsh_");
    const auto findings = check_processes(programs_of(processes));
    CHECK(is_found(findings, "strtsh_"));
    CHECK(is_found(findings, "is not called in process0"));
  }
  SECTION("one exchanges other edges") {
    processes[1] =
        changed(processes[1], "call_inssh_", 2, "LowShdWidthArray[0]=1", "LowShdWidthArray[0]=0");
    CHECK(is_found(check_processes(programs_of(processes)), "moves something else"));
  }
  SECTION("one reduces with more values") {
    processes[1] = changed(processes[1], "call_crtred_", 2, "RedArrayLength=1", "RedArrayLength=2");
    CHECK(is_found(check_processes(programs_of(processes)), "strtrd_"));
  }
}

TEST_CASE("what is no trace is an error") {
  const ScratchDirectory scratch;
  CHECK_THROWS_AS(check_trace(scratch.file("none.ptr", "hello\n")), gridcast::InputError);
  CHECK_THROWS_AS(check_trace("/nowhere/none.ptr"), gridcast::InputError);
}
