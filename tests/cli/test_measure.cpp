#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
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
  CHECK(statement_of(machine, name + ".TStart") ==
        Approx(1e6 * network["latency"]["value"].get<double>()).epsilon(1e-5));
  CHECK(statement_of(machine, name + ".TByte") ==
        Approx(1e6 * network["per_byte"]["value"].get<double>()).epsilon(1e-5));
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
  CHECK(failed_with(run({MEASURE_EXECUTABLE, "ratio", directory / "none.csv", jacobi}), 2,
                    {"none.csv"}));
  CHECK(names_in(directory.path()).empty());
}

}  // namespace gridcast::cli::test
