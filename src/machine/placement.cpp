#include "gridcast/machine/placement.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "gridcast/base/comparable.h"
#include "gridcast/base/contract.h"
#include "gridcast/base/error.h"

namespace gridcast::machine {
namespace {

using Block = std::array<std::int32_t, max_grid_rank>;
using Kind = Placement::Kind;

constexpr Block any_block{};

std::int64_t size_of(const Block& block) {
  std::int64_t size = 1;
  for (const std::int32_t extent : block) {
    size *= extent;
  }
  return size;
}

/// Processors of each part of the machine at a level, if the parts that the first processors lie in
/// are equal, full, and more than one; else 0.
std::int64_t part_size(const ProcessorSystem& system, std::size_t level, std::size_t processors) {
  const auto part = std::span(system.ancestors).subspan(level * system.processors(), processors);
  const auto first = std::ranges::find_if(part, [&](std::uint32_t id) { return id != part[0]; });
  const auto size = static_cast<std::size_t>(first - part.begin());
  if (size < 2 || size == processors || processors % size != 0) {
    return 0;
  }
  for (std::size_t p = 0; p < processors; ++p) {
    const bool begins = p % size == 0;
    if (part[p] == ProcessorSystem::no_network || (p > 0 && begins == (part[p] == part[p - 1]))) {
      return 0;
    }
  }
  return static_cast<std::int64_t>(size);
}

/// Sizes of parts that blocks can fill, the lowest level of the tree first.
std::vector<std::int64_t> part_sizes(const ProcessorSystem& system, std::size_t processors) {
  std::vector<std::int64_t> sizes;
  for (auto level = static_cast<std::size_t>(system.levels); level-- > 1;) {
    const std::int64_t size = part_size(system, level, processors);
    if (size > 0 && std::ranges::find(sizes, size) == sizes.end()) {
      sizes.push_back(size);
    }
  }
  return sizes;
}

std::vector<std::int32_t> divisors(std::int32_t number) {
  std::vector<std::int32_t> small;
  std::vector<std::int32_t> large;
  for (std::int32_t i = 1; std::int64_t{i} * i <= number; ++i) {
    if (number % i == 0) {
      small.push_back(i);
      if (i != number / i) {
        large.push_back(number / i);
      }
    }
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

/// All blocks of so many processors that divide the grid, in the order of their extents.
std::vector<Block> blocks_of(const Grid& grid, std::int64_t size) {
  std::vector<Block> blocks;
  Block block{1, 1, 1, 1};
  const std::function<void(int, std::int64_t)> fill = [&](int dim, std::int64_t left) {
    if (dim == max_grid_rank) {
      if (left == 1) {
        blocks.push_back(block);
      }
      return;
    }
    for (const std::int32_t extent : divisors(grid.extent(dim))) {
      if (left % extent == 0) {
        block[static_cast<std::size_t>(dim)] = extent;
        fill(dim + 1, left / extent);
      }
    }
    block[static_cast<std::size_t>(dim)] = 1;
  };
  fill(0, size);
  return blocks;
}

/// Faces of a block towards others, per processor.
double surface(const Grid& grid, const Block& block) {
  double sum = 0.0;
  for (int dim = 0; dim < grid.rank(); ++dim) {
    const std::int32_t extent = block[static_cast<std::size_t>(dim)];
    sum += extent < grid.extent(dim) ? 1.0 / extent : 0.0;
  }
  return sum;
}

/// The block with the least surface; of several the one with the least longest side, then the
/// first.
std::optional<Block> most_even_block(const ProcessorSystem& system, const Grid& grid) {
  const auto sizes = part_sizes(system, static_cast<std::size_t>(grid.processors()));
  if (sizes.empty()) {
    return std::nullopt;
  }
  const std::vector<Block> blocks = blocks_of(grid, sizes.front());
  const auto best = std::ranges::min_element(blocks, {}, [&](const Block& each) {
    return std::pair(comparable(surface(grid, each)), *std::ranges::max_element(each));
  });
  return best == blocks.end() ? std::nullopt : std::optional(*best);
}

bool divides(const Block& block, const Grid& grid) {
  for (int dim = 0; dim < max_grid_rank; ++dim) {
    const std::int32_t extent = block[static_cast<std::size_t>(dim)];
    if (extent < 1 || grid.extent(dim) % extent != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

Placement Placement::parse(std::string_view text) {
  constexpr std::string_view with_block = "blocked:";
  for (const Kind kind : {Kind::row, Kind::column, Kind::blocked, Kind::search}) {
    if (const Placement placement{kind, {}}; text == placement.text()) {
      return placement;
    }
  }
  if (!text.starts_with(with_block)) {
    throw InputError("'" + std::string(text) + "' is no placement",
                     "expected row, column, blocked, blocked:4x2 (extents of a block) or search");
  }
  const Grid extents = Grid::parse(text.substr(with_block.size()));
  Placement placement{Kind::blocked, {}};
  for (int dim = 0; dim < max_grid_rank; ++dim) {
    placement.block[static_cast<std::size_t>(dim)] = extents.extent(dim);
  }
  return placement;
}

std::string Placement::text(int rank) const {
  switch (kind) {
    case Kind::row:
      return "row";
    case Kind::column:
      return "column";
    case Kind::search:
      return "search";
    case Kind::blocked:
      break;
  }
  std::string result = "blocked";
  if (block != any_block) {
    std::size_t shown = block.size();
    while (shown > static_cast<std::size_t>(rank) && block[shown - 1] == 1) {
      --shown;
    }
    for (std::size_t dim = 0; dim < shown; ++dim) {
      result += (dim == 0 ? ':' : 'x') + std::to_string(block[dim]);
    }
  }
  return result;
}

bool placement_matters(const ProcessorSystem& system, std::size_t processors) {
  const auto alike = [](const auto& values) {
    return std::ranges::all_of(values, [&](const auto& each) { return each == values.front(); });
  };
  if (!alike(std::span(system.performance).first(processors))) {
    return true;
  }
  for (std::size_t level = 0; level < static_cast<std::size_t>(system.levels); ++level) {
    if (!alike(std::span(system.ancestors).subspan(level * system.processors(), processors))) {
      return true;
    }
  }
  return false;
}

std::vector<Placement> placements(const ProcessorSystem& system, const Grid& grid) {
  const auto processors = static_cast<std::size_t>(grid.processors());
  std::vector<Placement> result{{}};
  if (!placement_matters(system, processors)) {
    return result;
  }
  std::vector<std::vector<std::uint32_t>> orders{order_of(grid, {})};
  const auto add = [&](const Placement& placement) {
    std::vector<std::uint32_t> order = order_of(grid, placement);
    if (std::ranges::find(orders, order) == orders.end()) {
      orders.push_back(std::move(order));
      result.push_back(placement);
    }
  };
  add({Kind::column, {}});
  for (const std::int64_t size : part_sizes(system, processors)) {
    for (const Block& block : blocks_of(grid, size)) {
      add({Kind::blocked, block});
    }
  }
  return result;
}

Placement placement_on(const ProcessorSystem& system, const Grid& grid, const Placement& wish) {
  expects(wish.kind != Kind::search, "a placement that is no search");
  if (wish.kind != Kind::blocked) {
    return wish;
  }
  if (wish.block != any_block) {
    return divides(wish.block, grid) ? wish : Placement{};
  }
  const std::optional<Block> block = most_even_block(system, grid);
  return block ? Placement{Kind::blocked, *block} : Placement{};
}

std::vector<std::uint32_t> order_of(const Grid& grid, const Placement& placement) {
  const auto processors = static_cast<std::size_t>(grid.processors());
  const bool blocked = placement.kind == Kind::blocked;
  const std::int64_t size = blocked ? size_of(placement.block) : 1;
  std::vector<std::uint32_t> order(processors);
  std::array<std::int64_t, max_grid_rank> at{};
  for (std::size_t p = 0; p < processors; ++p) {
    std::int64_t number = 0;
    std::int64_t inside = 0;
    std::int64_t stride = 1;
    for (std::size_t dim = 0; dim < at.size(); ++dim) {
      const std::int64_t extent = grid.extent(static_cast<int>(dim));
      if (blocked) {
        const std::int64_t width = placement.block[dim];
        number = number * (extent / width) + at[dim] / width;
        inside = inside * width + at[dim] % width;
      } else if (placement.kind == Kind::column) {
        number += stride * at[dim];
        stride *= extent;
      } else {
        number = number * extent + at[dim];
      }
    }
    order[p] = static_cast<std::uint32_t>(number * size + inside);
    for (std::size_t dim = at.size(); dim-- > 0;) {
      if (++at[dim] < grid.extent(static_cast<int>(dim))) {
        break;
      }
      at[dim] = 0;
    }
  }
  return order;
}

std::vector<std::uint32_t> by_rank(const Grid& grid, Placement::Kind ranks) {
  const std::vector<std::uint32_t> rank_of = order_of(grid, {.kind = ranks});
  std::vector<std::uint32_t> processors(rank_of.size());
  for (std::uint32_t p = 0; p < rank_of.size(); ++p) {
    processors[rank_of[p]] = p;
  }
  return processors;
}

ProcessorSystem placed(const ProcessorSystem& system, std::span<const std::uint32_t> order) {
  ProcessorSystem result;
  result.networks = system.networks;
  result.nodes = system.nodes;
  result.levels = system.levels;
  result.library = system.library;
  result.allreduce = system.allreduce;
  result.performance.reserve(order.size());
  for (const std::uint32_t number : order) {
    result.performance.push_back(system.performance[number]);
  }
  result.homogeneous = std::ranges::all_of(
      result.performance, [&](double each) { return each == result.performance.front(); });
  const auto levels = static_cast<std::size_t>(system.levels);
  result.ancestors.reserve(levels * order.size());
  for (std::size_t level = 0; level < levels; ++level) {
    for (const std::uint32_t number : order) {
      result.ancestors.push_back(system.ancestors[level * system.processors() + number]);
    }
  }
  return result;
}

std::int32_t code_of(const Grid& grid, const Placement& placement) {
  if (placement.kind != Kind::blocked) {
    return placement.kind == Kind::column ? 1 : 0;
  }
  std::int32_t code = 0;
  for (int dim = 0; dim < max_grid_rank; ++dim) {
    const std::vector<std::int32_t> extents = divisors(grid.extent(dim));
    const auto here = std::ranges::find(extents, placement.block[static_cast<std::size_t>(dim)]);
    expects(here != extents.end(), "a block that divides the grid");
    code = code * static_cast<std::int32_t>(extents.size()) +
           static_cast<std::int32_t>(here - extents.begin());
  }
  return code + 2;
}

Placement placement_of(const Grid& grid, std::int32_t code) {
  if (code < 2) {
    return {code == 1 ? Kind::column : Kind::row, {}};
  }
  Placement placement{Kind::blocked, {}};
  code -= 2;
  for (int dim = max_grid_rank; dim-- > 0;) {
    const std::vector<std::int32_t> extents = divisors(grid.extent(dim));
    const auto count = static_cast<std::int32_t>(extents.size());
    placement.block[static_cast<std::size_t>(dim)] =
        extents[static_cast<std::size_t>(code % count)];
    code /= count;
  }
  return placement;
}

}  // namespace gridcast::machine
