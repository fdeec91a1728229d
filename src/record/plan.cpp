#include "gridcast/record/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"

namespace gridcast::record {
namespace {

constexpr std::size_t most_dimensions = 4;
constexpr std::int64_t largest_extent = std::int64_t{1} << 40;

std::vector<std::int64_t> cut(std::size_t dimensions, std::size_t dim, std::int64_t parts) {
  std::vector<std::int64_t> grid(dimensions, 1);
  grid[dim] = parts;
  return grid;
}

/// Runs that show what is sent along each dimension and pair of dimensions.
void add_structure_runs(const std::vector<std::int64_t>& extents, std::vector<PlannedRun>& runs) {
  const std::size_t dimensions = extents.size();
  for (std::size_t i = 0; i < dimensions; ++i) {
    runs.push_back(
        {cut(dimensions, i, 2), extents, fmt::format("messages along dimension {}", i + 1)});
  }
  for (std::size_t i = 0; i < dimensions; ++i) {
    runs.push_back({cut(dimensions, i, 3), extents,
                    fmt::format("periodic or not in dimension {}, how 3 processes share {}", i + 1,
                                extents[i])});
  }
  for (std::size_t i = 0; i < dimensions; ++i) {
    for (std::size_t j = i + 1; j < dimensions; ++j) {
      const std::string both = fmt::format("{} and {}", i + 1, j + 1);
      std::vector<std::int64_t> grid = cut(dimensions, i, 2);
      grid[j] = 2;
      runs.push_back({grid, extents, "blocks and corners when dimensions " + both + " are cut"});
      grid[i] = 3;
      runs.push_back({grid, extents, "order of ranks; neighbours that are left out at borders"});
      std::swap(grid[i], grid[j]);
      runs.push_back({grid, extents, "the same with dimensions " + both + " exchanged"});
    }
  }
}

}  // namespace

std::vector<std::int64_t> parse_extents(std::string_view text) {
  std::vector<std::int64_t> extents;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    std::int64_t extent = 0;
    const auto [rest, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent < 1 || extent > largest_extent ||
        extents.size() == most_dimensions) {
      break;
    }
    extents.push_back(extent);
    if (rest == end) {
      return extents;
    }
    if (*rest != 'x' && *rest != 'X' && *rest != ',') {
      break;
    }
    at = rest + 1;
  }
  throw InputError("--extents " + printable(text), "expected one to four numbers such as 1000x700");
}

std::string extents_text(const std::vector<std::int64_t>& extents) {
  return fmt::format("{}", fmt::join(extents, "x"));
}

std::vector<PlannedRun> plan_runs(const std::vector<std::int64_t>& extents) {
  std::vector<PlannedRun> runs;
  std::vector<std::int64_t> uneven = extents;
  for (std::int64_t& extent : uneven) {
    extent += extent % 3 == 0 ? 1 : 0;
  }
  add_structure_runs(uneven, runs);
  // Sixteenths of the extents. Not all alike in shape: surfaces and volumes have to be told apart.
  constexpr std::int64_t sixteenths[4][2] = {{16, 16}, {8, 16}, {4, 8}, {12, 4}};
  for (const auto& [first, others] : sixteenths) {
    std::vector<std::int64_t> block = extents;
    for (std::size_t i = 0; i < block.size(); ++i) {
      block[i] = std::max<std::int64_t>(1, block[i] * (i == 0 ? first : others) / 16);
    }
    runs.push_back({std::vector<std::int64_t>(extents.size(), 1), block,
                    "time of computation by the size of the block"});
  }
  return runs;
}

}  // namespace gridcast::record
