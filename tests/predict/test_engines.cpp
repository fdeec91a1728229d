// Predictions by classes of equal processors against predictions processor by processor: every
// characteristic of every interval, on all traces, with machines, grids and options drawn at
// random.

#include <algorithm>
#include <map>

#include "described.h"
#include "draw.h"
#include "fixture.h"
#include "gridcast/compile/compile.h"
#include "same_figures.h"

namespace gridcast::model::test {
namespace {

class Draw : public Drawing {
public:
  using Drawing::Drawing;

  std::string network() {
    switch (between(0, 6)) {
      case 0:
        return "ethernet";
      case 5:
        return "ports";
      case 6:
        return "loggp";
      case 1:
        return "transputer";
      case 2:
        return "myrinet (1)";
      case 3:
        return "myrinet (" + std::to_string(between(2, 8)) + ")";
      default:
        return "myrinet (" + std::to_string(between(9, 70)) + ")";
    }
  }

  // Powers of two make ties exact; zeros make messages empty.
  std::string costs(const std::string& name) {
    const std::string start = one_in(5) ? "0" : one_in(3) ? "8" : std::to_string(between(1, 100));
    const std::string byte = one_in(5)   ? "0"
                             : one_in(3) ? "0.015625"
                                         : "0." + std::to_string(between(100, 199));
    return name + ".TStart = " + start + "; " + name + ".TByte = " + byte + "; ";
  }

  // What networks of ports and the run-time library cost.
  void add_overheads(std::string& text) {
    for (const std::string name : {"c", "n", "m"}) {
      if (text.find(name + ".CommType = ports") == std::string::npos &&
          text.find(name + ".CommType = loggp") == std::string::npos) {
        continue;
      }
      text += costs_of_ports(name);
    }
    if (one_in(4)) {
      text += "c.TCollective = 15; c.TLoad = 1; c.TPortion = 2; ";
    }
    if (one_in(6)) {
      text += "c.TCopy = 0.01; ";
    }
  }

  machine::Cluster cluster() {
    std::string text = "cluster = c; p = " + std::string(one_in(3) ? "1.7" : "1") + "; ";
    const int levels = between(1, 4);
    if (levels <= 2) {
      text += "c = {4000 x p}; c.CommType = " + network() + "; " + costs("c");
    } else if (levels == 3) {
      text += "c = {2000 x n}; c.CommType = " + network() + "; " + costs("c") + "n = {" +
              std::to_string(between(2, 9)) + " x p}; n.CommType = " + network() + "; " +
              costs("n");
    } else {
      text += "c = {400 x n}; c.CommType = myrinet (" + std::to_string(between(1, 20)) + "); " +
              costs("c") + "n = {4 x m}; n.CommType = " + network() + "; " + costs("n") +
              "m = {3 x p}; m.CommType = ethernet; " + costs("m");
    }
    add_overheads(text);
    return machine::Cluster::parse(text, "drawn.par");
  }

  machine::Grid grid(std::int64_t most) {
    std::vector<std::int64_t> extents;
    std::int64_t product = 1;
    for (int dim = between(1, 3); dim > 0; --dim) {
      std::int64_t extent = one_in(3) ? between(1, 40) : between(1, 9);
      extent = product * extent > most ? 1 : extent;
      product *= extent;
      extents.push_back(extent);
    }
    return machine::Grid(extents);
  }

  ModelOptions options() {
    ModelOptions options;
    options.block_rule = one_in(4) ? mapping::BlockRule::balanced : mapping::BlockRule::ceil;
    options.reduction = one_in(4) ? ReductionKind::tree : ReductionKind::linear;
    options.pipeline = one_in(3) ? PipelineMode::full : PipelineMode::steady;
    return options;
  }
};

struct Comparison {
  std::size_t by_classes = 0;
  std::map<std::string, std::size_t> fallbacks;
};

void compare_engines(const std::vector<std::string>& traces, unsigned seed, std::size_t cases,
                     std::int64_t most, Comparison& comparison) {
  std::vector<Compiled> programs;
  for (const std::string& trace : traces) {
    programs.push_back(compile(trace::read_program(data(trace))));
  }
  Draw draw(seed);
  for (std::size_t i = 0; i < cases; ++i) {
    const auto program =
        static_cast<std::size_t>(draw.between(0, static_cast<int>(traces.size()) - 1));
    const machine::Cluster cluster = draw.cluster();
    const machine::Grid on = draw.grid(most);
    ModelOptions options = draw.options();
    CAPTURE(seed, i, traces[program], cluster.text(), on.text(), options.text());
    Predictor fast(programs[program].script, cluster, options);
    options.engine = EngineKind::reference;
    Predictor reference(programs[program].script, cluster, options);
    const std::span<const Characteristics> results = fast.evaluate(on);
    if (!fast.fallback().empty()) {
      ++comparison.fallbacks[fast.fallback()];
      continue;
    }
    ++comparison.by_classes;
    require_same(results, reference.evaluate(on), on);
  }
}

const std::vector<std::string> all_traces{
    "c_acopy_100.ptr",  "c_adi_20x10.ptr.gz",     "c_gauss_10.ptr.gz",   "c_gausswb_10.ptr",
    "c_jac1d_8.ptr",    "c_jac2d_1000x10.ptr.gz", "c_jac2d_8_e1.ptr",    "c_jac3d_200x10.ptr.gz",
    "c_lib_100.ptr.gz", "c_redb_1000x10.ptr.gz",  "c_redist_100_e4.ptr", "c_sor_1000x10.ptr.gz",
    "c_tsk_8.ptr.gz",   "f_across_100.ptr.gz",    "f_adi_20x10.ptr.gz",  "f_feat_100.ptr.gz",
    "f_jac_8.ptr.gz",   "f_jacas_8.ptr.gz",       "f_sor_10.ptr.gz",     "f_tasks_8.ptr.gz",
    "h_gauss_c.ptr.gz", "h_jacross.ptr.gz",       "h_sor.ptr.gz"};

}  // namespace

TEST_CASE("by classes and processor by processor, the figures are the same") {
  Comparison comparison;
  compare_engines(all_traces, 1, 600, 300, comparison);
  CAPTURE(comparison.by_classes);
  // What cannot be told by classes; a reason that is not here is a step back.
  std::size_t fallbacks = 0;
  for (const auto& [reason, count] : comparison.fallbacks) {
    CAPTURE(reason, count);
    CHECK((reason == "tasks and subsystems" || reason == "weighted blocks" ||
           reason == "irregular blocks"));
    fallbacks += count;
  }
  CHECK(fallbacks * 5 < comparison.by_classes);
}

TEST_CASE("exchanges and reductions by classes on large grids") {
  Comparison comparison;
  compare_engines({"c_jac1d_8.ptr", "c_jac2d_1000x10.ptr.gz", "c_jac2d_8_e1.ptr",
                   "c_jac3d_200x10.ptr.gz", "c_redb_1000x10.ptr.gz"},
                  2, 400, 4000, comparison);
  CHECK(comparison.by_classes >= 390);
}

TEST_CASE("rows and columns without elements, few elements, more channels than messages, ties") {
  // Grids of one row, one column, and more processors than elements; on 64 channels the last
  // message of a processor in an empty neighbourhood is not the one that starts last.
  const std::vector<std::string> grids{"2x83",  "2x34",   "2x499",  "3x700",    "700x3",   "40x40",
                                       "60x70", "1x2000", "2000x1", "1x1x1500", "12x12x12"};
  const std::vector<std::string> costs{"c.TStart = 7; c.TByte = 0.004;",
                                       "c.TStart = 0; c.TByte = 0.25;",
                                       "c.TStart = 8; c.TByte = 0;", "c.TStart = 0; c.TByte = 0;",
                                       "c.TStart = 8; c.TByte = 0.015625;"};
  for (const std::string trace : {"c_jac2d_8_e1.ptr", "c_jac1d_8.ptr", "c_jac3d_200x10.ptr.gz"}) {
    const Compiled compiled = compile(trace::read_program(data(trace)));
    for (const int channels : {1, 2, 8, 64, 5000}) {
      for (const std::string& cost : costs) {
        const machine::Cluster cluster =
            machine::Cluster::parse("cluster = c; c = {5000 x p}; p = 1; c.CommType = myrinet (" +
                                        std::to_string(channels) + ");" + cost,
                                    "flat.par");
        ModelOptions options;
        options.engine = EngineKind::reference;
        Predictor fast(compiled.script, cluster);
        Predictor reference(compiled.script, cluster, options);
        // All grids for some machines, one for each of the others.
        const std::size_t step = channels == 64 || cost == costs.front() ? 1 : grids.size();
        for (std::size_t i = static_cast<std::size_t>(channels) % step; i < grids.size();
             i += step) {
          CAPTURE(trace, channels, cost, grids[i]);
          const machine::Grid on = grid(grids[i]);
          const std::span<const Characteristics> results = fast.evaluate(on);
          CHECK(fast.fallback().empty());
          require_same(results, reference.evaluate(on), on);
        }
      }
    }
  }
}

TEST_CASE("networks of ports: rows and columns without elements, few elements, overlapping waits") {
  const std::vector<std::string> grids{"2x83", "3x2", "1x5", "60x70", "12x12x12", "1x2000", "40x3"};
  const std::vector<std::string> costs{"c.L = 7; c.G = 0.004; c.o = 2; c.g = 1;",
                                       "c.L = 0; c.G = 0; c.o_s = 1;", "c.L = 8; c.G = 0; c.g = 4;",
                                       "c.L = 8; c.G = 0.015625; c.o = 64; c.TCopy = 0.125;",
                                       "c.L = 1; c.G = 0.25; c.o_r = 16; c.TCollective = 32;"};
  for (const std::string trace : {"c_jac2d_8_e1.ptr", "c_jac1d_8.ptr", "c_jac3d_200x10.ptr.gz"}) {
    const Compiled compiled = compile(trace::read_program(data(trace)));
    for (const std::string& cost : costs) {
      const machine::Cluster cluster = machine::Cluster::parse(
          "cluster = c; c = {5000 x p}; p = 1; c.CommType = loggp;" + cost, "flat.par");
      ModelOptions options;
      options.engine = EngineKind::reference;
      Predictor fast(compiled.script, cluster);
      Predictor reference(compiled.script, cluster, options);
      for (const std::string& each : grids) {
        CAPTURE(trace, cost, each);
        const machine::Grid on = grid(each);
        const std::span<const Characteristics> results = fast.evaluate(on);
        CHECK(fast.fallback().empty());
        require_same(results, reference.evaluate(on), on);
      }
    }
  }
}

TEST_CASE(
    "steps that do not divide blocks: coordinates that are alike need not follow each other") {
  const auto program = [](const std::string& step) {
    return compile(described(
        "[[array]]\nname = \"A\"\nextents = [1000, 1000]\nshadow = 1\n"
        "distribute = [\"block\", \"block\"]\n"
        "[[array]]\nname = \"B\"\nextents = [100, 300]\nshadow = 2\nindex = [\"i\", \"j\"]\n"
        "align = \"A[" +
        step +
        " * i + 1, 3 * j + 2]\"\n"
        "[[do]]\nrepeat = 3\ninterval = \"sequential\"\n"
        "[[do.do]]\nexchange = [\"A\", \"B\"]\ncorners = true\nstart = \"edges\"\n"
        "[[do.do]]\nloop = [\"i = 1 : 998 : " +
        step +
        "\", \"j = 2 : 998 : 2\"]\n"
        "on = \"A[i, j]\"\ntime = 1e-5\n"
        "reduce = [{ operation = \"max\", type = \"double\" }]\n"
        "[[do.do]]\nloop = [\"i = 0 : 99\", \"j = 10 : 200\"]\non = \"B[i, j]\"\ntime = "
        "1e-5\n[[do.do]]\nwait = \"edges\"\n"));
  };
  const std::string costs = "TStart = 7; c.TByte = 0.004; c.TSend = 1; c.TRecv = 2; c.TGap = 0.5; ";
  for (const char* const step : {"1", "2", "4", "9"}) {
    const Compiled compiled = program(step);
    for (const std::string nodes : {"c = {90000 x p}; ", "c = {20000 x n}; n = {5 x p}; ",
                                    "c = {3000 x n}; n = {2 x m}; m = {16 x p}; "}) {
      const std::string below = nodes.find("n = ") == std::string::npos
                                    ? ""
                                    : "n.CommType = ports; n.TStart = 1; n.TByte = 0.0001; ";
      const std::string lowest = nodes.find("m = ") == std::string::npos
                                     ? ""
                                     : "m.CommType = ports; m.TStart = 0.5; m.TByte = 0.0002; ";
      const machine::Cluster cluster = machine::Cluster::parse(
          "cluster = c; p = 1; " + nodes + "c.CommType = ports; c." + costs + below + lowest,
          "trees.par");
      for (const mapping::BlockRule blocks :
           {mapping::BlockRule::ceil, mapping::BlockRule::balanced}) {
        ModelOptions options;
        options.block_rule = blocks;
        Predictor fast(compiled.script, cluster, options);
        options.engine = EngineKind::reference;
        Predictor reference(compiled.script, cluster, options);
        for (const char* const each : {"24x40", "61x17", "1x300", "999x1", "45x48"}) {
          CAPTURE(step, nodes, static_cast<int>(blocks), each);
          const machine::Grid on = grid(each);
          const std::span<const Characteristics> results = fast.evaluate(on);
          CHECK(fast.fallback().empty());
          require_same(results, reference.evaluate(on), on);
        }
      }
    }
  }
}

TEST_CASE("blocks of two lengths in any order: grids of as many processors one after the other") {
  const Compiled compiled = compile(described(
      "[[array]]\nname = \"A\"\nextents = [1000, 701]\nshadow = 1\n"
      "distribute = [\"block\", \"block\"]\n"
      "[[array]]\nname = \"B\"\nextents = [640, 500]\nshadow = 1\n"
      "distribute = [\"block\", \"block\"]\n"
      "[[do]]\nrepeat = 2\ninterval = \"sequential\"\n"
      "[[do.do]]\nexchange = [\"A\", \"B\"]\n"
      "[[do.do]]\nloop = [\"i = 1 : 998\", \"j = 1 : 699\"]\non = \"A[i, j]\"\ntime = 1e-5\n"
      "reduce = [{ operation = \"sum\", type = \"double\" }]\n"
      "[[do.do]]\nloop = [\"i = 0 : 639\", \"j = 2 : 400\"]\non = \"B[i, j]\"\ntime = 1e-5\n"
      "reduce = [{ operation = \"max\", type = \"double\" }]\n"));
  const std::string costs = "TStart = 7; c.TByte = 0.004; c.TSend = 1; c.TRecv = 2; c.TGap = 0.5; ";
  const std::string inside = "n.CommType = ports; n.TStart = 1; n.TByte = 0.0001; ";
  for (const std::string& nodes :
       {std::string("c = {90000 x p}; "), "c = {20000 x n}; n = {6 x p}; " + inside,
        "c = {3000 x n}; n = {32 x p}; " + inside}) {
    const machine::Cluster cluster = machine::Cluster::parse(
        "cluster = c; p = 1; " + nodes + "c.CommType = ports; c." + costs, "trees.par");
    for (const ReductionKind kind : {ReductionKind::linear, ReductionKind::tree,
                                     ReductionKind::doubling, ReductionKind::rabenseifner}) {
      ModelOptions options;
      options.block_rule = mapping::BlockRule::balanced;
      options.reduction = kind;
      Predictor fast(compiled.script, cluster, options);
      options.engine = EngineKind::reference;
      // Of 71 rows few are longer: most of them lie between rows of the same kinds.
      for (const char* const each : {"61x17", "17x61", "1037x1", "46x24", "24x46", "71x15"}) {
        CAPTURE(nodes, static_cast<int>(kind), each);
        const machine::Grid on = grid(each);
        const std::span<const Characteristics> results = fast.evaluate(on);
        CHECK(fast.fallback().empty());
        Predictor reference(compiled.script, cluster, options);
        require_same(results, reference.evaluate(on), on);
      }
    }
  }
}

TEST_CASE("a million processors whose blocks differ by turns are told by classes") {
  struct Case {
    std::string elements, step;
    mapping::BlockRule blocks;
    double longest;  // elements of a block that count
  };
  const std::vector<Case> cases{
      {"64512", "2", mapping::BlockRule::ceil, 32},  // red-black: every second one of 63, 32 and 31
      {"1536", "1", mapping::BlockRule::balanced, 2},  // 1 and 2
  };
  const machine::Cluster cluster = machine::Cluster::parse(
      "cluster = c; c = {1048576 x p}; p = 1; c.CommType = ports; c.TStart = 7; c.TByte = 0.004;",
      "flat.par");
  for (const auto& [elements, step, blocks, longest] : cases) {
    CAPTURE(elements, step);
    const std::string range = " = 0 : " + elements + " - 1 : " + step + "\"";
    const Compiled compiled =
        compile(described("[[array]]\nname = \"A\"\nextents = [" + elements + ", " + elements +
                          "]\ndistribute = [\"block\", \"block\"]\n[[do]]\nloop = [\"i" + range +
                          ", \"j" + range + "]\non = \"A[i, j]\"\ntime = 1e-6\n"));
    ModelOptions options;
    options.block_rule = blocks;
    Predictor fast(compiled.script, cluster, options);
    const double time = fast.evaluate(grid("1024x1024")).front().execution_time;
    CHECK(fast.fallback().empty());
    CHECK(time == Approx(longest * longest * 1e-6).epsilon(1e-9));
  }
}

TEST_CASE("the engine does not show in what cannot be told by classes") {
  const Compiled compiled = compile(trace::read_program(data("c_jac2d_8_e1.ptr")));
  const machine::Cluster cluster = heterogeneous();
  Predictor fast(compiled.script, cluster);
  ModelOptions options;
  options.engine = EngineKind::reference;
  Predictor reference(compiled.script, cluster, options);
  const machine::Grid on = grid("6x8");
  CHECK(fast.evaluate(on).front().execution_time == reference.evaluate(on).front().execution_time);
  CHECK(fast.fallback() == "processors of unequal performance");
  CHECK(reference.fallback().empty());
  // Equal ones come first: by classes as far as they go.
  fast.evaluate(grid("2x1"));
  CHECK(fast.fallback().empty());
}

}  // namespace gridcast::model::test
