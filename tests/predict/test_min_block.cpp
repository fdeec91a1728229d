// --min-block against blocks counted element by element.

#include "elements.h"
#include "gridcast/base/error.h"
#include "gridcast/rules/min_block.h"

namespace gridcast::model::test {
namespace {

/// More equal processors than any grid here takes.
machine::Cluster plain_cluster() {
  return machine::Cluster::parse(
      "cluster = c; c = {512 x p}; p = 1; c.CommType = ports; c.TStart = 1; c.TByte = 1;",
      "flat.par");
}

/// Exchanges all edges of array 0.
void exchange(Run& run, std::size_t rank) {
  const trace::Extents own(rank, -1);
  run(trace::CreateShadowGroup{0})(trace::InsertShadow{0, 0, own, own, 1});
  run(trace::StartShadow{0})(trace::WaitShadow{0});
}

bool admits(const Run& run, const std::string& on, const std::string& min,
            const ModelOptions& options = {}, const machine::Cluster& cluster = plain_cluster()) {
  const Compiled compiled = compile(run.program());
  return BlockLimit(compiled.script, cluster, options, MinBlock::parse(min)).admits(grid(on));
}

ModelOptions balanced() {
  ModelOptions options;
  options.block_rule = mapping::BlockRule::balanced;
  return options;
}

/// Elements of an array's dimension per coordinate: element i at A i + C of a template of n.
std::vector<std::int64_t> counted(std::int64_t n, std::int64_t coordinates, bool is_balanced,
                                  std::int64_t extent, std::int64_t a, std::int64_t c) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(coordinates), 0);
  const std::int64_t block = (n + coordinates - 1) / coordinates;
  for (std::int64_t i = 0; i < extent; ++i) {
    const std::int64_t element = a * i + c;
    std::int64_t at = element / block;
    if (is_balanced) {
      for (at = 0; (at + 1) * n / coordinates <= element;) {
        ++at;
      }
    }
    ++counts[static_cast<std::size_t>(at)];
  }
  return counts;
}

bool long_enough(const std::vector<std::int64_t>& counts, std::int64_t least) {
  return counts.size() == 1 || std::ranges::all_of(counts, [&](std::int64_t count) {
           return count == 0 || count >= least;
         });
}

}  // namespace

TEST_CASE("words of --min-block") {
  CHECK(MinBlock::parse("0").text() == "0");
  CHECK_FALSE(MinBlock::parse("0").any());
  CHECK_FALSE(MinBlock::parse("1").any());
  CHECK(MinBlock::parse("edge").any());
  CHECK(MinBlock::parse("4,2").text() == "4,2");
  for (const char* text : {"", "x", "-1", "4,", ",4", "1,2,3,4,5", "4 ", "edges"}) {
    CHECK_THROWS_AS(MinBlock::parse(text), InputError);
  }
}

TEST_CASE("the last block counts, with both block rules, and empty ones do not") {
  Run run;
  run.target({10, 600});
  run.array(0, {10, 600}, 8, {2, 0}, {1, 0});
  exchange(run, 2);
  // 3 3 3 1 and 2 3 2 3.
  CHECK_FALSE(admits(run, "4x1", "edge"));
  CHECK(admits(run, "4x1", "edge", balanced()));
  CHECK_FALSE(admits(run, "4x1", "3", balanced()));
  // 2 2 2 2 2 and nothing.
  CHECK(admits(run, "6x1", "edge"));
  CHECK_FALSE(admits(run, "6x1", "edge", balanced()));
  // No edges across the second dimension, and one coordinate cuts nothing.
  CHECK(admits(run, "1x512", "edge"));
  CHECK(admits(run, "1x512", "200"));
  CHECK(admits(run, "2x2", "5"));
  CHECK_FALSE(admits(run, "2x2", "6"));
  CHECK(admits(run, "2x2", "0,6"));
}

TEST_CASE("extents that are left are those of a look at every element") {
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (int round = 0; round < 200; ++round) {
    const std::int64_t a = round % 4 == 0 ? 2 : 1;
    const std::int64_t extent = 3 + static_cast<std::int64_t>(random() % 40);
    const std::int64_t c = static_cast<std::int64_t>(random() % 6);
    const std::int64_t n = a * (extent - 1) + c + 1 + static_cast<std::int64_t>(random() % 7);
    const auto width = static_cast<std::int64_t>(1 + random() % 4);
    const bool even = random() % 2 == 0;
    Run run;
    run.target({n});
    trace::AlignmentRule rule = Run::identity(1, 0);
    rule.coefficients = {a};
    rule.constants = {c};
    run(trace::CreateArray{0, {extent}, 8, {width}, {0}})(trace::Align{0, rule});
    exchange(run, 1);
    const Compiled compiled = compile(run.program());
    const machine::Cluster cluster = plain_cluster();
    BlockLimit limit(compiled.script, cluster, even ? balanced() : ModelOptions{},
                     MinBlock::parse("edge"));
    const auto extents = limit.extents(60);
    REQUIRE(extents.has_value());
    for (std::int64_t coordinates = 1; coordinates <= 60; ++coordinates) {
      const bool right = long_enough(counted(n, coordinates, even, extent, a, c), width);
      CAPTURE(n, a, c, extent, width, even, coordinates);
      CHECK(((*extents)[0].empty() || std::ranges::binary_search((*extents)[0], coordinates)) ==
            right);
      CHECK(limit.admits(grid(std::to_string(coordinates))) == right);
      refused += right ? 0 : 1;
    }
    CHECK((*extents)[1].empty());
  }
  CHECK(refused > 1000);
}

TEST_CASE("blocks that follow unequal processors are looked at grid by grid") {
  Run run;
  run.target({30});
  run.array(0, {30}, 8, {2}, {2});
  exchange(run, 1);
  const auto cluster = machine::Cluster::parse(
      "cluster = c; c = {8 x slow, 8 x fast}; slow = 1; fast = 9; c.CommType = ethernet; "
      "c.TStart = 1; c.TByte = 1;",
      "unequal.par");
  const Compiled compiled = compile(run.program());
  BlockLimit limit(compiled.script, cluster, {}, MinBlock::parse("edge"));
  CHECK_FALSE(limit.extents(16).has_value());
  // Eight equal processors: 4 4 4 4 4 4 4 2. With two fast ones boundaries are floor(30 q / 26).
  CHECK(limit.admits(grid("8")));
  CHECK_FALSE(limit.admits(grid("10")));
  ModelOptions equal;
  equal.processor_weights = false;
  BlockLimit other(compiled.script, cluster, equal, MinBlock::parse("edge"));
  CHECK(other.extents(16).has_value());
  CHECK(other.admits(grid("10")));
}

}  // namespace gridcast::model::test
