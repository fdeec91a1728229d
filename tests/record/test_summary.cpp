/// What a recording tells at a glance, and which runs are planned.

#include <set>
#include <sstream>

#include "gridcast/record/plan.h"
#include "gridcast/record/summary.h"
#include "recorded.h"

namespace gridcast::record::test {
namespace {

/// The first line of a file that holds the text; 0: none does.
int line_of(const std::string& file, const std::string& text) {
  std::istringstream lines(support::read_text(file));
  int number = 1;
  for (std::string line; std::getline(lines, line); ++number) {
    if (line.find(text) != std::string::npos) {
      return number;
    }
  }
  return 0;
}

const std::string apps_source = std::string(GRIDCAST_SOURCE_DIR) + "/tests/apps/";

}  // namespace

TEST_CASE("Calls are summed up per operation and site, sites are lines of the source",
          "[summary]") {
  const Run run("2x2", {"jacobi2d", "100", "71", "2", "2", "10"});
  const Recording recording = run.read();
  const SitePlaces places(recording);
  const RankRecording& rank = recording.ranks[1];
  const std::vector<CallSummary> calls = summarise(rank);
  REQUIRE(calls.size() == 10);
  double within = 0.0;
  double between = 0.0;
  std::uint64_t count = 0;
  for (const CallSummary& call : calls) {
    within += call.duration;
    between += call.gap;
    count += call.calls;
    CHECK(call.shortest <= call.duration);
    CHECK(call.shortest * static_cast<double>(call.calls) <= 1.01 * call.duration);
    CHECK(call.least_gap * static_cast<double>(call.calls) <= 1.01 * call.gap + 1e-12);
  }
  CHECK(count == 55);
  // Calls, what is between them and what the recorder takes are the whole run.
  CHECK(within + between <= 1.01 * rank.duration);
  CHECK(within + between >= 0.5 * rank.duration);
  const CallSummary& sums = calls.at(6);
  CHECK(rank.operations[static_cast<std::size_t>(sums.operation)].name == "Allreduce");
  CHECK(sums.calls == 10);
  CHECK(sums.bytes[0] == 80.0);
  CHECK(places.of(rank, sums.site) ==
        apps_source +
            "jacobi2d.c:" + std::to_string(line_of(apps_source + "jacobi2d.c", "MPI_Allreduce")));
  const CallSummary& first = calls.at(2);
  CHECK(first.calls == 10);
  CHECK(first.bytes == std::array<double, 2>{35 * 8 * 10, 35 * 8 * 10});
}

TEST_CASE("Sites of Fortran are lines of the source", "[summary]") {
  const Run run("2x1", {"handgrid_f08", "2", "1", "1"});
  const Recording recording = run.read();
  const SitePlaces places(recording);
  std::set<std::string> found;
  for (std::size_t i = 0; i < recording.ranks[0].sites.size(); ++i) {
    found.insert(places.of(recording.ranks[0], static_cast<std::int32_t>(i)));
  }
  const std::string file = apps_source + "handgrid.F90";
  CHECK(found.count(file + ":" + std::to_string(line_of(file, "call MPI_Waitall"))) == 1);
  CHECK(found.count(file + ":" + std::to_string(line_of(file, "call MPI_Comm_split"))) == 1);
}

TEST_CASE("Calls of a library stand at the lines of the program that called it", "[summary]") {
  const Run run("3", {"library"});
  const Recording recording = run.read();
  const SitePlaces places(recording);
  const RankRecording& rank = recording.ranks[1];
  CHECK(counts(rank).at("Sendrecv_replace") == 6);
  const std::vector<Shape> shapes = shapes_of(rank, "Sendrecv_replace");
  REQUIRE(shapes.size() == 2);
  const std::string file = apps_source + "library.c";
  const auto expected = [&](const std::string& call) {
    return file + ":" + std::to_string(line_of(file, call)) +
           " through exchange in libapp_exchange.so+";
  };
  CHECK(places.of(rank, shapes[0].site).starts_with(expected("exchange(wind")));
  CHECK(places.of(rank, shapes[1].site).starts_with(expected("exchange(heat")));
  const auto offset = [&](const Shape& shape) {
    return rank.sites[static_cast<std::size_t>(shape.site)].offset;
  };
  CHECK(offset(shapes[0]) == offset(shapes[1]));
}

TEST_CASE("A program that was built again has no lines", "[summary]") {
  const Run run("1x1", {"jacobi2d", "8", "8", "1", "1", "1"});
  Recording recording = run.read();
  for (Module& module : recording.ranks[0].modules) {
    module.modified += 1;
  }
  const SitePlaces places(recording);
  CHECK_THAT(places.of(recording.ranks[0], 0), Catch::Contains("jacobi2d+0x"));
}

TEST_CASE("Planned runs of two dimensions", "[plan]") {
  std::vector<std::string> lines;
  for (const PlannedRun& run : plan_runs({1000, 699})) {
    lines.push_back(extents_text(run.grid) + " " + extents_text(run.extents));
    CHECK_FALSE(run.reason.empty());
  }
  CHECK(lines == std::vector<std::string>{"2x1 1000x700", "1x2 1000x700", "3x1 1000x700",
                                          "1x3 1000x700", "2x2 812x437", "3x2 1000x700",
                                          "2x3 1000x700", "1x1 1000x699", "1x1 500x699",
                                          "1x1 250x349", "1x1 750x174"});
}

TEST_CASE("Planned runs take six processes at most, each volume of the block once", "[plan]") {
  for (const std::vector<std::int64_t>& extents :
       {std::vector<std::int64_t>{64}, {640, 400}, {64, 48, 40}, {64, 48, 40, 16}}) {
    std::set<std::int64_t> volumes;
    std::size_t alone = 0;
    for (const PlannedRun& run : plan_runs(extents)) {
      std::int64_t processes = 1;
      std::int64_t volume = 1;
      REQUIRE(run.grid.size() == extents.size());
      for (std::size_t i = 0; i < extents.size(); ++i) {
        processes *= run.grid[i];
        volume *= run.extents[i];
      }
      CHECK(processes <= 6);
      if (processes == 1) {
        ++alone;
        volumes.insert(volume);
      }
    }
    CHECK(alone == 4);
    CHECK(volumes.size() == 4);
  }
}

TEST_CASE("Planned runs of a grid that cuts the first two of three extents", "[plan]") {
  const std::vector<PlannedRun> structure = plan_structure_runs({64, 40, 24}, 2);
  CHECK(structure.size() == 7);
  CHECK(extents_text(structure[5].grid) == "3x2");
  CHECK(extents_text(structure[5].extents) == "64x40x24");
  const std::vector<PlannedRun> sizes = plan_size_runs({64, 40, 25}, 2);
  CHECK(extents_text(sizes.back().grid) == "1x1");
  CHECK(extents_text(sizes.back().extents) == "48x10x12");
}

TEST_CASE("Small extents have the shape of the problem and four of its blocks", "[plan]") {
  const auto small = [](const std::string& extents, std::int64_t processors) {
    return extents_text(small_extents(parse_extents(extents), processors));
  };
  CHECK(small("4000x3000", 64) == "1000x750");      // 4 * 12,000,000 / 64 = 750,000
  CHECK(small("512x384x256", 8192) == "56x42x28");  // 65,536 instead of 24,576
  CHECK(small("40000x30000", 1) == "1182x887");     // 1,048,576 instead of all
  CHECK(small("100x71", 64) == "100x71");           // no more than the problem
  CHECK(small("1000000x4", 64) == "250000x12");
  CHECK(small("8", 1000) == "12");
}

TEST_CASE("Runs on one process have smaller and larger blocks than the problem", "[plan]") {
  for (const std::int64_t processors : {32, 64, 128, 180}) {
    INFO(processors);
    const double block = 4000.0 * 3000.0 / static_cast<double>(processors);
    double least = block;
    double most = block;
    for (const PlannedRun& run : plan_runs(small_extents({4000, 3000}, processors))) {
      if (extents_text(run.grid) == "1x1") {
        const double volume =
            static_cast<double>(run.extents[0]) * static_cast<double>(run.extents[1]);
        least = std::min(least, volume);
        most = std::max(most, volume);
      }
    }
    CHECK(least < 0.6 * block);
    CHECK(most > 2.0 * block);
  }
}

TEST_CASE("Extents are read or refused", "[plan]") {
  CHECK(parse_extents("1000x700") == std::vector<std::int64_t>{1000, 700});
  CHECK(parse_extents("3,4X5") == std::vector<std::int64_t>{3, 4, 5});
  for (const std::string text :
       {"", "x", "3x", "0x3", "-1", "1x2x3x4x5", "99999999999999", "3x4y"}) {
    INFO(text);
    CHECK_THAT(refusal([&] { static_cast<void>(parse_extents(text)); }),
               Catch::Contains("such as 1000x700"));
  }
}

}  // namespace gridcast::record::test
