#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>

#include "run.h"

namespace gridcast::cli::test {
namespace {

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
  CHECK(failed_with(run({MEASURE_EXECUTABLE, "-o", directory / "one.par"}), 2,
                    {"one process", "mpirun -n 2"}));
  CHECK(failed_with(run({MEASURE_EXECUTABLE, "ratio", directory / "none.csv", jacobi}), 2,
                    {"none.csv"}));
  CHECK(names_in(directory.path()).empty());
}

}  // namespace gridcast::cli::test
