#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

#include "gridcast/compile/compile.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/retrace/generate.h"
#include "gridcast/search/candidates.h"
#include "gridcast/store/reader.h"
#include "gridcast/sweep/dataset.h"
#include "gridcast/trace/program.h"
#include "launch.h"

namespace {

using namespace sweep_test;
using gridcast::machine::Cluster;
using gridcast::store::Store;

const std::string mvs = source + "/configs/mvs.par";

std::string quoted(const std::string& text) { return '"' + text + '"'; }

/// A design file in the scratch directory.
std::filesystem::path write_design(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
  return path;
}

std::string link_design(int runs, int seed, const std::string& more = "") {
  return "traces = [" + quoted(jacobi) + "]\nmachines = [" + quoted(mvs) + "]\n" +
         "grids = {min_processors = 2, max_processors = 64, not_bad = true, sample = 8}\n" +
         "design = {kind = \"latin-hypercube\", runs = " + std::to_string(runs) +
         ", seed = " + std::to_string(seed) + "}\n" + more +
         "[parameters]\nmvs.TStart = {log = [1, 100]}\nmvs.TByte = {linear = [0.001, 0.01]}\n"
         "mvs.Channels = {integer = [1, 8]}\n";
}

std::vector<std::string> dataset(const std::filesystem::path& design,
                                 const std::filesystem::path& store,
                                 const std::vector<std::string>& more = {}) {
  std::vector<std::string> command{DATASET_PROGRAM, design.string(), store.string()};
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

/// Input columns of each row by name.
std::vector<std::map<std::string, double>> inputs_of(const Store& store) {
  const auto& columns = store.table.extra_columns;
  std::vector<std::map<std::string, double>> result(store.table.rows.size());
  for (std::size_t row = 0; row < result.size(); ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      result[row][columns[i].name] = store.table.extras[row * columns.size() + i];
    }
  }
  return result;
}

std::string shortest(double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

/// Runs the data set and sends it the signal when its journal has so many bytes. Where that comes
/// too late because it is complete by then, tries again with the store as it was before.
Ended interrupt(const std::filesystem::path& design, const std::filesystem::path& store,
                std::vector<std::string> more, std::uintmax_t bytes, int signal) {
  const ScratchDirectory before;
  const std::filesystem::path journal = store.string() + ".journal";
  const auto copy = [](const std::filesystem::path& from, const std::filesystem::path& to) {
    std::filesystem::remove(to);
    if (std::filesystem::exists(from)) {
      std::filesystem::copy(from, to);
    }
  };
  copy(store, before / "store");
  copy(journal, before / "journal");
  for (;;) {
    Running running(dataset(design, store, more));
    while (!has_journal(store, bytes) && !running.has_ended()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    running.send(signal);
    Ended ended = running.wait();
    if (ended.exit_code != 0) {
      return ended;
    }
    copy(before / "store", store);
    copy(before / "journal", journal);
  }
}

}  // namespace

TEST_CASE("the table of a data set does not depend on the number of ranks") {
  const ScratchDirectory scratch;
  const auto design = write_design(scratch / "d.toml", link_design(25, 4, "intervals = true\n"));
  const Ended alone = run(dataset(design, scratch / "1.h5"));
  INFO(alone.output << alone.errors);
  REQUIRE(alone.exit_code == 0);
  CHECK(read_values(alone.output)["variants"] == "25");
  CHECK(read_values(alone.output)["evaluated"] == "200");
  const std::string expected = exported(scratch / "1.h5");
  for (const int ranks : {2, 3}) {
    CAPTURE(ranks);
    const auto store = scratch / (std::to_string(ranks) + ".h5");
    const Ended ended = run(mpirun(ranks, dataset(design, store)));
    INFO(ended.output << ended.errors);
    CHECK(ended.exit_code == 0);
    CHECK(exported(store) == expected);
    CHECK(gridcast::store::read_store(store).state == gridcast::store::StoreState::complete);
  }
}

TEST_CASE("each row is the prediction for the machine that its inputs say") {
  const ScratchDirectory scratch;
  const auto design = write_design(scratch / "d.toml", link_design(10, 1));
  REQUIRE(run(dataset(design, scratch / "s.h5")).exit_code == 0);
  const Store store = gridcast::store::read_store(scratch / "s.h5");
  const auto program = gridcast::trace::read_program(jacobi);
  const auto script = gridcast::model::compile(program).script;
  const auto inputs = inputs_of(store);
  REQUIRE(inputs.size() == 80);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Cluster cluster = Cluster::read(mvs);
    for (const std::string name : {"mvs.TStart", "mvs.TByte", "mvs.Channels"}) {
      cluster.set(name + "=" + shortest(inputs[i].at(name)));
    }
    CHECK(inputs[i].at("mvs.TStart") >= 1.0);
    CHECK(inputs[i].at("mvs.TStart") <= 100.0);
    gridcast::model::Predictor predictor(script, cluster);
    const auto sums = predictor.evaluate(store.table.rows[i].grid());
    CHECK(std::memcmp(&sums.front(), &store.table.rows[i].characteristics, sizeof(sums.front())) ==
          0);
  }
}

TEST_CASE("each variant gets its own sample of grids within the limits") {
  const ScratchDirectory scratch;
  const auto design = write_design(scratch / "d.toml", link_design(20, 1));
  REQUIRE(run(dataset(design, scratch / "s.h5")).exit_code == 0);
  const Store store = gridcast::store::read_store(scratch / "s.h5");
  const auto inputs = inputs_of(store);
  std::map<double, std::set<std::string>> grids;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& row = store.table.rows[i];
    CHECK(row.processors >= 2);
    CHECK(row.processors <= 64);
    CHECK(row.evenness > 0.0);
    CHECK(grids[inputs[i].at("variant")].insert(row.grid().text()).second);
  }
  CHECK(grids.size() == 20);
  std::set<std::set<std::string>> different;
  for (const auto& [variant, sample] : grids) {
    CHECK(sample.size() == 8);
    different.insert(sample);
  }
  CHECK(different.size() > 15);
}

TEST_CASE("without a sample each variant gets all grids of its own cluster") {
  const ScratchDirectory scratch;
  const auto design = write_design(
      scratch / "d.toml",
      "traces = [" + quoted(jacobi) + "]\nmachines = [" + quoted(mvs) + "]\n" +
          "grids = {}\ndesign = {kind = \"full-factorial\"}\n[parameters]\n"
          "mvs.Count = {values = [1, 3, 8]}\nmvs.TStart = {log = [1, 100], levels = 2}\n");
  const Ended ended = run(mpirun(2, dataset(design, scratch / "s.h5")));
  INFO(ended.errors);
  REQUIRE(ended.exit_code == 0);
  const Store store = gridcast::store::read_store(scratch / "s.h5");
  std::map<double, int> rows;
  for (const auto& inputs : inputs_of(store)) {
    ++rows[inputs.at("mvs.Count")];
  }
  // Nodes have two processors: the sums of the numbers of divisors up to 2, 6 and 16 are 3, 14 and
  // 50; two start-up times each.
  CHECK(rows == std::map<double, int>{{1.0, 6}, {3.0, 28}, {8.0, 100}});
}

TEST_CASE("predictions that are not possible are recorded with their reason") {
  const ScratchDirectory scratch;
  const auto design = write_design(
      scratch / "d.toml",
      "traces = [" + quoted(jacobi) + "]\nmachines = [" + quoted(mvs) + "]\n" +
          "grids = [\"1x2\", \"2x4\"]\ndesign = {kind = \"full-factorial\"}\n[parameters]\n"
          "mvs.Count = {values = [2, 4]}\n");
  const Ended ended = run(mpirun(3, dataset(design, scratch / "s.h5")));
  INFO(ended.errors);
  CHECK(ended.exit_code == 0);
  CHECK(read_values(ended.output)["failed"] == "1");
  const Store store = gridcast::store::read_store(scratch / "s.h5");
  REQUIRE(store.failures.size() == 1);
  CHECK(store.failures.front().grid == "2x4");
  const auto row = static_cast<std::size_t>(store.failures.front().config);
  CHECK(inputs_of(store)[row].at("mvs.Count") == 2.0);
  CHECK(store.table.rows[row].status == gridcast::store::Status::failed);
}

TEST_CASE("a killed data set resumes to the same table") {
  const ScratchDirectory scratch;
  const auto design = write_design(scratch / "d.toml", link_design(1500, 9));
  REQUIRE(run(dataset(design, scratch / "whole.h5")).exit_code == 0);
  const std::string expected = exported(scratch / "whole.h5");
  const auto store = scratch / "killed.h5";
  std::vector<std::string> resume;
  for (const std::uintmax_t bytes : {50'000U, 400'000U}) {
    const Ended killed = interrupt(design, store, resume, bytes, SIGKILL);
    CHECK(killed.exit_code == 128 + SIGKILL);
    CHECK(gridcast::store::read_store(store).state == gridcast::store::StoreState::killed);
    resume = {"resume"};
  }
  const std::size_t before = gridcast::store::read_store(store).table.rows.size();
  CHECK(before > 0);
  CHECK(before < 12000);
  const Ended ended = run(mpirun(2, dataset(design, store, resume)));
  INFO(ended.errors);
  CHECK(ended.exit_code == 0);
  CHECK(read_values(ended.output)["evaluated"] == "12000");
  CHECK(exported(store) == expected);
}

TEST_CASE("a data set drains on a signal and at its time limit, and resumes") {
  const ScratchDirectory scratch;
  const auto design = write_design(scratch / "d.toml", link_design(1500, 9));
  const auto store = scratch / "s.h5";
  const Ended limited = run(mpirun(2, dataset(design, store, {"time_limit=0"})));
  CHECK(limited.exit_code == 3);
  CHECK(limited.errors.find("--resume") != std::string::npos);
  const Ended stopped = interrupt(design, store, {"resume"}, 50'000, SIGTERM);
  INFO(stopped.errors);
  CHECK(stopped.exit_code == 3);
  CHECK(gridcast::store::read_store(store).state == gridcast::store::StoreState::stopped);
  const Ended ended = run(dataset(design, store, {"resume"}));
  CHECK(ended.exit_code == 0);
  REQUIRE(run(dataset(design, scratch / "whole.h5")).exit_code == 0);
  CHECK(exported(store) == exported(scratch / "whole.h5"));
}

TEST_CASE("a store is resumed only with the same design") {
  const ScratchDirectory scratch;
  const auto design = write_design(scratch / "d.toml", link_design(3, 1));
  const auto store = scratch / "s.h5";
  REQUIRE(run(dataset(design, store)).exit_code == 0);
  CHECK(run(dataset(design, store)).exit_code == 2);  // exists
  const std::string expected = exported(store);
  for (const std::string& other : {link_design(3, 2), link_design(4, 1)}) {
    const Ended ended = run(dataset(write_design(scratch / "e.toml", other), store, {"resume"}));
    CHECK(ended.exit_code == 2);
    CHECK(ended.errors.find("options differs") != std::string::npos);
  }
  CHECK(run(dataset(design, store, {"resume"})).exit_code == 0);
  CHECK(exported(store) == expected);
}

TEST_CASE("parameters that a machine does not have are refused before the run") {
  const ScratchDirectory scratch;
  for (const std::string parameter :
       {"mvs.Latency = {log = [1, 2]}", "other.TStart = {log = [1, 2]}",
        "mvs.Channels = {linear = [1, 8]}", "mvs.TStart = {linear = [-1, 8]}"}) {
    CAPTURE(parameter);
    const auto design = write_design(scratch / "d.toml", link_design(3, 1) + parameter + "\n");
    const Ended ended = run(mpirun(2, dataset(design, scratch / "s.h5")));
    CHECK(ended.exit_code == 2);
    CHECK_FALSE(std::filesystem::exists(scratch / "s.h5"));
    if (parameter.starts_with("mvs.Latency") || parameter.starts_with("other")) {
      CHECK(ended.errors.find("d.toml:9") != std::string::npos);
    }
  }
}

TEST_CASE("problem sizes are predicted with interpolated traces") {
  const ScratchDirectory scratch;
  const std::filesystem::path description = source + "/configs/programs/jacobi2d.toml";
  for (const std::string n : {"100", "200", "300", "250"}) {
    std::ofstream out(scratch / (n + ".ptr"));
    gridcast::trace::generate_trace(gridcast::trace::description_text(description),
                                    description.string(), out, {{"n", n}});
  }
  const auto design = write_design(
      scratch / "d.toml",
      "size = {from = [{trace = \"100.ptr\", size = 100}, {trace = \"200.ptr\", size = 200}, "
      "{trace = \"300.ptr\", size = 300}], values = [200, 250], degree = 2}\n"
      "machines = [" +
          quoted(mvs) +
          "]\ngrids = [\"1x1\", \"4x4\"]\n"
          "design = {kind = \"full-factorial\"}\n");
  const Ended ended = run(mpirun(2, dataset(design, scratch / "s.h5")));
  INFO(ended.errors);
  REQUIRE(ended.exit_code == 0);
  const Store store = gridcast::store::read_store(scratch / "s.h5");
  const auto inputs = inputs_of(store);
  REQUIRE(inputs.size() == 4);
  const Cluster cluster = Cluster::read(mvs);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string n = std::to_string(static_cast<int>(inputs[i].at("size")));
    const auto program = gridcast::trace::read_program(scratch / (n + ".ptr"));
    const auto script = gridcast::model::compile(program).script;
    gridcast::model::Predictor predictor(script, cluster);
    const auto& row = store.table.rows[i];
    // Times in traces are decimal numbers of a few digits.
    CHECK(row.characteristics.execution_time ==
          Approx(predictor.evaluate(row.grid()).front().execution_time).epsilon(1e-3));
  }
}

TEST_CASE("the shipped designs run") {
  const ScratchDirectory scratch;
  const std::string folder = source + "/configs/designs/";
  const Ended links = run(dataset(folder + "link_hypercube.toml", scratch / "links.h5"));
  INFO(links.errors);
  CHECK(links.exit_code == 0);
  CHECK(read_values(links.output)["evaluated"] == "4000");
  const Ended screening = run(dataset(folder + "screening.toml", scratch / "screening.h5"));
  INFO(screening.errors);
  CHECK(screening.exit_code == 0);
  // 24 runs, two traces, three grids.
  CHECK(read_values(screening.output)["evaluated"] == "144");
}

TEST_CASE("pandas and xarray read a data set") {
  const ScratchDirectory scratch;
  const auto design = write_design(scratch / "d.toml", link_design(6, 2, "intervals = true\n"));
  REQUIRE(run(dataset(design, scratch / "s.h5")).exit_code == 0);
  const Store store = gridcast::store::read_store(scratch / "s.h5");
  double longest = 0.0;
  for (const auto& row : store.table.rows) {
    longest = std::max(longest, row.characteristics.execution_time);
  }
  const std::string path = (scratch / "s.h5").string();
  const Ended pandas =
      run({"/usr/bin/python3", source + "/tools/read_store_pandas.py", path, "mvs.TStart"});
  INFO(pandas.errors);
  REQUIRE(pandas.exit_code == 0);
  std::istringstream lines(pandas.output);
  std::string line;
  bool found = false;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    double count = 0.0;
    if (name == "execution_time" && words >> count) {
      double value = 0.0;
      double last = 0.0;
      while (words >> value) {
        last = value;
      }
      CHECK(count == 48.0);
      CHECK(last == Approx(longest).epsilon(1e-4));
      found = true;
    }
  }
  CHECK(found);
  const Ended xarray = run({"/usr/bin/python3", source + "/tools/read_store_xarray.py", path});
  INFO(xarray.errors);
  REQUIRE(xarray.exit_code == 0);
  CHECK(xarray.output.find("(config: 48, interval: " +
                           std::to_string(store.setup.intervals.size())) != std::string::npos);
}
