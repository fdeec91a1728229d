#include <catch2/catch.hpp>
#include <set>
#include <sstream>

#include "descriptions.h"
#include "gridcast/retrace/generate.h"
#include "gridcast/trace/consistency.h"
#include "gridcast/trace/info.h"
#include "process_traces.h"

using namespace gridcast;
using namespace gridcast::trace;
using namespace gridcast::trace::test;

namespace {

namespace fs = std::filesystem;

}  // namespace

TEST_CASE("the shipped descriptions read without warnings and follow their closed forms") {
  // Σ of (iterations of all loops times seconds) + I/O; calls take no time unless overhead says so.
  const fs::path programs = fs::path(GRIDCAST_SOURCE_DIR) / "configs/programs";
  std::set<std::string> seen;
  for (const auto& entry : fs::directory_iterator(programs)) {
    if (entry.is_directory()) {
      continue;  // messages have no trace
    }
    CAPTURE(entry.path().string());
    std::ostringstream trace;
    const GenerateResult result =
        generate_trace(description_text(entry.path()), entry.path().string(), trace);
    const Program program = parse_program(trace.str(), "t.ptr");
    CHECK(program.warnings.empty());
    CHECK(check_order(program).empty());
    CHECK(program.records.size() == result.calls);
    CHECK(program.duration == Approx(result.duration).epsilon(1e-12));
    seen.insert(entry.path().stem().string());
  }
  CHECK(seen == std::set<std::string>{"adi", "gauss", "jacobi1d", "jacobi2d", "jacobi3d",
                                      "multigrid", "redblack", "sor", "taskjacobi", "cg", "fft3d",
                                      "heat3d", "panels", "torus"});

  const Program jacobi = program_of(description_text(programs / "jacobi1d.toml"),
                                    {{"n", "1000"}, {"iterations", "3"}, {"point", "1e-6"}});
  CHECK(jacobi.duration == Approx(3 * 998 * 2.5e-6).epsilon(1e-12));

  const Program gauss =
      program_of(description_text(programs / "gauss.toml"), {{"n", "20"}, {"operation", "1e-3"}});
  double operations = 0.0;
  for (int k = 0; k < 19; ++k) {
    operations += (19 - k) * (20 - k);  // rows below k, elements of each
  }
  operations += 19 * 20 / 2;  // back substitution
  CHECK(gauss.duration == Approx(operations * 1e-3).epsilon(1e-12));
}

TEST_CASE("a loop is what the library writes for it") {
  const Program program = program_of(array_a + R"(
[[do]]
loop = ["i = 1 : n-2", "j = n-2 : 1 : -3"]
on = "A[i + 1, j]"
time = "1 / 4"
portions = 2
reduce = [{ operation = "sum", type = "float", count = 3, extra = 5 }, { operation = "max" }]
)");
  const auto array = all<CreateArray>(program);
  REQUIRE(array.size() == 1);
  CHECK(array[0].extents == Extents{10, 10});
  CHECK(array[0].element_size == 4);
  CHECK(array[0].low_shadow == Extents{1, 1});
  CHECK(all<Distribute>(program)[0].axes == Extents{1, 2});
  const MapLoop loop = all<MapLoop>(program)[0];
  CHECK(loop.first == Extents{1, 8});
  CHECK(loop.last == Extents{8, 1});
  CHECK(loop.step == Extents{1, -3});
  CHECK(loop.rule.kind == PatternKind::array);
  CHECK(loop.rule.axes == Extents{1, 2});
  CHECK(loop.rule.coefficients == Extents{1, 1});
  CHECK(loop.rule.constants == Extents{1, 0});
  const auto portions = records_of(program, "dopl_");
  REQUIRE(portions.size() == 3);
  CHECK(portions[0].call_time == 0.0);
  CHECK(portions[1].call_time == 3.0);  // 8 * 3 iterations / 4 s / 2
  CHECK(portions[2].call_time == 3.0);
  const auto reductions = all<CreateReduction>(program);
  REQUIRE(reductions.size() == 2);
  CHECK(reductions[0].element_size == 4);
  CHECK(reductions[0].length == 3);
  CHECK(reductions[0].extra == 5);
  CHECK(reductions[1].element_size == 8);
}

TEST_CASE("the widths of a pipeline follow the direction of its loop") {
  const Program program = program_of(array_a + R"(
[[do]]
loop = ["i = 1 : n-2", "j = n-2 : 1 : -1"]
on = "A[i, j]"
time = 0
across = [{ array = "A", new = [1, 2], old = [3, 4] }]
)");
  const auto groups = all<InsertShadow>(program);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].low == Extents{0, 4});  // old values: ahead
  CHECK(groups[0].high == Extents{3, 0});
  CHECK(groups[1].low == Extents{1, 0});  // new values: behind
  CHECK(groups[1].high == Extents{0, 2});
  const Across across = all<Across>(program)[0];
  CHECK(across.old_values == groups[0].group);
  CHECK(across.new_values == groups[1].group);
}

TEST_CASE("exchanges, copies, buffers, moves, tasks and I/O are the calls of the library") {
  const Program program = program_of("grid = [4]\n" + array_a + R"(
[[processors]]
name = "Half"
bounds = "1 : 2"
[[task]]
name = "work"
processors = "Half"
[[template]]
name = "T"
extents = [20, 10]
distribute = ["*", "block"]
weights = [[1, 2.5]]
[[array]]
name = "B"
extents = ["n"]
index = ["i"]
align = "A[3, i]"
[[do]]
exchange = ["A"]
start = "edges"
corners = true
low = [0, 1]
[[do]]
compute = 0.5
[[do]]
wait = "edges"
[[do]]
copy = "A[0:n-1:3, 2]"
to = "B[2 : 5]"
start = "row"
[[do]]
wait = "row"
[[do]]
loop = ["i = 0 : n-1"]
on = "B[i]"
time = 0
remote = ["A[i, *]", "A[4, i + 1]"]
[[do]]
redistribute = "T"
distribute = ["block", "*"]
new_values = true
[[do]]
realign = "B"
index = ["i"]
align = "T[2*i, *]"
[[do]]
io = "read"
bytes = "8 * n"
time = 0.25
[[do]]
interval = "user"
expression = 7
  [[do.do]]
  task = "work"
    [[do.do.do]]
    compute = 2
)");
  CHECK(program.warnings.empty());
  CHECK(program.traced_grid == Extents{4});
  CHECK(all<CreateSystem>(program)[0].first == Extents{1});
  CHECK(all<CreateSystem>(program)[0].last == Extents{2});
  CHECK(all<SetWeights>(program)[0].weights == std::vector<std::vector<double>>{{1.0, 2.5}});
  const Align aligned = all<Align>(program)[1];
  CHECK(aligned.rule.axes == Extents{0, 1});
  CHECK(aligned.rule.constants == Extents{3, 0});
  const InsertShadow edges = all<InsertShadow>(program)[0];
  CHECK(edges.tuple_limit == 2);
  CHECK(edges.low == Extents{0, 1});
  CHECK(edges.high == Extents{-1, -1});
  CHECK(records_of(program, "waitsh_")[0].call_time == 0.5);
  const CopyArrays copy = all<CopyArrays>(program)[0];
  CHECK(copy.from.first == Extents{0, 2});
  CHECK(copy.from.last == Extents{9, 2});
  CHECK(copy.from.step == Extents{3, 1});
  CHECK(copy.to.first == Extents{2});
  CHECK(all<WaitCopy>(program)[0].flag == copy.flag);
  const auto buffers = all<CreateRemoteBuffer>(program);
  REQUIRE(buffers.size() == 2);
  CHECK(buffers[0].axes == Extents{1, -1});
  CHECK(buffers[1].axes == Extents{0, 1});
  CHECK(buffers[1].constants == Extents{4, 1});
  CHECK(all<Redistribute>(program)[0].axes == Extents{1});
  CHECK(all<Redistribute>(program)[0].new_values);
  CHECK(all<Realign>(program)[0].rule.coefficients == Extents{2, 0});
  CHECK(all<InputOutput>(program)[0].bytes == 84);  // 80 and the status
  CHECK(records_of(program, "dvm_fread")[0].ret_time == 0.25);
  CHECK(all<BeginInterval>(program)[0].expression == 7);
  CHECK(records_of(program, "stopam_")[0].call_time == 2.0);
  CHECK(all<RunTask>(program)[0].runs);
}

TEST_CASE("parameters can be given and use earlier ones") {
  const std::string description =
      "[parameters]\nm = 3\nk = \"2 * (m + 1)\"\n"
      "[[do]]\nrepeat = \"q = k : 2 : -2\"\n[[do.do]]\ncompute = \"q\"\n";
  CHECK(program_of(description).duration == Approx(8 + 6 + 4 + 2));
  CHECK(program_of(description, {{"m", "1"}}).duration == Approx(4 + 2));
  CHECK(program_of(description, {{"m", "1"}, {"k", "m + 1"}}).duration == Approx(2));
  CHECK(text_of(description) == text_of(description));
}

TEST_CASE("equal iterations make equal calls") {
  const std::string two = array_a +
                          "[[do]]\nrepeat = 2\n[[do.do]]\nexchange = [\"A\"]\n"
                          "[[do.do]]\nloop = [\"i = 0 : 9\"]\non = \"A[i, *]\"\ntime = 1\n";
  const Program program = program_of(two);
  const std::size_t per_iteration = 10;  // crtshg, inssh, strtsh, waitsh, delshg; crtpl … endpl
  const std::size_t start = program.records.size() - 2 * per_iteration;
  for (std::size_t i = 0; i < per_iteration; ++i) {
    CHECK(program.records[start + i].call == program.records[start + per_iteration + i].call);
  }
}

TEST_CASE("coefficients of alignments over alignments multiply") {
  const auto laid = [](const std::string& name, const std::string& on) {
    return "[[array]]\nname = \"" + name + "\"\nextents = [10]\nindex = \"j\"\nalign = \"" + on +
           "[1000 * j, *]\"\n";
  };
  const auto laid_on_array = [](const std::string& name, const std::string& on) {
    return "[[array]]\nname = \"" + name + "\"\nextents = [10]\nindex = \"j\"\nalign = \"" + on +
           "[2000 * j]\"\n";
  };
  CHECK(verdict(laid("B", "A")) == "no error");
  CHECK_THAT(verdict(laid("B", "A") + laid_on_array("C", "B")),
             Catch::Matchers::Contains("align: elements lie 2000000 apart"));
}

TEST_CASE("an array's template has as many formats as dimensions when it moves") {
  const std::string row =
      "[[array]]\nname = \"B\"\nextents = [10]\nindex = \"j\"\n"
      "align = \"A[3, j]\"\n[[do]]\nredistribute = \"B\"\ndistribute = ";
  CHECK(verdict(row + "[\"*\", \"block\"]\n") == "no error");
  CHECK_THAT(verdict(row + "\"block\"\n"),
             Catch::Matchers::Contains("distribute: 1 formats for 2 dimensions"));
}

TEST_CASE("small and many weights are read as they were written") {
  std::string weights = "1e-9, 0.1";
  std::vector<double> expected = {1e-9, 0.1};
  for (int i = 0; i < 60000; ++i) {
    weights += ", 1.25e-7";
    expected.push_back(1.25e-7);
  }
  const Program program = program_of(
      "[[template]]\nname = \"T\"\nextents = [100000]\ndistribute = \"block\"\n"
      "weights = [[" +
      weights + "]]\n");
  CHECK(all<SetWeights>(program).at(0).weights == std::vector<std::vector<double>>{expected});
}

TEST_CASE("any file name makes a trace that can be read") {
  for (const std::string name : {"a b\tc\nd.toml", "ProcCount=7;.toml", "\x1b[31m.toml"}) {
    std::ostringstream out;
    generate_trace("[[do]]\ncompute = 1\n", name, out);
    const Program program = parse_program(out.str(), "t.ptr");
    CHECK(program.process_count == 1);
    CHECK(program.duration == Approx(1.0));
    CHECK(program.warnings.empty());
  }
}

TEST_CASE(
    "iterations outside of their array and edges wider than it are mistakes with their line") {
  using Catch::Matchers::Contains;
  const auto loop = [](const std::string& ranges, const std::string& on) {
    return error_of_description(array_a + "[[do]]\nloop = [" + ranges + "]\non = \"" + on +
                                "\"\ntime = 0\n");
  };
  CHECK(loop("\"i = 0 : n-1\", \"j = 0 : n-1\"", "A[i, j]") == "no error");
  CHECK_THAT(loop("\"i = 1 : n\", \"j = 1 : n\"", "A[i, j]"),
             Contains("dir/p.toml:10: loop: i = 10 is outside of A, whose dimension 1 has the "
                      "elements 0 to 9"));
  CHECK_THAT(loop("\"i = 9 : -1 : -1\", \"j = 0 : 9\"", "A[i, j]"), Contains("i = -1 is outside"));
  CHECK_THAT(loop("\"i = 0 : 9\", \"j = 0 : 4\"", "A[i, 2*j + 2]"), Contains("j = 4 is outside"));
  CHECK(loop("\"i = 0 : 9\", \"j = 0 : 10 : 3\"", "A[i, j]") == "no error");  // 0, 3, 6, 9
  CHECK(loop("\"i = 5 : 4\", \"j = 1 : 10\"", "A[i, j]") == "no error");      // no iterations
  CHECK_THAT(loop("\"i = 0 : 9\"", "A[i, 10]"), Contains("on: the position 10 is outside of A"));
  const auto shadow = [](const std::string& widths) {
    return error_of_description("[[array]]\nname = \"A\"\nextents = [4, 9]\n" + widths +
                                "\ndistribute = [\"block\", \"block\"]\n");
  };
  CHECK(shadow("shadow = 4") == "no error");
  CHECK_THAT(
      shadow("shadow = 5"),
      Contains("dir/p.toml:4: shadow: an edge of 5 elements along dimension 1, which has 4"));
  CHECK_THAT(shadow("shadow_high = [0, 10]"), Contains("dir/p.toml:4: shadow_high: an edge of 10"));
}
