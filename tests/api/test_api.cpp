#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>

#include "gridcast/gridcast.h"
#include "gridcast/store/writer.h"
#include "process.h"

using namespace gridcast;
using support::ScratchDirectory;

namespace {

/// One loop of 48 x 36 iterations that take a second each, and nothing else.
constexpr const char* loop_text = R"(
overhead = 0
[parameters]
seconds = 1.0
[[array]]
name = "A"
extents = [48, 36]
distribute = ["block", "block"]
[[do]]
loop = ["i = 0 : 47", "j = 0 : 35"]
on = "A[i, j]"
time = "seconds"
)";

constexpr const char* bus_text =
    "cluster = bus; bus = {24 x p}; bus.CommType = ethernet; bus.TStart = 10; bus.TByte = 0.1;"
    "p = 1; p.Threads = {1 (1.0), 2 (0.9)};";

class Described {
public:
  ScratchDirectory scratch;
  Program program = read_program({scratch.file("loop.toml", loop_text)});
  Machine machine = read_machine(scratch.file("bus.par", bus_text));
};

/// Iterations in the largest block.
double largest_block(std::int32_t p, std::int32_t q) {
  return std::ceil(48.0 / p) * std::ceil(36.0 / q);
}

}  // namespace

TEST_CASE_METHOD(Described, "a loop takes the time of its largest block") {
  for (const auto& [p, q] : {std::pair(1, 1), std::pair(5, 4), std::pair(3, 7)}) {
    const Prediction prediction = predict(program, machine, {{p, q}});
    INFO(prediction.grid.text());
    CHECK(prediction.execution_time == Approx(largest_block(p, q)).epsilon(1e-9));
    CHECK(prediction.efficiency ==
          Approx(48.0 * 36.0 / (p * q * largest_block(p, q))).epsilon(1e-9));
    REQUIRE(!prediction.intervals.empty());
    CHECK(prediction.intervals.front().figures.at("execution_time") == prediction.execution_time);
    CHECK(prediction.intervals.front().figures.at("shadow_communication") == 0.0);
  }
  const Program longer = read_program({scratch / "loop.toml"}, {}, {{"seconds", "2.5"}});
  CHECK(predict(longer, machine, {{4, 2}}).execution_time ==
        Approx(2.5 * largest_block(4, 2)).epsilon(1e-9));
}

TEST_CASE_METHOD(Described, "every exhaustive search finds the grid with the smallest blocks") {
  double least = 48.0 * 36.0;
  for (std::int32_t p = 1; p <= 24; ++p) {
    for (std::int32_t q = 1; p * q <= 24; ++q) {
      least = std::min(least, largest_block(p, q));
    }
  }
  SearchSettings settings;
  for (const int mode : {2, 3, 4, 5}) {
    settings.mode = mode;
    const SearchResult result = v1::search(program, machine, settings);
    INFO(mode);
    CHECK(result.complete);
    REQUIRE(!result.best.empty());
    CHECK(result.best.front().execution_time == Approx(least).epsilon(1e-9));
    CHECK(result.evaluated <= result.candidates);
  }
  settings.mode = 0;
  settings.grid = Grid{{2, 3}};
  CHECK(v1::search(program, machine, settings).best.front().grid == Grid{{2, 3}});
}

TEST_CASE_METHOD(Described, "a search tells its progress and can be stopped") {
  SearchSettings settings;
  settings.mode = 3;
  std::uint64_t told = 0;
  double best = 48.0 * 36.0 + 1.0;
  settings.progress = [&](const SearchProgress& progress) {
    CHECK(progress.evaluated == ++told);
    REQUIRE(progress.best);
    CHECK(progress.best->execution_time <= best);
    best = progress.best->execution_time;
    return told < 5;
  };
  const SearchResult result = v1::search(program, machine, settings);
  CHECK(told == 5);
  CHECK(!result.complete);
  CHECK(result.evaluated == 5);
  CHECK(result.best.size() == 1);
}

TEST_CASE_METHOD(Described, "threads are chosen with the grid") {
  SearchSettings settings;
  settings.threads = {1, 2};
  settings.best = 100;
  const SearchResult result = v1::search(program, machine, settings);
  CHECK(
      std::ranges::any_of(result.best, [](const FoundGrid& one) { return one.grid.threads == 2; }));
  for (const FoundGrid& one : result.best) {
    INFO(one.grid.text());
    CHECK(predict(program, machine, one.grid).execution_time == one.execution_time);
  }
}

TEST_CASE("a store gives its rows with their inputs, and the chosen grid") {
  const ScratchDirectory scratch;
  const auto path = scratch / "rows.h5";
  const auto row_on = [](const std::string& grid, double seconds) {
    gridcast::model::Characteristics sums;
    sums.execution_time = seconds;
    sums.efficiency = 0.5;
    return store::make_row(gridcast::machine::Grid::parse(grid), 0.75, sums);
  };
  store::StoreSetup setup;
  setup.description.machine = bus_text;
  setup.extra_columns = {{"speed", "1", "", store::ColumnType::float64}};
  auto writer = store::StoreWriter::create(path, setup);
  writer.append(row_on("4x2", 3.0), std::vector<double>{1.5});
  writer.append_failure(row_on("5x1", 0.0), "no memory", std::vector<double>{2.5});
  writer.finish(store::Best{row_on("4x2", 3.0), row_on("4x2", 3.0)});

  Store store(path);
  CHECK(store.state() == "complete");
  CHECK(store.machine() == bus_text);
  CHECK(store.inputs() == std::vector<std::string>{"speed"});
  REQUIRE(store.best());
  CHECK(store.best()->grid == Grid{{4, 2}});
  std::vector<StoreRow> rows;
  store.read([&](const StoreRow& row) { rows.push_back(row); });
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].grid == Grid{{4, 2}});
  CHECK(rows[0].execution_time == 3.0);
  CHECK(rows[0].efficiency == 0.5);
  CHECK(rows[0].evenness == 0.75);
  CHECK(rows[0].inputs == std::vector<double>{1.5});
  CHECK(rows[1].failed);
  CHECK(rows[1].inputs == std::vector<double>{2.5});
}

TEST_CASE_METHOD(Described, "errors are one line that names what is wrong") {
  const auto message_of = [](auto call) {
    try {
      call();
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  const auto check_message = [&](const std::string& part, auto call) {
    const std::string message = message_of(call);
    INFO(message);
    CHECK(message.find(part) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  };
  check_message("nowhere.toml", [&] { return read_program({scratch / "nowhere.toml"}); });
  check_message("nowhere.par", [&] { return read_machine(scratch / "nowhere.par"); });
  check_message("bus.TSpeed", [&] { return read_machine(scratch / "bus.par", {"bus.TSpeed=1"}); });
  check_message("reduction", [&] {
    return read_program({scratch / "loop.toml"}, {{"reduction", "star"}});
  });
  check_message("25 processors", [&] { return predict(program, machine, {{5, 5}}); });
  check_message("threads", [&] { return predict(program, machine, {{1, 1}, 0}); });
  check_message("speed", [&] {
    SearchSettings settings;
    settings.objective = "speed";
    return v1::search(program, machine, settings);
  });
  check_message("nowhere.h5: there is no such store",
                [&] { return Store(scratch / "nowhere.h5"); });
}
