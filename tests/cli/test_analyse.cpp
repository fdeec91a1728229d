#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "run.h"

using namespace gridcast::cli::test;

namespace {

std::string analyse_data(const std::string& name) { return data("analyse/" + name); }

/// A factorial of three factors, repeated: y = 5 + 3a - b, whatever c is.
void write_runs(const std::string& path, std::size_t rows) {
  std::ofstream out(path);
  out << "a,b,c,y\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const int a = (i & 1U) != 0 ? 1 : -1;
    const int b = (i & 2U) != 0 ? 1 : -1;
    const int c = (i & 4U) != 0 ? 1 : -1;
    out << a << ',' << b << ',' << c << ',' << 5 + 3 * a - b << '\n';
  }
}

}  // namespace

TEST_CASE("analyse factors reads a CSV file and writes tables, JSON and pages") {
  const TemporaryDirectory folder;
  const std::string runs = analyse_data("cast_fatigue.csv");
  const Run text = run_gridcast({"analyse", "factors", runs, "--response", "lifetime"});
  CHECK(text.exit_code == 0);
  CHECK(contains(text.out, "key factors: F, D"));
  const Run json = run_gridcast({"analyse", "factors", runs, "--response", "lifetime", "--json",
                                 "-", "--html", folder / "f.html", "--svg", folder / "f.svg"});
  CHECK(json.exit_code == 0);
  CHECK(contains(json.out, "gridcast.factors/1"));
  CHECK(contains(file_text(folder / "f.html"), "class=\"eb\""));
  CHECK(contains(file_text(folder / "f.svg"), "Factors of lifetime"));
  CHECK(failed_with(run_gridcast({"analyse", "factors", runs}), 2, {"--response"}));
  CHECK(failed_with(run_gridcast({"analyse", "factors", runs, "--response", "life"}), 2,
                    {runs, "no column 'life'", "lifetime"}));
}

TEST_CASE("a million rows take no more memory than a few") {
  const TemporaryDirectory folder;
  write_runs(folder / "many.csv", 1'000'000);
  Setting setting;
  setting.memory_limit = 700L << 20;  // what the libraries map alone is most of it
  const Run many = run_gridcast(
      {"analyse", "factors", folder / "many.csv", "--response", "y", "--json", "-"}, setting);
  CHECK(many.exit_code == 0);
  CHECK(contains(many.out, "\"runs\": 1000000"));
  CHECK(contains(many.out, "\"key_factors\": [\"a\"]"));
}

TEST_CASE("analyse factors explains a data set and its Sobol' indices") {
  const TemporaryDirectory folder;
  const Run made =
      run_gridcast({"dataset", config("designs/variance.toml"), "--store", folder / "v.h5"});
  REQUIRE(made.exit_code == 0);
  const Run indices = run_gridcast({"analyse", "factors", folder / "v.h5", "--json", "-"});
  CHECK(indices.exit_code == 0);
  CHECK(contains(indices.out, "\"method\": \"sobol\""));
  CHECK(contains(indices.out, "\"base_points\": 1024"));
  const Run effects = run_gridcast({"analyse", "factors", folder / "v.h5", "--method", "effects"});
  CHECK(contains(effects.out, "key factors: core"));
  CHECK(failed_with(run_gridcast({"analyse", "factors", folder / "v.h5", "--where", "p1=a"}), 2,
                    {"p1=a"}));
}

TEST_CASE("analyse system, net, match and components print what they find") {
  const TemporaryDirectory folder;
  const std::string machine = config("mvs15k.par");
  const Run system =
      run_gridcast({"analyse", "system", jacobi, "--machine", machine, "--grid", "2x2"});
  CHECK(system.exit_code == 0);
  CHECK(contains(system.out, "utilisation of processors"));
  const Run net =
      run_gridcast({"analyse", "net", jacobi, "--pnml", folder / "n.pnml", "--json", "-"});
  CHECK(net.exit_code == 0);
  CHECK(contains(net.out, "gridcast.net/1"));
  const Run again = run_gridcast({"analyse", "net", folder / "n.pnml"});
  CHECK(again.exit_code == 0);
  CHECK(contains(again.out, "reachable markings"));
  const Run match = run_gridcast({"analyse", "match", jacobi, "--machine", machine, "--machine",
                                  config("cluster3level.par"), "--processors", "8"});
  CHECK(match.exit_code == 0);
  CHECK(contains(match.out, "machines for jacobi2d_10000x10.ptr.gz, 8 processors"));
  const Run components = run_gridcast({"analyse", "components", analyse_data("usarrests.csv")});
  CHECK(contains(components.out, "2.4802"));
}

TEST_CASE("variants make one store and one report, alone and under mpirun") {
  const TemporaryDirectory folder;
  const std::string file = config("variants/mhd.toml");
  const std::vector<std::string> small{"--set", "steps=20"};
  std::vector<std::string> words{"variants",      file,     "--store",
                                 folder / "a.h5", "--json", folder / "a.json"};
  words.insert(words.end(), small.begin(), small.end());
  CHECK(run_gridcast(words).exit_code == 0);
  CHECK(contains(file_text(folder / "a.json"), "\"to_write\": \"3-D\""));
  CHECK(names_in(folder.path()) == std::vector<std::string>{"a.h5", "a.json"});
  const Run rows = run_gridcast({"export", folder / "a.h5", "--csv", "-"});
  // Grids of 1, 8 and 64 processors: 1 + 10 + 28, three times 1 + 4 + 7, twice 3.
  CHECK(std::count(rows.out.begin(), rows.out.end(), '\n') == 1 + 39 + 3 * 12 + 2 * 3);
  CHECK(failed_with(run_gridcast(words), 2, {"a.h5", "exists"}));

  std::vector<std::string> ranks{"mpirun", "--allow-run-as-root", "--oversubscribe", "-n",
                                 "3",      GRIDCAST_EXECUTABLE};
  words[3] = folder / "b.h5";
  words[5] = folder / "b.json";
  ranks.insert(ranks.end(), words.begin(), words.end());
  CHECK(run(ranks).exit_code == 0);
  CHECK(file_text(folder / "a.json") == file_text(folder / "b.json"));
}

TEST_CASE("variants stop at their time limit and go on") {
  const TemporaryDirectory folder;
  std::vector<std::string> words{"variants", config("variants/mhd.toml"),
                                 "--store",  folder / "a.h5",
                                 "--set",    "steps=20",
                                 "--csv",    folder / "a.csv"};
  std::vector<std::string> limited = words;
  limited.insert(limited.end(), {"--time-limit", "0"});
  const Run stopped = run_gridcast(limited);
  CHECK(stopped.exit_code == 3);
  CHECK(contains(stopped.err, "the same command goes on"));
  CHECK(names_in(folder.path()) == std::vector<std::string>{"a.h5.parts"});
  CHECK(run_gridcast(words).exit_code == 0);
  CHECK(names_in(folder.path()) == std::vector<std::string>{"a.csv", "a.h5"});
  words[3] = folder / "b.h5";
  words.back() = folder / "b.csv";
  words.insert(words.end(), {"--time-limit", "100000", "--durability", "none"});
  CHECK(run_gridcast(words).exit_code == 0);
  CHECK(file_text(folder / "a.csv") == file_text(folder / "b.csv"));
  CHECK(file_text(folder / "a.csv").starts_with("variant,grid,processors,seconds,"));
  CHECK(failed_with(run_gridcast({"variants", config("variants/mhd.toml"), "--store",
                                  folder / "c.h5", "--time-limit", "soon"}),
                    2, {"--time-limit"}));
}

TEST_CASE("trace check reports all faults of all traces") {
  const TemporaryDirectory folder;
  const std::string group = call("crtshg_", "", "ShadowGroupRef=a;");
  write_file(folder / "two.ptr",
             trace_text(group + call("waitsh_", "ShadowGroupRef=a;") + call("einter_")));
  const Run checked = run_gridcast({"trace", "check", folder / "two.ptr", jacobi});
  CHECK(checked.exit_code == 2);
  CHECK(contains(checked.err, "waits for the exchange of edges that was not started"));
  CHECK(contains(checked.err, "closes an interval that was not opened"));
  CHECK(checked.out == jacobi + ": OK\n");
}
