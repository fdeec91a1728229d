#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <map>

#include "gridcast/base/error.h"
#include "gridcast/compile/compile.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/variants/variants_report.h"
#include "process.h"

using namespace gridcast::variants;
using gridcast::InputError;
using gridcast::machine::Cluster;
using gridcast::machine::Grid;
using support::ScratchDirectory;

namespace {

const std::string variants_folder = std::string(GRIDCAST_SOURCE_DIR) + "/configs/variants/";

double predicted_time(const Variant& variant, const Cluster& cluster, const std::string& grid) {
  const auto compiled =
      gridcast::model::compile(gridcast::trace::parse_program(variant.trace({}), variant.name));
  return gridcast::model::Predictor(compiled.script, cluster, {})
      .evaluate(Grid::parse(grid))
      .front()
      .execution_time;
}

/// Columns of table 3 of the paper: predicted, 8 and 64 processors; and the grids.
struct Cell {
  const char* variant;
  const char* grid8;
  double on8;
  const char* grid64;
  double on64;
};
constexpr Cell table3[] = {
    {"3-D", "2x2x2", 478.62, "4x4x4", 61.56}, {"2-D x y", "4x2", 481.79, "8x8", 65.61},
    {"2-D y z", "4x2", 481.79, "8x8", 65.80}, {"1-D y", "8", 499.84, "64", 76.90},
    {"2-D x z", "4x2", 481.79, "8x8", 65.78}, {"1-D z", "8", 499.74, "64", 79.17}};
constexpr double one_processor = 3807.52;

const Variant& named(const VariantsFile& file, const std::string& name) {
  for (const Variant& variant : file.variants) {
    if (variant.name == name) {
      return variant;
    }
  }
  throw std::runtime_error(name);
}

Cluster cluster_with(const std::string& text) {
  return Cluster::parse("cluster = c; c = {64 x p}; " + text + " p = 1;", "test");
}

/// A file of variants with its program and a machine.
class VariantFiles {
public:
  VariantFiles(const std::string& program, const std::string& variants)
      : machine_(scratch_.file("machine.par",
                               "cluster = c; c = {8 x p}; c.CommType = ethernet; c.TStart = 10; "
                               "c.TByte = 0.01; p = 1;")),
        variants_(
            scratch_.file("variants.toml",
                          "program = \"program.toml\"\nmachine = \"machine.par\"\n" + variants)) {
    add("program.toml", program);
  }
  /// Another file beside them.
  void add(const std::string& name, const std::string& text) const {
    static_cast<void>(scratch_.file(name, text));
  }
  [[nodiscard]] VariantsFile read() const { return read_variants(variants_); }
  [[nodiscard]] Cluster cluster() const { return Cluster::read(machine_); }

private:
  ScratchDirectory scratch_;
  std::filesystem::path machine_, variants_;
};

const std::string small_program = R"(
overhead = 0
[parameters]
n = 64
[[array]]
name = "A"
extents = ["n", "n"]
shadow = 1
distribute = ["block", "block"]
[[do]]
repeat = 10
  [[do.do]]
  label = "work"
  loop = ["i = 0 : n-1", "j = 0 : n-1"]
  on = "A[i, j]"
  ops = {add = 4, mul = "n / 32"}
  [[do.do]]
  label = "edges"
  unless = "overlap"
  exchange = ["A"]
  [[do.do]]
  when = "overlap"
  exchange = ["A"]
  start = "x"
  [[do.do]]
  branch = "converged"
    [[do.do.case]]
    probability = 0.75
    [[do.do.case]]
    probability = 0.25
      [[do.do.case.do]]
      label = "again"
      loop = ["i = 0 : n-1", "j = 0 : n-1"]
      on = "A[i, j]"
      time = 1e-6
  [[do.do]]
  when = "overlap"
  wait = "x"
)";

const std::string costs = "processors = [1, 4]\n[costs]\nadd = 1e-7\nmul = 2e-7\n";

}  // namespace

TEST_CASE("all variants of the MHD program take the same time on one processor") {
  const VariantsFile file = read_variants(variants_folder + "mhd.toml");
  const Cluster cluster = Cluster::read(file.machine);
  for (const Variant& variant : file.variants) {
    CHECK(predicted_time(variant, cluster, "1") == Approx(one_processor).epsilon(1e-9));
  }
}

TEST_CASE("computation alone is within 4 % of the published predictions of the MHD program") {
  const VariantsFile file = read_variants(variants_folder + "mhd.toml");
  const Cluster cluster = cluster_with("c.CommType = ethernet; c.TStart = 0; c.TByte = 0;");
  for (const Cell& cell : table3) {
    INFO(cell.variant);
    const Variant& variant = named(file, cell.variant);
    CHECK(predicted_time(variant, cluster, cell.grid8) == Approx(cell.on8).epsilon(0.04));
    CHECK(predicted_time(variant, cluster, cell.grid64) == Approx(cell.on64).epsilon(0.04));
  }
}

TEST_CASE("with communication fitted on one cell, all others are within 1 %") {
  const VariantsFile file = read_variants(variants_folder + "mhd.toml");
  const auto with = [](double overhead) {
    const std::string o = std::to_string(overhead);
    return cluster_with("c.CommType = ports; c.TStart = 1.5; c.TByte = 0.00043; c.TSend = " + o +
                        "; c.TRecv = " + o + "; c.TCopy = 0.0002;");
  };
  // The cost of a message for a processor, so that the first variant on 64 processors is right.
  double low = 0.0;
  double high = 1000.0;
  for (int step = 0; step < 40; ++step) {
    const double middle = 0.5 * (low + high);
    const double time = predicted_time(named(file, "3-D"), with(middle), "4x4x4");
    (time < 61.56 ? low : high) = middle;
  }
  CAPTURE(low);
  const Cluster cluster = with(low);
  for (const Cell& cell : table3) {
    INFO(cell.variant);
    const Variant& variant = named(file, cell.variant);
    CHECK(predicted_time(variant, cluster, cell.grid8) == Approx(cell.on8).epsilon(0.01));
    CHECK(predicted_time(variant, cluster, cell.grid64) == Approx(cell.on64).epsilon(0.01));
  }
  // The shipped machine is this one.
  CHECK(predicted_time(named(file, "3-D"), Cluster::read(file.machine), "4x4x4") ==
        Approx(61.56).epsilon(0.005));
}

TEST_CASE("the variants of the MHD program are ranked in the published order") {
  const VariantsFile file = read_variants(variants_folder + "mhd.toml");
  const Cluster cluster = Cluster::read(file.machine);
  std::vector<VariantRow> rows;
  for (std::size_t i = 0; i < file.variants.size(); ++i) {
    for (const char* grid : {table3[i].grid8, table3[i].grid64, "1"}) {
      rows.push_back({i, Grid::parse(grid), predicted_time(file.variants[i], cluster, grid), 1.0});
    }
  }
  // Three dimensions can be cut like two: the search would find that.
  rows.push_back(
      {0, Grid::parse("4x2x1"), predicted_time(file.variants[0], cluster, "4x2x1"), 1.0});
  const VariantsReport report = report_variants(file, cluster, {}, rows);
  REQUIRE(report.rankings.size() == 4);
  const auto names = [&](std::size_t ranking) {
    std::vector<std::string> result;
    for (const RankedVariant& one : report.rankings[ranking].variants) {
      result.push_back(report.names[one.variant]);
    }
    return result;
  };
  // Table 4, predicted: 100, 106.6, 106.8, 106.9, 124.9, 128.6 % on 64 processors.
  CHECK(names(2) ==
        std::vector<std::string>{"3-D", "2-D x y", "2-D x z", "2-D y z", "1-D y", "1-D z"});
  CHECK(names(1).front() == "3-D");
  CHECK(names(1)[4].starts_with("1-D"));
  CHECK(names(1)[5].starts_with("1-D"));
  for (const RankedVariant& one : report.rankings[0].variants) {
    CHECK(one.rank == 1);
    CHECK(one.differences.empty());
  }
  CHECK(report.to_write == "3-D");
  // A one-dimensional distribution gives some processors two planes, others one or none.
  const RankedVariant& last = report.rankings[2].variants.back();
  CHECK(last.relative == Approx(1.286).epsilon(0.02));
  REQUIRE_FALSE(last.differences.empty());
  double explained = 0.0;
  for (const Difference& difference : last.differences) {
    explained += difference.seconds;
  }
  CHECK(explained == Approx(last.time - report.rankings[2].variants.front().time).epsilon(0.05));
}

TEST_CASE("operations are counted with a table of costs, branches give expectation and spread") {
  const VariantFiles files(small_program, costs + R"(
[[variant]]
name = "plain"
[[variant]]
name = "rows"
arrays.A.distribute = ["block", "*"]
[[variant]]
name = "hidden"
with = ["overlap"]
)");
  const VariantsFile file = files.read();
  REQUIRE(file.variants.size() == 3);
  const Variant& plain = file.variants[0];
  REQUIRE(plain.branches.size() == 1);
  CHECK(plain.branches[0].executions == 10.0);
  // 10 steps of 64² points with 4 additions and 2 multiplications.
  const double work = 10.0 * 4096.0 * (4e-7 + 4e-7);
  CHECK(predicted_time(plain, files.cluster(), "1") == Approx(work));
  // Each step does the second loop with probability 1/4: a binomial number of 4.096 ms.
  const ExpectedTime time = expected_time(plain, files.cluster(), {}, Grid::parse("1"));
  CHECK(time.mean == Approx(work + 2.5 * 4.096e-3));
  CHECK(time.deviation == Approx(std::sqrt(10.0 * 0.25 * 0.75) * 4.096e-3));
  CHECK(predicted_time(file.variants[1], files.cluster(), "4") > work / 4.0);
}

TEST_CASE("differences between variants are explained by place and cause") {
  const VariantFiles files(small_program, costs + R"(
[[variant]]
name = "quick"
[[variant]]
name = "slow"
statements.work.ops = {add = 8}
)");
  const VariantsFile file = files.read();
  std::vector<VariantRow> rows;
  for (std::size_t i = 0; i < 2; ++i) {
    rows.push_back(
        {i, Grid::parse("2x2"), predicted_time(file.variants[i], files.cluster(), "2x2"), 1.0});
  }
  const VariantsReport report = report_variants(file, files.cluster(), {}, rows);
  // 8 additions of 1e-7 take as long as 4 and 2 multiplications: ranks are equal.
  CHECK(report.rankings[0].variants[1].rank == 1);
  const VariantFiles more(small_program, costs + R"(
[[variant]]
name = "quick"
[[variant]]
name = "slow"
statements.work.ops = {add = 10}
)");
  const VariantsFile slower = more.read();
  rows[1].time = predicted_time(slower.variants[1], files.cluster(), "2x2");
  const VariantsReport explained = report_variants(slower, files.cluster(), {}, rows);
  REQUIRE(explained.rankings[0].variants[1].differences.size() == 1);
  const Difference& difference = explained.rankings[0].variants[1].differences[0];
  CHECK(difference.place == "work");
  CHECK(difference.cause == "computing");
  CHECK(difference.seconds == Approx(10.0 * 1024.0 * 2e-7));
}

TEST_CASE("the time of a loop can come from a recorded trace") {
  const VariantFiles recorded(small_program, costs + "[[variant]]\nname = \"a\"\n");
  const std::string trace = recorded.read().variants[0].trace({});
  const auto program = gridcast::trace::parse_program(trace, "recorded.ptr");
  std::int64_t line = 0;
  for (const auto& record : program.records) {
    if (program.function_of(record) == "dopl_") {
      line = program.places[record.place].line;
    }
  }
  std::string described = small_program;
  const std::string ops = "ops = {add = 4, mul = \"n / 32\"}";
  described.replace(described.find(ops), ops.size(),
                    "time_from = {trace = \"recorded.ptr\", line = " + std::to_string(line) + "}");
  const VariantFiles files(described, costs + "[[variant]]\nname = \"a\"\n");
  files.add("recorded.ptr", trace);
  CHECK(predicted_time(files.read().variants[0], files.cluster(), "1") ==
        Approx(10.0 * 4096.0 * 8e-7));
}

TEST_CASE("mistakes in files of variants have a line") {
  const auto line_of = [](const std::string& variants) -> std::size_t {
    const VariantFiles files(small_program, variants);
    try {
      static_cast<void>(files.read());
    } catch (const InputError& error) {
      return error.line();
    }
    return 0;
  };
  CHECK(line_of(costs + "[[variant]]\nname = \"a\"\n") == 0);
  CHECK(line_of(costs + "[[variant]]\nnam = \"a\"\n") == 8);
  CHECK(line_of(costs + "[[variant]]\nname = \"a\"\narrays.Q.shadow = 1\n") == 7);
  CHECK(line_of(costs + "[[variant]]\nname = \"a\"\nstatements.nowhere.time = 1\n") == 7);
  CHECK(line_of(costs + "[[variant]]\nname = \"a\"\nset = {m = 3}\n") == 7);
  CHECK(line_of("processors = [1]\n[[variant]]\nname = \"a\"\n") == 4);
  CHECK(line_of("[[variant]]\nname = \"a\"\n") == 3);
  CHECK(line_of(costs) != 0);
  CHECK(line_of(costs + "[[variant]]\nname = \"a\"\n[[variant]]\nname = \"a\"\n") == 9);
}
