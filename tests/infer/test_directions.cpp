/// Directions of messages of made-up steps, and what made-up runs do not determine.

#include <catch2/catch.hpp>

#include "gridcast/infer/messages.h"
#include "gridcast/infer/program.h"

namespace gridcast::infer::test {
namespace {

/// A step in which every process sends in these directions with tags 0, 1 ..., on periodic grids.
class Sends {
public:
  Sends(const std::vector<std::vector<std::int32_t>>& grids,
        const std::vector<Offset>& directions) {
    for (const std::vector<std::int32_t>& grid : grids) {
      std::vector<Offset> of_rank;
      for (std::int32_t x = 0; x < grid[0]; ++x) {
        for (std::int32_t y = 0; y < grid[1]; ++y) {
          of_rank.push_back({x, y});
        }
      }
      runs_.coordinates.emplace_back(grid, std::vector<bool>{true, true}, of_rank);
      runs_.extents.push_back({60, 60});
      runs_.items.emplace_back(of_rank.size());
      for (std::size_t rank = 0; rank < of_rank.size(); ++rank) {
        Item item;
        for (std::size_t tag = 0; tag < directions.size(); ++tag) {
          const std::int32_t x = (of_rank[rank][0] + directions[tag][0] + grid[0]) % grid[0];
          const std::int32_t y = (of_rank[rank][1] + directions[tag][1] + grid[1]) % grid[1];
          item.messages.push_back(
              {.partner = x * grid[1] + y, .bytes = 8, .tag = static_cast<std::int32_t>(tag)});
        }
        runs_.items.back()[rank].items.push_back(item);
        step_.instances.push_back({.run = runs_.items.size() - 1,
                                   .rank = rank,
                                   .count = 0,
                                   .occurrences = {{.item = 0, .gap = 0.0}}});
      }
    }
  }

  [[nodiscard]] std::vector<Slot> slots() const { return find_slots(runs_, step_, false); }

private:
  Runs runs_;
  Step step_;
};

}  // namespace

TEST_CASE("Corners on rings of two: a call has one direction in all runs", "[directions]") {
  const std::vector<Offset> directions{{1, 0}, {-1, 0},  {0, 1},  {0, -1},
                                       {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
  // No run alone tells a corner: in 3x2 its column may be the one before or after.
  const std::vector<Slot> slots = Sends({{3, 2}, {2, 3}}, directions).slots();
  REQUIRE(slots.size() == directions.size());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    CHECK(slots[i].offset == directions[i]);
    CHECK(slots[i].sure);
  }
}

TEST_CASE("Extents that no process cuts and that grow alike are told", "[directions]") {
  const auto text = [](std::vector<std::vector<std::int64_t>> extents) {
    Runs runs;
    runs.recordings.resize(extents.size());
    runs.items.resize(extents.size(), std::vector<RankItems>(2));
    runs.items.back().resize(1);  // one process sends nothing
    runs.extents = std::move(extents);
    for (const auto& items : runs.items) {
      std::vector<Offset> of_rank{{0}, {1}};
      of_rank.resize(items.size());
      runs.coordinates.emplace_back(
          std::vector<std::int32_t>{static_cast<std::int32_t>(items.size())},
          std::vector<bool>{false}, of_rank);
    }
    return description_text(runs, {});
  };
  const std::string doubt = "# ny and nz grow alike in all runs of several processes";
  CHECK(text({{8, 6, 9}, {4, 12, 18}, {8, 6, 6}}).find(doubt) != std::string::npos);
  CHECK(text({{8, 6, 9}, {4, 12, 9}, {8, 6, 6}}).find(doubt) == std::string::npos);
}

}  // namespace gridcast::infer::test
