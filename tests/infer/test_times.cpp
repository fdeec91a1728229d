/// Times before the items of made-up loops.

#include <catch2/catch.hpp>
#include <functional>

#include "gridcast/infer/program.h"

namespace gridcast::infer::test {
namespace {

/// A loop with one item, run on one process for each size.
class OneItem {
public:
  /// `gap`: seconds before the item in an iteration.
  OneItem(const std::vector<std::vector<std::int64_t>>& sizes, std::size_t iterations,
          const std::function<double(double volume, std::size_t iteration)>& gap) {
    loop_.loop = true;
    loop_.body.emplace_back();
    for (std::size_t run = 0; run < sizes.size(); ++run) {
      const std::vector<std::int64_t>& size = sizes[run];
      runs_.extents.push_back(size);
      runs_.coordinates.emplace_back(std::vector<std::int32_t>{1, 1},
                                     std::vector<bool>{false, false}, std::vector<Offset>{{0, 0}});
      runs_.items.emplace_back(1);
      Instance item{.run = run, .rank = 0, .count = 0, .occurrences = {}};
      for (std::size_t i = 0; i < iterations; ++i) {
        item.occurrences.push_back({.item = 0, .gap = gap(double(size[0] * size[1]), i)});
      }
      loop_.body.front().instances.push_back(item);
      loop_.instances.push_back({.run = run,
                                 .rank = 0,
                                 .count = static_cast<std::int64_t>(iterations),
                                 .occurrences = {}});
    }
    program_.statements.push_back(
        {.step = &loop_, .body = {Statement{.step = &loop_.body.front()}}});
    find_times(runs_, program_);
  }
  OneItem(const OneItem&) = delete;
  OneItem& operator=(const OneItem&) = delete;

  [[nodiscard]] const std::optional<Computation>& before() const {
    return program_.statements.front().body.front().before;
  }
  [[nodiscard]] const Program& program() const { return program_; }

private:
  Runs runs_;
  Step loop_;
  Program program_;
};

const std::vector<std::vector<std::int64_t>> sizes{{240, 240}, {120, 240}, {60, 120}, {180, 60}};

}  // namespace

TEST_CASE("Times: what precedes a loop is none of its iterations", "[times]") {
  // The loop begins sooner after what comes before it than its iterations follow each other.
  const OneItem found(sizes, 4, [](double volume, std::size_t iteration) {
    return iteration == 0 ? 3e-6 : 2e-9 * volume;
  });
  REQUIRE(found.before());
  CHECK(found.before()->expression == "2e-09*b1*b2");
  const OneItem once(sizes, 1, [](double volume, std::size_t) { return 2e-9 * volume; });
  REQUIRE(once.before());
  CHECK(once.before()->expression == "2e-09*b1*b2");
}

TEST_CASE("Times: from one call to the next is no computing", "[times]") {
  const OneItem found(sizes, 4, [](double volume, std::size_t) {
    return volume == 120.0 * 240.0 ? 9e-7 : 6e-8;  // another program had the processor
  });
  CHECK_FALSE(found.before());
  CHECK(found.program().pieces_left_out == 1);
  CHECK(found.program().left_out_seconds == 6e-8);
}

}  // namespace gridcast::infer::test
