#include "gridcast/infer/coordinates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>

#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"

namespace gridcast::infer {
namespace {

enum class RankOrder { by_row, by_column };

std::size_t position_of(const std::vector<std::int32_t>& grid, const Offset& at) {
  std::size_t position = 0;
  for (std::size_t d = 0; d < grid.size(); ++d) {
    position = position * static_cast<std::size_t>(grid[d]) + static_cast<std::size_t>(at[d]);
  }
  return position;
}

std::vector<Offset> numbered(const std::vector<std::int32_t>& grid, std::int32_t ranks,
                             RankOrder order) {
  std::vector<Offset> all;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    Offset at(grid.size());
    std::int32_t rest = rank;
    for (std::size_t i = 0; i < grid.size(); ++i) {
      const std::size_t d = order == RankOrder::by_row ? grid.size() - 1 - i : i;
      at[d] = rest % grid[d];
      rest /= grid[d];
    }
    all.push_back(std::move(at));
  }
  return all;
}

/// The Cartesian communicator of all ranks; null: none.
const record::Communicator* cartesian(const record::Recording& recording) {
  const std::span<const std::int32_t> told = recording.manifest.grid.extents();
  for (const record::Communicator& each : recording.ranks.front().communicators) {
    if (each.topology == record::Topology::cartesian && each.size == std::ssize(recording.ranks) &&
        std::equal(each.extents.begin(), each.extents.end(), told.begin(), told.end())) {
      return &each;
    }
  }
  return nullptr;
}

/// A message's place, tag, offset, the short way around dimensions of three processes or more, and
/// bytes.
using MessageKind = std::tuple<std::uint64_t, std::int32_t, Offset, std::int64_t>;

/// The kinds of all sends of a run; `around` is set where one goes from end to end of one dimension
/// only: from each rank to the next one leads elsewhere, too.
std::set<MessageKind> kinds_of(const record::Recording& recording, const Coordinates& at,
                               std::vector<bool>& around) {
  std::set<MessageKind> found;
  for (const record::RankRecording& rank : recording.ranks) {
    for (const record::Shape& shape : rank.shapes) {
      if (shape.communicator < 0 || shape.peer[0] < 0) {
        continue;
      }
      const record::Kind kind = rank.operations[static_cast<std::size_t>(shape.operation)].kind;
      if (kind != record::Kind::send && kind != record::Kind::exchange) {
        continue;
      }
      const auto& members =
          rank.communicators[static_cast<std::size_t>(shape.communicator)].members;
      if (static_cast<std::size_t>(shape.peer[0]) >= members.size()) {
        continue;
      }
      Offset offset = at.of(members[static_cast<std::size_t>(shape.peer[0])]);
      for (std::size_t d = 0; d < offset.size(); ++d) {
        offset[d] -= at.of(rank.rank)[d];
      }
      const std::int32_t straight = distance(offset);
      for (std::size_t d = 0; d < offset.size(); ++d) {
        const std::int32_t extent = at.grid()[d];
        if (extent > 2 && std::abs(offset[d]) == extent - 1) {
          around[d] = around[d] || straight == extent - 1;
          offset[d] = offset[d] > 0 ? -1 : 1;
        }
      }
      const std::uint64_t place =
          shape.site < 0 ? 0 : rank.sites[static_cast<std::size_t>(shape.site)].offset;
      found.emplace(place, shape.tag[0], std::move(offset), shape.bytes[0]);
    }
  }
  return found;
}

std::vector<Coordinates> without_cartesian(const std::vector<record::Recording>& recordings) {
  std::vector<Coordinates> best;
  std::size_t fewest = 0;
  for (const RankOrder order : {RankOrder::by_row, RankOrder::by_column}) {
    std::vector<Coordinates> tried;
    std::size_t kinds = 0;
    std::vector<bool> around(static_cast<std::size_t>(recordings.front().manifest.grid.rank()));
    for (const record::Recording& recording : recordings) {
      const auto extents = recording.manifest.grid.extents();
      const std::vector<std::int32_t> grid(extents.begin(), extents.end());
      tried.emplace_back(grid, std::vector<bool>(grid.size()),
                         numbered(grid, static_cast<std::int32_t>(recording.ranks.size()), order));
      kinds += kinds_of(recording, tried.back(), around).size();
    }
    if (best.empty() || kinds < fewest) {
      fewest = kinds;
      best.clear();
      for (std::size_t i = 0; i < recordings.size(); ++i) {
        best.emplace_back(tried[i].grid(), around,
                          numbered(tried[i].grid(),
                                   static_cast<std::int32_t>(recordings[i].ranks.size()), order));
      }
    }
  }
  return best;
}

}  // namespace

std::int32_t distance(const Offset& offset) {
  std::int32_t sum = 0;
  for (const std::int32_t step : offset) {
    sum += std::abs(step);
  }
  return sum;
}

std::string offset_text(const Offset& offset) {
  return fmt::format("({})", fmt::join(offset, ", "));
}

Coordinates::Coordinates(std::vector<std::int32_t> grid, std::vector<bool> periodic,
                         std::vector<Offset> of_rank)
    : grid_(std::move(grid)),
      periodic_(std::move(periodic)),
      of_rank_(std::move(of_rank)),
      rank_at_(of_rank_.size()) {
  for (std::size_t rank = 0; rank < of_rank_.size(); ++rank) {
    rank_at_[position_of(grid_, of_rank_[rank])] = static_cast<std::int32_t>(rank);
  }
}

std::vector<Offset> Coordinates::offsets(std::int32_t from, std::int32_t to) const {
  std::vector<Offset> all(1);
  for (std::size_t d = 0; d < grid_.size(); ++d) {
    const std::int32_t extent = grid_[d];
    const std::int32_t straight = of(to)[d] - of(from)[d];
    std::vector<std::int32_t> here;
    for (const std::int32_t step : {0, -1, 1}) {
      if (periodic_[d] && (straight - step) % extent == 0) {
        here.push_back(step);
      }
    }
    if (here.empty()) {
      here.push_back(straight);
    }
    std::vector<Offset> longer;
    for (const Offset& begun : all) {
      for (const std::int32_t step : here) {
        longer.push_back(begun);
        longer.back().push_back(step);
      }
    }
    all = std::move(longer);
  }
  // Itself is a neighbour along a periodic dimension rather than a partner of its own.
  if (all.size() > 1 && from == to) {
    all.erase(all.begin());
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Offset& a, const Offset& b) { return distance(a) < distance(b); });
  return all;
}

std::int32_t Coordinates::neighbour(std::int32_t rank, const Offset& offset) const {
  Offset at = of(rank);
  for (std::size_t d = 0; d < at.size(); ++d) {
    at[d] += offset[d];
    if (periodic_[d]) {
      at[d] = (at[d] % grid_[d] + grid_[d]) % grid_[d];
    } else if (at[d] < 0 || at[d] >= grid_[d]) {
      return -1;
    }
  }
  return rank_at_[position_of(grid_, at)];
}

std::vector<Coordinates> find_coordinates(const std::vector<record::Recording>& recordings) {
  const int dimensions = recordings.front().manifest.grid.rank();
  std::vector<Coordinates> found;
  for (const record::Recording& recording : recordings) {
    if (recording.manifest.grid.rank() != dimensions) {
      throw InputError(printable(recording.folder.string()), 0,
                       fmt::format("the grid {} beside {}", recording.manifest.grid.text(),
                                   recordings.front().manifest.grid.text()),
                       "expected grids of as many dimensions in all runs, such as 2x1 and 1x1");
    }
    record::verify_grid(recording);
    if (const record::Communicator* made = cartesian(recording)) {
      if (!found.empty() && found.front().periodic() != made->periodic) {
        throw InputError(printable(recording.folder.string()), 0,
                         "dimensions are periodic in it that are not in other runs, or the reverse",
                         "expected runs with the same boundaries");
      }
      std::vector<Offset> of_rank(recording.ranks.size());
      const std::vector<Offset> order = numbered(made->extents, made->size, RankOrder::by_row);
      for (std::size_t i = 0; i < order.size(); ++i) {
        of_rank[static_cast<std::size_t>(made->members[i])] = order[i];
      }
      found.emplace_back(made->extents, made->periodic, std::move(of_rank));
    }
  }
  return found.size() == recordings.size() ? std::move(found) : without_cartesian(recordings);
}

bool ranks_by_column(const std::vector<Coordinates>& coordinates) {
  return std::ranges::any_of(coordinates, [](const Coordinates& each) {
    const std::vector<std::int32_t>& grid = each.grid();
    return std::ranges::count_if(grid, [](std::int32_t extent) { return extent > 1; }) > 1 &&
           grid.front() > 1 && each.of(1).front() == 1;
  });
}

}  // namespace gridcast::infer
