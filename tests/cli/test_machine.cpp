#include <catch2/catch.hpp>
#include <string>

#include "run.h"

using namespace gridcast::cli::test;

namespace {

/// The value of {"seconds":...}.
double seconds_of(const Run& run) {
  const std::string key = "{\"seconds\":";
  INFO(run.out << run.err);
  REQUIRE(run.exit_code == 0);
  REQUIRE(run.out.starts_with(key));
  REQUIRE(run.out.ends_with("}\n"));
  return std::stod(run.out.substr(key.size()));
}

double message_time(const std::string& machine, const std::string& from, const std::string& to,
                    const std::string& bytes, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"machine", "time",    machine, "--from", from, "--to",
                                 to,        "--bytes", bytes,   "--json", "-"};
  words.insert(words.end(), more.begin(), more.end());
  return seconds_of(run_gridcast(words));
}

}  // namespace

TEST_CASE("machine time gives tables 1 and 2 of the forecasting paper") {
  const std::vector<std::string> lengths{"0.5K", "1.5K", "5KB", "30K", "40000", "100K"};
  const std::vector<double> inside{1.5, 2.5, 6, 31, 41, 101};   // table 1, line "Прогноз"
  const std::vector<double> between{9, 13, 27, 127, 167, 407};  // table 2
  const std::string machine = config("mvs15k.par");
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    INFO(lengths[i]);
    CHECK(message_time(machine, "0", "1", lengths[i]) == Approx(inside[i] * 1e-6).epsilon(1e-12));
    CHECK(message_time(machine, "1", "2", lengths[i]) == Approx(between[i] * 1e-6).epsilon(1e-12));
  }
  CHECK(run_gridcast({"machine", "time", machine, "--from", "0", "--to", "1", "--bytes", "1.5K"})
            .out == "2.500 µs\n");
}

TEST_CASE("in a grid of links the distance counts") {
  const TemporaryDirectory directory;
  const std::string machine = directory / "t.par";
  write_file(
      machine,
      "cluster = t; t = {16 x p}; t.CommType = transputer; t.TStart = 9; t.TByte = 1; p = 1;");
  // One byte cannot be cut into portions: (l - 1 + 1) * (TStart + TByte), docs/model.md §4.
  CHECK(message_time(machine, "0", "15", "1") == Approx(15 * 10e-6));
  CHECK(message_time(machine, "0", "15", "1", {"--grid", "4x4"}) == Approx(6 * 10e-6));
  CHECK(message_time(machine, "0", "4", "1", {"--grid", "4x4"}) == Approx(10e-6));
  CHECK(message_time(machine, "3", "3", "1") == 0.0);
}

TEST_CASE("machine time refuses what cannot be timed") {
  const std::string machine = config("workstations.par");
  const auto time = [&](const std::string& from, const std::string& to, const std::string& bytes) {
    return run_gridcast({"machine", "time", machine, "--from", from, "--to", to, "--bytes", bytes});
  };
  CHECK(failed_with(time("0", "16", "1"), 2, {"--to 16", "0 to 15"}));
  CHECK(failed_with(time("-1", "2", "1"), 2, {"--from -1"}));
  CHECK(failed_with(time("0", "1", "1Q"), 2, {"'1Q'", "bytes"}));
  CHECK(failed_with(time("0", "1", "-5"), 2, {"-5"}));
}

TEST_CASE("machine show prints the tree after --set") {
  const Run shown = run_gridcast({"machine", "show", config("mvs.par"), "--set", "mvs.TStart=8.5"});
  CHECK(shown.exit_code == 0);
  CHECK(shown.out.find("mvs: 1024 processors") != std::string::npos);
  CHECK(shown.out.find("TStart 8.5") != std::string::npos);
  CHECK(shown.out.find("512 x mvsP2") != std::string::npos);
}
