// Bounds of free processes: never above a prediction of random programs, of those of
// configs/programs, and of iterations that are left out; each lemma of docs/search.md, "Free
// processes", alone.

#include <array>
#include <tuple>

#include "boxes.h"
#include "described.h"

namespace gridcast::model::test {
namespace {

constexpr std::array free_reductions{ReductionKind::linear,   ReductionKind::tree,
                                     ReductionKind::doubling, ReductionKind::rabenseifner,
                                     ReductionKind::ring,     ReductionKind::automatic};

ModelOptions free_of_round(int round) {
  ModelOptions options = options_of_round(round);
  options.processes = ProcessKind::free;
  options.reduction = free_reductions.at(static_cast<std::size_t>(round) % free_reductions.size());
  options.iterations = round % 5 == 0 ? 0 : round % 5 == 1 ? 64 : 2 + round % 4;
  return options;
}

/// Flat machines and nodes of ports, whose messages travel eagerly below so many bytes.
std::vector<machine::Cluster> free_machines(const std::string& eager) {
  const std::string ports =
      "TStart = 3; c.TByte = 0.01; c.TSend = 0.5; c.TRecv = 0.75; c.TGap = 0.3; c.EagerLimit = " +
      eager + ";";
  return bounded_kinds(
      {machine::Cluster::parse(
           "cluster = c; c = {65536 x p}; c.CommType = ports; c." + ports + " p = 1;", "flat.par"),
       machine::Cluster::parse(
           "cluster = c; c = {4096 x n}; c.CommType = ports; c." + ports +
               " n = {4 x p}; n.CommType = ports; n.TStart = 1; n.TByte = 0.002; n.TSend = 0.2;"
               " n.EagerLimit = " +
               eager + "; p = 1;",
           "nodes.par"),
       port_nodes(), free_of_charge(),
       machine::Cluster::parse(
           "cluster = c; c = {65536 x p}; c.CommType = ports; c." + ports +
               " p = 1; c.Allreduce = {4 24 linear, 9 8 tree, 30 100 ring, 70 16 rabenseifner};",
           "table.par")});
}

double closeness_of(const Compiled& compiled, const machine::Cluster& cluster,
                    const ModelOptions& options, const std::string& on) {
  const machine::Grid grid = machine::Grid::parse(on);
  const double bound = BoxBound(compiled.script, cluster, options)(grid).time;
  const double time =
      Predictor(compiled.script, cluster, options).evaluate(grid).front().execution_time;
  CAPTURE(on, bound, time);
  CHECK(bound <= time);
  return bound / time;
}

}  // namespace

TEST_CASE("bounds of free processes: random programs") {
  std::mt19937 random(41);
  const std::vector<machine::Cluster> eager = free_machines("65536");
  const std::vector<machine::Cluster> asked = free_machines("0");
  const std::vector<machine::Cluster> mixed = free_machines("40");
  const double closeness = mean_closeness(60, [&](int round) {
    Run run;
    Elements elements(run, random_grid(random));
    random_program(random, elements, run);
    const Compiled compiled = compile(run.program());
    return look_at_machines(compiled,
                            round % 3 == 0   ? eager
                            : round % 3 == 1 ? asked
                                             : mixed,
                            free_of_round(round), elements.grid().rank(), 40, 2, random);
  });
  CHECK(closeness > 0.3);  // it bounds something
}

TEST_CASE("bounds of free processes: programs whose iterations are left out") {
  std::mt19937 random(43);
  const std::pair<const char*, trace::ParameterValues> programs[] = {
      {"jacobi2d", {{"n", "60"}, {"iterations", "24"}}},
      {"jacobi3d", {{"n", "20"}, {"iterations", "12"}}},
      {"redblack", {{"n", "50"}}},
      {"cg", {{"iterations", "9"}}},
      {"sor", {{"n", "40"}, {"iterations", "9"}}},
      {"adi", {{"n", "40"}, {"iterations", "7"}}},
      {"torus", {}},
      {"taskjacobi", {{"n", "60"}}},
      {"multigrid", {{"n", "32"}, {"cycles", "5"}}}};
  int round = 0;
  for (const auto& [name, values] : programs) {
    CAPTURE(name);
    const Compiled compiled = compile(shipped_program(name, values));
    for (const char* eager : {"65536", "0", "200"}) {
      ++round;
      CAPTURE(eager, round);
      ModelOptions options = free_of_round(round);
      for (const std::int64_t iterations : {options.iterations, std::int64_t{6}}) {
        options.iterations = iterations;
        const double closeness =
            look_at_machines(compiled, free_machines(eager), options,
                             compiled.script.header().grid_rank, 60, 3, random);
        CHECK(closeness > 0.0);
      }
    }
  }
}

TEST_CASE("bounds of statements over blocks: whoever waits for whom") {
  std::mt19937 random(47);
  int round = 0;
  for (const char* name : {"cg_doubling.toml", "halo.toml", "particles.toml", "pencils.toml",
                           "sendrecv_heat.toml", "wavefront.toml"}) {
    CAPTURE(name);
    const std::vector<std::filesystem::path> files{std::filesystem::path(GRIDCAST_SOURCE_DIR) /
                                                   "configs" / "messages" / name};
    const Compiled compiled = compile(trace::read_run(files, {}, {}));
    for (const ProcessKind kind : {ProcessKind::free, ProcessKind::together}) {
      if (kind == ProcessKind::together && name == std::string("wavefront.toml")) {
        continue;  // its messages are matched by free processes only
      }
      ModelOptions options;
      options.processes = kind;
      options.reduction = ReductionKind::automatic;
      options.iterations = std::array{0, 3, 6, 64}.at(static_cast<std::size_t>(++round) % 4);
      CHECK(look_at_machines(compiled, free_machines("4096"), options,
                             compiled.script.header().grid_rank, 40, 2, random) > 0.02);
    }
  }
}

TEST_CASE("bounds of statements over blocks: computing alone is all that it takes") {
  // Three passes of 2 us a point of blocks of at most 25 x 34, and 10 us.
  const Compiled compiled =
      compile(described("[[domain]]\nname = \"D\"\nextents = [100, 100]\n"
                        "[[do]]\nrepeat = 3\n[[do.do]]\nover = \"D\"\ncompute = \"2e-6*b1*b2\"\n"
                        "[[do]]\nover = \"D\"\ncompute = \"1e-5\"\n"));
  const machine::Cluster flat = free_machines("0")[6];
  for (const ProcessKind kind : {ProcessKind::free, ProcessKind::together}) {
    ModelOptions options;
    options.processes = kind;
    const double closeness = closeness_of(compiled, flat, options, "4x3");
    CHECK(closeness == Approx(1.0).epsilon(1e-8));
    CHECK(BoxBound(compiled.script, flat, options)(machine::Grid::parse("4x3")).time ==
          Approx(3 * 25 * 34 * 2e-6 + 1e-5).epsilon(1e-8));
  }
}

TEST_CASE("bounds of free processes: what all compute and chains of collectives add up") {
  // Three times: 16 x 16 points of 1 us, then a sum of 8 bytes in four rounds. All are in step.
  const Compiled compiled = compile(
      described("[[array]]\nname = \"A\"\nextents = [64, 64]\ndistribute = [\"block\", \"block\"]\n"
                "[[do]]\nrepeat = 3\n[[do.do]]\nloop = [\"i = 0 : 63\", \"j = 0 : 63\"]\n"
                "on = \"A[i, j]\"\ntime = 1e-6\nreduce = [{ operation = \"sum\" }]\n"));
  const machine::Cluster flat = free_machines("65536")[6];
  ModelOptions options;
  options.processes = ProcessKind::free;
  options.reduction = ReductionKind::doubling;
  // Of a box: but for TGap, 0.3 us, in the place of 8 bytes.
  const double known = 3 * (256 + 4 * (0.5 + 3.0 + 0.08 + 0.75));
  CHECK(BoxBound(compiled.script, flat, options)(machine::GridBox(machine::Grid::parse("4x4")), 16)
            .time == Approx(1e-6 * known).epsilon(1e-8));
  const double all = 3 * (256 + 4 * (0.5 + 3.0 + 0.3 + 0.75));
  CHECK(BoxBound(compiled.script, flat, options)(machine::Grid::parse("4x4")).time ==
        Approx(1e-6 * all).epsilon(1e-8));
  CHECK(closeness_of(compiled, flat, options, "4x4") == Approx(1.0).epsilon(1e-8));
}

TEST_CASE("bounds of free processes: the chain of a collective is all that it takes") {
  // Nothing but a sum of 8 or 1600 bytes by processes that begin together: rounds of messages.
  const std::vector<machine::Cluster> machines = free_machines("65536");
  const machine::Cluster& ports = machines[6];
  for (const std::int64_t length : {1, 200}) {
    Run run;
    run.target({64, 64}).loop(0, {64, 64});
    run(trace::CreateReductionGroup{0})(trace::CreateReduction{0, 8, length, 0});
    run(trace::InsertReduction{0, 0})(trace::StartReduction{0})(trace::WaitReduction{0});
    const Compiled compiled = compile(run.program());
    const double bytes = 8.0 * static_cast<double>(length);
    const auto m = [](double each) {
      return 1e-6 * (0.5 + 3.0 + std::max(0.3, each * 0.01) + 0.75);
    };
    ModelOptions options;
    options.processes = ProcessKind::free;
    for (const auto& [on, rounds] : {std::pair{"2x1", 1.0}, {"4x2", 3.0}, {"8x8", 6.0}}) {
      CAPTURE(length, on);
      options.reduction = ReductionKind::doubling;
      const double time = Predictor(compiled.script, ports, options)
                              .evaluate(machine::Grid::parse(on))
                              .front()
                              .execution_time;
      CHECK(time == Approx(rounds * m(bytes)).epsilon(1e-9));
      if (length > 1) {  // no shorter than TGap
        CHECK(closeness_of(compiled, ports, options, on) == Approx(1.0).epsilon(1e-8));
      }
      options.reduction = ReductionKind::ring;
      CHECK(closeness_of(compiled, ports, options, on) > 0.8);
      options.reduction = ReductionKind::rabenseifner;
      CHECK(closeness_of(compiled, ports, options, on) > 0.7);
    }
  }
}

TEST_CASE("bounds of free processes: the load of the busiest port") {
  // Edges of 10^4 bytes and more each way along both dimensions: four through a port in the middle.
  Run run;
  run.target({4000, 4000}).array(0, {4000, 4000}, 8, {1, 1}, {1, 1});
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, {-1, -1}, {-1, -1}, 1});
  for (int i = 0; i < 3; ++i) {
    run(trace::StartShadow{0})(trace::WaitShadow{0});
  }
  const Compiled compiled = compile(run.program());
  ModelOptions options;
  options.processes = ProcessKind::free;
  for (const char* eager : {"0", "65536"}) {
    CAPTURE(eager);
    CHECK(closeness_of(compiled, free_machines(eager)[6], options, "5x5") > 0.5);
  }
}

TEST_CASE("bounds of free processes: iterations with sums are close to what they take") {
  ModelOptions options;
  options.processes = ProcessKind::free;
  options.reduction = ReductionKind::automatic;
  options.block_rule = mapping::BlockRule::balanced;
  const std::vector<machine::Cluster> machines = free_machines("65536");
  for (const auto& [all, simulated, least] :
       {std::tuple{"8", 4, 0.9}, {"40", 64, 0.9}, {"40", 0, 0.9}, {"100", 64, 0.8}}) {
    const Compiled compiled =
        compile(shipped_program("jacobi2d", {{"n", "800"}, {"iterations", all}}));
    options.iterations = simulated;
    for (const int machine : {6, 7}) {
      for (const char* on : {"8x8", "4x16", "2x32"}) {
        CAPTURE(all, simulated, machine);
        CHECK(closeness_of(compiled, machines[static_cast<std::size_t>(machine)], options, on) >
              least);
      }
    }
  }
}

}  // namespace gridcast::model::test
