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

/// A run without a Cartesian communicator, of 60x35 elements: all eight neighbours get a face or a
/// corner from one line with one tag, and the next rank a number, rank 0 that of the last one if
/// the grid has two dimensions.
record::Recording box(std::int32_t rows, std::int32_t columns, bool by_column) {
  record::Recording run;
  run.manifest.grid = machine::Grid::parse(std::to_string(rows) + "x" + std::to_string(columns));
  record::Communicator world;
  world.size = rows * columns;
  for (std::int32_t rank = 0; rank < rows * columns; ++rank) {
    world.members.push_back(rank);
  }
  const auto rank_of = [&](std::int32_t x, std::int32_t y) {
    return by_column ? x + rows * y : x * columns + y;
  };
  run.ranks.resize(world.members.size());
  for (std::int32_t x = 0; x < rows; ++x) {
    for (std::int32_t y = 0; y < columns; ++y) {
      record::RankRecording& rank = run.ranks[static_cast<std::size_t>(rank_of(x, y))];
      rank.rank = rank_of(x, y);
      rank.operations.emplace_back().kind = record::Kind::send;
      rank.communicators = {world};
      rank.sites.resize(1);
      const auto send = [&rank](std::int32_t to, std::int32_t tag, std::int64_t bytes) {
        record::Shape shape;
        shape.site = shape.communicator = 0;
        shape.peer[0] = to;
        shape.tag[0] = tag;
        shape.bytes[0] = bytes;
        rank.shapes.push_back(shape);
      };
      if (rank.rank + 1 < world.size || std::min(rows, columns) > 1) {
        send((rank.rank + 1) % world.size, 1, 4);
      }
      for (std::int32_t i = x - 1; i <= x + 1; ++i) {
        for (std::int32_t j = y - 1; j <= y + 1; ++j) {
          if (i >= 0 && i < rows && j >= 0 && j < columns && (i != x || j != y)) {
            const std::int64_t bytes = i == x ? 8 * 60 / rows : j == y ? 8 * 35 / columns : 8;
            send(rank_of(i, j), 0, bytes);
          }
        }
      }
    }
  }
  return run;
}

}  // namespace

TEST_CASE("The order of ranks is told by faces and corners, too", "[directions]") {
  for (const bool by_column : {false, true}) {
    const std::vector<Coordinates> found = find_coordinates(
        {box(3, 2, by_column), box(2, 3, by_column), box(2, 2, by_column), box(3, 1, by_column)});
    CHECK(ranks_by_column(found) == by_column);
    CHECK(found.front().periodic() == std::vector<bool>{false, false});
    CHECK(found.front().of(1) == (by_column ? Offset{1, 0} : Offset{0, 1}));
  }
}

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
