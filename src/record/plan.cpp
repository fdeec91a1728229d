#include "gridcast/record/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"

namespace gridcast::record {
namespace {

constexpr std::size_t most_dimensions = 4;
constexpr std::int64_t largest_extent = std::int64_t{1} << 40;
/// Of runs to record, if the problem is as long.
constexpr std::int64_t least_extent = 12;

std::vector<std::int64_t> cut(std::size_t dimensions, std::size_t dim, std::int64_t parts) {
  std::vector<std::int64_t> grid(dimensions, 1);
  grid[dim] = parts;
  return grid;
}

}  // namespace

std::vector<std::int64_t> parse_extents(std::string_view text, std::string_view option) {
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
  throw InputError(fmt::format("{} {}", option, printable(text)),
                   "expected one to four numbers such as 1000x700");
}

std::string extents_text(const std::vector<std::int64_t>& extents) {
  return fmt::format("{}", fmt::join(extents, "x"));
}

std::vector<PlannedRun> plan_structure_runs(const std::vector<std::int64_t>& extents,
                                            std::size_t rank) {
  std::vector<PlannedRun> runs;
  for (std::size_t i = 0; i < rank; ++i) {
    runs.push_back({cut(rank, i, 2), extents, fmt::format("messages along dimension {}", i + 1)});
  }
  for (std::size_t i = 0; i < rank; ++i) {
    runs.push_back({cut(rank, i, 3), extents,
                    fmt::format("periodic or not in dimension {}, how 3 processes share {}", i + 1,
                                extents[i])});
  }
  for (std::size_t i = 0; i < rank; ++i) {
    for (std::size_t j = i + 1; j < rank; ++j) {
      const std::string both = fmt::format("{} and {}", i + 1, j + 1);
      std::vector<std::int64_t> grid = cut(rank, i, 2);
      grid[j] = 2;
      runs.push_back({grid, extents, "blocks and corners when dimensions " + both + " are cut"});
      grid[i] = 3;
      runs.push_back({grid, extents, "order of ranks; neighbours that are left out at borders"});
      std::swap(grid[i], grid[j]);
      runs.push_back({grid, extents, "the same with dimensions " + both + " exchanged"});
    }
  }
  return runs;
}

void vary_extents(std::vector<PlannedRun>& structure, bool cut) {
  constexpr std::array<std::int64_t, 2> sixteenths{13, 10};
  for (PlannedRun& run : structure) {
    const std::size_t rank = run.grid.size();
    if (!cut || std::ranges::max(run.grid) != 2 ||
        std::ranges::count(run.grid, 2) != std::min<std::ptrdiff_t>(std::ssize(run.grid), 2)) {
      continue;
    }
    std::size_t number = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      if (run.grid[d] == 2) {
        const std::int64_t extent = run.extents[d];
        run.extents[d] =
            std::max(std::min(extent, least_extent), extent * sixteenths[number++] / 16);
      }
    }
    run.extents = uneven_extents(run.extents);
  }
  // Messages may depend on extents that the grid does not cut, on each in its own way.
  PlannedRun& last = structure.back();
  for (std::size_t d = last.grid.size(); d < last.extents.size(); ++d) {
    last.extents[d] *= static_cast<std::int64_t>(d - last.grid.size()) + 2;
  }
}

std::vector<PlannedRun> plan_size_runs(const std::vector<std::int64_t>& extents, std::size_t rank) {
  std::vector<PlannedRun> runs;
  // Sixteenths of the first extent, of others that the grid cuts, of the rest. Not all alike in
  // shape: surfaces and volumes have to be told apart, and which extent a loop goes along.
  constexpr std::int64_t sixteenths[4][3] = {{16, 16, 16}, {8, 16, 16}, {4, 8, 8}, {12, 4, 8}};
  // A loop along an extent that the grid does not cut, or its interior, is seen as one.
  constexpr std::int64_t least_uncut = 10;
  for (const auto& part : sixteenths) {
    std::vector<std::int64_t> block = extents;
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::int64_t least = i < rank ? 1 : std::min(least_uncut, block[i]);
      block[i] = std::max(least, block[i] * part[i == 0 ? 0 : i < rank ? 1 : 2] / 16);
    }
    runs.push_back({std::vector<std::int64_t>(rank, 1), block,
                    "time of computation by the size of the block"});
  }
  return runs;
}

std::vector<PlannedRun> plan_runs(const std::vector<std::int64_t>& extents) {
  std::vector<PlannedRun> runs = plan_structure_runs(uneven_extents(extents), extents.size());
  vary_extents(runs, true);
  const std::vector<PlannedRun> sizes = plan_size_runs(extents, extents.size());
  runs.insert(runs.end(), sizes.begin(), sizes.end());
  return runs;
}

std::vector<std::int64_t> uneven_extents(std::vector<std::int64_t> extents) {
  for (std::int64_t& extent : extents) {
    extent += extent % 3 == 0 ? 1 : 0;
  }
  return extents;
}

std::vector<std::int64_t> small_extents(const std::vector<std::int64_t>& extents,
                                        std::int64_t processors) {
  constexpr double least_volume = 65536.0;
  constexpr double most_volume = 1048576.0;
  constexpr double blocks = 4.0;
  double volume = 1.0;
  for (const std::int64_t extent : extents) {
    volume *= static_cast<double>(extent);
  }
  const double wanted = std::min(
      volume,
      std::clamp(blocks * volume / static_cast<double>(processors), least_volume, most_volume));
  const double scale = std::pow(wanted / volume, 1.0 / static_cast<double>(extents.size()));
  std::vector<std::int64_t> small;
  small.reserve(extents.size());
  for (const std::int64_t extent : extents) {
    small.push_back(
        std::max<std::int64_t>(least_extent, std::llround(scale * static_cast<double>(extent))));
  }
  return small;
}

}  // namespace gridcast::record
