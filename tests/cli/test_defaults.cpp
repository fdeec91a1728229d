// What is assumed of descriptions and traces (docs/programs.md), against times worked out by hand.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "run.h"

using namespace gridcast::cli::test;
using nlohmann::json;

namespace {

/// Four processors that send at the same time, 1 µs per message, 100 µs per start of a collective
/// operation.
constexpr const char* machine_text =
    "cluster = c;\nc = {4 x p};\nc.CommType = ports;\nc.TStart = 1;\nc.TByte = 0;\n"
    "c.TCollective = 100;\np = 1;\n";

/// A loop that takes no time, and the maximum of a value.
constexpr const char* program_text =
    "[[array]]\nname = \"A\"\nextents = [10]\ndistribute = [\"block\"]\n"
    "[[do]]\nloop = [\"i = 0 : 9\"]\non = \"A[i]\"\ntime = 0\n"
    "reduce = [{ operation = \"max\" }]\n";

/// Microseconds on four processors, and what was assumed.
struct Answer {
  double time = 0.0;
  json assumed;
};

Answer answer(const TemporaryDirectory& directory, const std::string& program,
              const std::vector<std::string>& more = {}) {
  write_file(directory / "m.par", machine_text);
  std::vector<std::string> words{"predict", program, "-m",     directory / "m.par",
                                 "--grid",  "4",     "--json", "-"};
  words.insert(words.end(), more.begin(), more.end());
  const Run predicted = run_gridcast(words);
  INFO(predicted.err);
  REQUIRE(predicted.exit_code == 0);
  const json found = json::parse(predicted.out);
  return {1e6 * found["intervals"][0]["execution_time"].get<double>(), found["assumed"]};
}

}  // namespace

TEST_CASE(
    "a described reduction is that of an MPI library and pays no other, a traced one is not") {
  const TemporaryDirectory directory;
  const std::string program = directory / "p.toml";
  write_file(program, program_text);
  // Two rounds of doubling, whether processes wait for each other or not.
  const Answer plain = answer(directory, program);
  CHECK(plain.time == Approx(2.0));
  CHECK(answer(directory, program, {"--processes=together"}).time == Approx(2.0));
  CHECK(plain.assumed["processes"] == "free");
  CHECK(plain.assumed["reduction"] == "auto");
  CHECK(plain.assumed["block-rule"] == "balanced");
  CHECK(plain.assumed["library-costs"] == "off");
  CHECK(plain.assumed["overhead"] == "0");
  CHECK(plain.assumed["min-block"] == "edge");
  CHECK(answer(directory, program, {"--library-costs=on"}).time == Approx(102.0));
  // Two rounds to the root and two back.
  CHECK(answer(directory, program, {"--reduction=tree"}).time == Approx(4.0));
  // All at once to the root, and all at once back.
  CHECK(answer(directory, program, {"--reduction=linear"}).time == Approx(2.0));
  const std::string trace = directory / "p.ptr";
  REQUIRE(run_gridcast({"trace", "generate", program, "-o", trace}).exit_code == 0);
  const Answer traced = answer(directory, trace);
  CHECK(traced.time == Approx(102.0));
  CHECK(traced.assumed["reduction"] == "linear");
  CHECK(traced.assumed["min-block"] == "0");
  CHECK_FALSE(traced.assumed.contains("overhead"));
  CHECK(answer(directory, trace, {"--reduction=tree", "--library-costs=off"}).time == Approx(4.0));
}

TEST_CASE("a description sets options at its top, and the command line goes before it") {
  const TemporaryDirectory directory;
  const std::string program = directory / "p.toml";
  write_file(program, std::string("reduction = \"linear\"\nlibrary_costs = \"on\"\n"
                                  "min_block = 0\noverhead = 1e-6\n") +
                          program_text);
  const Answer own = answer(directory, program);
  CHECK(own.time > 102.0);
  for (const char* name : {"reduction", "library-costs", "min-block", "overhead"}) {
    CHECK_FALSE(own.assumed.contains(name));
  }
  CHECK(own.assumed["block-rule"] == "balanced");
  // The same calls cost their overhead, whatever else.
  CHECK(own.time - answer(directory, program, {"--library-costs=off"}).time == Approx(100.0));
  CHECK(own.time - answer(directory, program, {"--reduction=tree"}).time == Approx(-2.0));
  for (const std::string wrong :
       {"reduction = \"bush\"", "library_costs = \"maybe\"", "min_block = -1", "block_rule = 3"}) {
    CAPTURE(wrong);
    write_file(program, wrong + "\n" + program_text);
    CHECK(failed_with(run_gridcast({"predict", program, "-m", directory / "m.par"}), 2,
                      {"p.toml:1"}));
  }
}

TEST_CASE("every answer says what was assumed in one line, and the store keeps it") {
  const TemporaryDirectory directory;
  const std::string program = directory / "p.toml";
  const std::string machine = directory / "m.par";
  write_file(program, program_text);
  write_file(machine, machine_text);
  const std::string line = "block-rule=balanced reduction=auto library-costs=off processes=free";
  CHECK(contains(run_gridcast({"predict", program, "-m", machine}).out, line));
  CHECK(contains(run_gridcast({"plan", program, "-m", machine}).out, line));
  const std::string store = directory / "s.h5";
  const Run swept =
      run_gridcast({"sweep", program, "-m", machine, "--store", store, "--mode", "3", "-q"});
  CHECK(contains(swept.out, line));
  CHECK(contains(run_gridcast({"status", store}).out, line));
  const json status = json::parse(run_gridcast({"status", store, "--json", "-"}).out);
  CHECK(status["assumed"]["reduction"] == "auto");
  CHECK(status["assumed"]["placement"] == "row");
  REQUIRE(run_gridcast({"report", store, "--html", directory / "r.html"}).exit_code == 0);
  const std::string page = file_text(directory / "r.html");
  CHECK(contains(page, "block-rule=balanced reduction=auto"));
}

TEST_CASE("analyses, robustness and variants say what was assumed") {
  const TemporaryDirectory directory;
  const std::string program = directory / "p.toml";
  const std::string trace = directory / "t.ptr";
  const std::string machine = directory / "m.par";
  write_file(program, program_text);
  write_file(machine, machine_text);
  REQUIRE(run_gridcast({"trace", "generate", program, "-o", trace}).exit_code == 0);
  write_file(directory / "v.toml",
             "machine = \"m.par\"\nprogram = \"p.toml\"\n[[variant]]\nname = \"one\"\n"
             "grids = [\"4\"]\n");
  using Words = std::vector<std::string>;
  const Words system{"analyse", "system", trace, "-m", machine, "--grid", "4"};
  const Words match{"analyse", "match", trace, trace, "-m", machine};
  const Words variants{"variants", directory / "v.toml", "--store"};
  const Words robust{"robust", program, "-m", machine, "--reach", "2"};
  int number = 0;
  const auto answered = [&](Words words, const Words& more) {
    if (words.back() == "--store") {
      words.push_back(directory / std::to_string(++number) + ".h5");
    }
    words.insert(words.end(), more.begin(), more.end());
    const Run run = run_gridcast(words);
    INFO(run.err);
    REQUIRE(run.exit_code == 0);
    return run.out;
  };
  // Variants are recorded as traces of their own: their defaults are those of traces.
  const std::string traced =
      "assumed block-rule=ceil reduction=linear library-costs=on processes=together";
  CHECK(contains(answered(system, {}), traced + "\n"));
  CHECK(contains(answered(match, {}), traced + " (t.ptr)\n"));
  CHECK(contains(answered(system, {"--html", "-"}), "Assumed: block-rule=ceil reduction=linear"));
  CHECK(contains(answered(match, {"--html", "-"}), "Assumed: block-rule=ceil reduction=linear"));
  const auto assumed = [&](const Words& words, const Words& more = {}) {
    Words all{"--json", "-"};
    all.insert(all.end(), more.begin(), more.end());
    return json::parse(answered(words, all)).at("assumed");
  };
  CHECK(assumed(system)["reduction"] == "linear");
  CHECK_FALSE(assumed(system).contains("min-block"));
  CHECK_FALSE(assumed(system, {"--reduction=tree"}).contains("reduction"));
  REQUIRE(assumed(match).size() == 2);
  CHECK(assumed(match)[1]["block-rule"] == "ceil");
  CHECK(assumed(robust)["reduction"] == "auto");
  CHECK(assumed(robust)["min-block"] == "edge");
  CHECK_FALSE(assumed(robust, {"--min-block=0"}).contains("min-block"));
  CHECK(assumed(variants).contains("reduction"));
  write_file(directory / "runs.csv", "grid,seconds\n2,3e-6\n4,4e-6\n");
  const Words calibrate{"calibrate", program, "-m", machine, "--measured", directory / "runs.csv"};
  CHECK(assumed(calibrate)["processes"] == "free");
  CHECK_FALSE(assumed(calibrate).contains("min-block"));
}

TEST_CASE("a data set with a trace and a description stores what was assumed of each") {
  const TemporaryDirectory directory;
  write_file(directory / "p.toml", program_text);
  write_file(directory / "m.par", machine_text);
  REQUIRE(run_gridcast({"trace", "generate", directory / "p.toml", "-o", directory / "t.ptr"})
              .exit_code == 0);
  write_file(directory / "d.toml",
             "traces = [\"t.ptr\", \"p.toml\"]\nmachines = [\"m.par\"]\ngrids = [\"4\"]\n");
  const std::string store = directory / "d.h5";
  const auto make = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"dataset", directory / "d.toml", "--store", store, "-q"};
    words.insert(words.end(), more.begin(), more.end());
    return run_gridcast(words);
  };
  REQUIRE(make({}).exit_code == 0);
  const json status = json::parse(run_gridcast({"status", store, "--json", "-"}).out);
  REQUIRE(status["assumed"].size() == 2);
  CHECK(status["assumed"][0]["reduction"] == "linear");
  CHECK(status["assumed"][1]["reduction"] == "auto");
  // A condition of searches: the design says the grids.
  CHECK_FALSE(status["assumed"][1].contains("min-block"));
  const Run rows = run_gridcast({"export", store, "--jsonl", "-"});
  const std::size_t end = rows.out.find('\n');
  const json traced = json::parse(rows.out.substr(0, end));
  const json described = json::parse(rows.out.substr(end + 1));
  CHECK(traced["trace"] == 0);
  CHECK(1e6 * traced["execution_time"].get<double>() == Approx(102.0));
  CHECK(1e6 * described["execution_time"].get<double>() == Approx(2.0));
  CHECK(failed_with(make({"--resume", "--reduction=tree"}), 2, {"reduction=tree"}));
}
