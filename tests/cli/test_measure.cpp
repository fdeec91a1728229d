#include <sched.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "run.h"

namespace gridcast::cli::test {
namespace {

using nlohmann::json;

std::vector<std::string> under_mpirun(int ranks, std::vector<std::string> words) {
  std::vector<std::string> result{MPIEXEC_EXECUTABLE, "-n", std::to_string(ranks),
                                  MEASURE_EXECUTABLE};
  result.insert(result.end(), words.begin(), words.end());
  return result;
}

void allow_mpirun() {
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
}

/// The number that a statement of a machine file gives.
double statement_of(const std::string& machine, const std::string& name) {
  const std::size_t begin = machine.find("\n" + name + " = ");
  REQUIRE(begin != std::string::npos);
  return std::stod(machine.substr(begin + name.size() + 4));
}

/// Processors that this test may use.
std::vector<int> usable_processors() {
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  std::vector<int> numbers;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) {
      numbers.push_back(i);
    }
  }
  return numbers;
}

/// gridcast-measure --kernel on a host that looks like this to hwloc ("pack:2 core:4 pu:1").
json socket_of_host(const std::string& host, std::vector<std::string> before = {}) {
  for (const char* word : {"env", "HWLOC_THISSYSTEM=1"}) {
    before.emplace_back(word);
  }
  before.push_back("HWLOC_SYNTHETIC=" + host);
  for (const char* word : {MEASURE_EXECUTABLE, "--kernel", "--quick", "--json", "-"}) {
    before.emplace_back(word);
  }
  const Run measured = run(before);
  INFO(measured.err);
  REQUIRE(measured.exit_code == 0);
  const json socket = json::parse(measured.out)["socket"];
  CHECK(contains(measured.err, "only " + std::to_string(socket["cores"].get<int>()) + " of the ") ==
        (socket["cores"] < socket["cores_of_socket"]));
  return socket;
}

}  // namespace

TEST_CASE("gridcast-measure writes a machine that predict takes") {
  allow_mpirun();
  const TemporaryDirectory directory;
  const Run measured =
      run(under_mpirun(2, {"--quick", "-o", directory / "here.par", "--table",
                           directory / "here.csv", "--html", directory / "here.html"}));
  INFO(measured.err);
  REQUIRE(measured.exit_code == 0);
  CHECK(contains(measured.out, "latency L"));
  CHECK(contains(file_text(directory / "here.par"), "CommType = ports"));
  CHECK(contains(file_text(directory / "here.csv"), "triad in memory"));
  CHECK(contains(file_text(directory / "here.html"), "<circle"));
  const Run predicted =
      run_gridcast({"predict", jacobi, "-m", directory / "here.par", "-g", "2x1", "-q"});
  CHECK(predicted.exit_code == 0);
  const Run ratio =
      run({MEASURE_EXECUTABLE, "ratio", directory / "here.csv", directory / "here.csv"});
  CHECK(ratio.exit_code == 0);
  CHECK(contains(ratio.out, "1.000"));
  const Run channels =
      run(under_mpirun(2, {"--quick", "--network", "myrinet", "-o", directory / "wide.par"}));
  CHECK(channels.exit_code == 0);
  CHECK(contains(file_text(directory / "wide.par"), "myrinet (1)"));
}

TEST_CASE("the numbers of gridcast-measure are those of the machine and the table it writes") {
  allow_mpirun();
  const TemporaryDirectory directory;
  const Run measured = run(under_mpirun(2, {"--quick", "-o", directory / "here.par", "--table",
                                            directory / "here.csv", "--json", "-"}));
  INFO(measured.err);
  REQUIRE(measured.exit_code == 0);
  const json result = json::parse(measured.out);
  CHECK(result["schema"] == "gridcast.measurement/1");
  CHECK(result["ranks"] == 2);
  REQUIRE(result["networks"].size() == 1);
  const json& network = result["networks"][0];
  const std::string machine = file_text(directory / "here.par");
  const std::string name = network["name"];
  if (network["segments"].size() == 1) {
    CHECK(statement_of(machine, name + ".TStart") ==
          Approx(1e6 * network["latency"]["value"].get<double>()).epsilon(1e-5));
    CHECK(statement_of(machine, name + ".TByte") ==
          Approx(1e6 * network["per_byte"]["value"].get<double>()).epsilon(1e-5));
  } else {
    // One line is not enough: the last one is that of the longest messages.
    const std::string last = machine.substr(machine.find("\n" + name + ".Segments = {"));
    const std::size_t begin = last.rfind('(', last.find("};"));
    const std::size_t comma = last.find(", ", begin);
    const json& segment = network["segments"].back();
    const double own =
        network["send"]["value"].get<double>() + network["receive"]["value"].get<double>();
    CHECK(std::stod(last.substr(begin + 1)) ==
          Approx(std::max(1e6 * (segment["start"].get<double>() - own), 0.0)).epsilon(1e-4));
    CHECK(std::stod(last.substr(comma + 2)) ==
          Approx(1e6 * segment["per_byte"].get<double>()).epsilon(1e-4));
  }
  CHECK(contains(machine, name + " = {" + std::to_string(network["parts"].get<int>()) + " x " +
                              network["part"].get<std::string>() + "};"));
  CHECK(network["samples"]["single"].size() == 8);  // 1 byte to 2 MiB, by factors of 8
  const std::string written = file_text(directory / "here.csv");
  for (const json& kernel : result["kernels"]) {
    CAPTURE(kernel.dump());
    const std::string line = "\n" + kernel["name"].get<std::string>() + ",";
    const std::size_t begin = written.find(line);
    REQUIRE(begin != std::string::npos);
    CHECK(std::stod(written.substr(begin + line.size())) == kernel["seconds"].get<double>());
  }
  write_file(directory / "slow.csv",
             "kernel,seconds,low,high\na,8e-9,8e-9,8e-9\nb,2e-9,2e-9,2e-9\n");
  write_file(directory / "fast.csv",
             "kernel,seconds,low,high\na,2e-9,2e-9,2e-9\nb,2e-9,2e-9,2e-9\n");
  const Run ratio = run(
      {MEASURE_EXECUTABLE, "ratio", directory / "slow.csv", directory / "fast.csv", "--json", "-"});
  REQUIRE(ratio.exit_code == 0);
  const json ratios = json::parse(ratio.out);
  CHECK(ratios["schema"] == "gridcast.ratio/1");
  CHECK(ratios["speeds"][0]["ratio"].get<double>() == Approx(4.0));
  CHECK(ratios["speeds"][1]["ratio"].get<double>() == Approx(1.0));
  CHECK(ratios["mean"].get<double>() == Approx(2.0));  // geometric
}

TEST_CASE("core of gridcast-measure --kernel is the mean of the ratios of loops through memory") {
  allow_mpirun();
  const TemporaryDirectory directory;
  const Run measured = run(
      under_mpirun(2, {"--kernel", "--quick", "-o", directory / "here.par", "--table",
                       directory / "here.csv", "--html", directory / "here.html", "--json", "-"}));
  INFO(measured.err);
  REQUIRE(measured.exit_code == 0);
  const json result = json::parse(measured.out);
  const json& alone = result["kernels"];
  const json& busy = result["socket"]["kernels"];
  REQUIRE(alone.size() == busy.size());
  double in_memory = 0.0;
  double all = 0.0;
  for (std::size_t i = 0; i < busy.size(); ++i) {
    REQUIRE(busy[i]["name"] == alone[i]["name"]);
    const double ratio = alone[i]["seconds"].get<double>() / busy[i]["seconds"].get<double>();
    CHECK(busy[i]["ratio"].get<double>() == Approx(ratio).epsilon(1e-12));
    all += std::log(ratio) / static_cast<double>(busy.size());
    // stencil, copy and triad
    in_memory += contains(busy[i]["name"], "in memory") ? std::log(ratio) / 3.0 : 0.0;
    CHECK(contains(file_text(directory / "here.csv"), "\n" + busy[i]["name"].get<std::string>()));
  }
  CHECK(result["socket"]["ratio"].get<double>() == Approx(std::exp(all)).epsilon(1e-12));
  CHECK(result["socket"]["ratio_in_memory"].get<double>() ==
        Approx(std::exp(in_memory)).epsilon(1e-12));
  char core[32];
  std::snprintf(core, sizeof core, "\ncore = %.3g;\n", std::exp(in_memory));
  CHECK(contains(file_text(directory / "here.par"), core));
  CHECK(contains(file_text(directory / "here.html"), "alone / busy"));
  CHECK(run_gridcast({"predict", jacobi, "-m", directory / "here.par", "-g", "2x1", "-q"})
            .exit_code == 0);
  // Tables with a socket and without compare what one core does alone.
  write_file(directory / "old.csv",
             "kernel,seconds,low,high\ntriad in memory," +
                 std::to_string(4.0 * alone.back()["seconds"].get<double>() * 1e9) + "e-9,1,1\n");
  const Run ratio =
      run({MEASURE_EXECUTABLE, "ratio", directory / "old.csv", directory / "here.csv"});
  INFO(ratio.err);
  CHECK(contains(ratio.out, "4.000"));
}

TEST_CASE("gridcast-measure --kernel needs no mpirun and measures no network then") {
  const Run measured = run({MEASURE_EXECUTABLE, "--kernel", "--quick"});
  INFO(measured.err);
  REQUIRE(measured.exit_code == 0);
  CHECK(contains(measured.out, "alone / busy"));
  CHECK(contains(measured.out, "geometric mean of the loops through memory (core)"));
  CHECK_FALSE(contains(measured.out, "network of"));
  const Run without = run({MEASURE_EXECUTABLE, "--quick", "--json", "-"});
  REQUIRE(without.exit_code == 0);
  CHECK(json::parse(without.out)["socket"].is_null());
}

TEST_CASE("gridcast-measure --kernel runs one thread on each core that may be used") {
  const std::vector<int> usable = usable_processors();
  std::set<int> pairs;
  for (const int processor : usable) {
    pairs.insert(processor / 2);
  }
  // 512 cores of two hardware threads each.
  const json threads = socket_of_host("pack:1 core:512 pu:2");
  CHECK(threads["cores"] == pairs.size());
  CHECK(threads["cores_of_socket"] == 512);
  const json cores = socket_of_host("pack:1 core:1024 pu:1");
  CHECK(cores["cores"] == usable.size());
  CHECK(cores["cores_of_socket"] == 1024);
  // Each core has a socket for itself: nothing is shared.
  const json sockets = socket_of_host("pack:1024 core:1 pu:1");
  CHECK(sockets["cores"] == 1);
  CHECK(sockets["cores_of_socket"] == 1);
  CHECK(sockets["ratio"] == 1.0);
  const json bound =
      socket_of_host("pack:1 core:1024 pu:1", {"taskset", "-c", std::to_string(usable.back())});
  CHECK(bound["cores"] == 1);
  CHECK(bound["ratio_in_memory"] == 1.0);
}

TEST_CASE("gridcast-measure --kernel uses the cores of all ranks of a host") {
  allow_mpirun();
  const std::vector<int> usable = usable_processors();
  std::vector<std::string> words{MPIEXEC_EXECUTABLE, "--bind-to", "none"};
  for (const int processor : {usable.front(), usable.back()}) {
    for (const std::string& word :
         std::vector<std::string>{":", "-n", "1", "taskset", "-c", std::to_string(processor),
                                  MEASURE_EXECUTABLE, "--kernel", "--quick", "--json", "-"}) {
      words.push_back(word);
    }
  }
  words.erase(std::ranges::find(words, ":"));
  const Run measured = run(words);
  INFO(measured.err);
  REQUIRE(measured.exit_code == 0);
  const json all = json::parse(measured.out);
  CHECK(all["ranks"] == 2);
  const Run same =
      run({"taskset", "-c", std::to_string(usable.front()) + "," + std::to_string(usable.back()),
           MEASURE_EXECUTABLE, "--kernel", "--quick", "--json", "-"});
  REQUIRE(same.exit_code == 0);
  CHECK(all["socket"]["cores"] == json::parse(same.out)["socket"]["cores"]);
}

TEST_CASE("gridcast-measure compares two traces interval by interval") {
  const Run same = run({MEASURE_EXECUTABLE, "ratio", jacobi, jacobi});
  CHECK(same.exit_code == 0);
  CHECK(contains(same.out, "whole program"));
  CHECK(contains(same.out, "1.000"));
  CHECK(failed_with(run({MEASURE_EXECUTABLE, "ratio", jacobi, data("measured/c_gauss_500.ptr.gz")}),
                    2, {"intervals"}));
}

TEST_CASE("gridcast-measure refuses in one line what it cannot do") {
  allow_mpirun();
  const TemporaryDirectory directory;
  CHECK(failed_with(run({MEASURE_EXECUTABLE, "--fast"}), 2, {"--fast"}));
  CHECK(failed_with(run({MEASURE_EXECUTABLE, "--table", "-", "--json", "-"}), 2,
                    {"at most one result on standard output"}));
  CHECK(failed_with(run({MEASURE_EXECUTABLE, "-o", directory / "one.par"}), 2,
                    {"one process", "mpirun -n 2"}));
  CHECK(failed_with(run({MEASURE_EXECUTABLE, "--kernel", "-o", directory / "one.par"}), 2,
                    {"one process", "mpirun -n 2"}));
  CHECK(failed_with(run({MEASURE_EXECUTABLE, "ratio", directory / "none.csv", jacobi}), 2,
                    {"none.csv"}));
  CHECK(names_in(directory.path()).empty());
}

}  // namespace gridcast::cli::test
