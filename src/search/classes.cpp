#include "classes.h"

#include <algorithm>
#include <cmath>

namespace gridcast::search {
namespace {

/// 0.25 %: found by experiment by the authors of the heuristic ([Predictor2010 §5]).
constexpr double threshold = 1.0025;
/// Seconds; keeps the quotient finite (docs/model.md §7).
constexpr double tiny = 1e-7;

}  // namespace

ClassKey class_of(const machine::Grid& grid, int dim) noexcept {
  ClassKey key{dim, {}};
  for (int other = 0; other < machine::max_grid_rank; ++other) {
    key.others[static_cast<std::size_t>(other)] = other == dim ? 1 : grid.extent(other);
  }
  return key;
}

void Classes::file(const machine::Grid& grid, double cost) {
  for (int dim = 0; dim < grid.rank(); ++dim) {
    classes_[class_of(grid, dim)].members.push_back({grid.extent(dim), cost});
  }
}

Range Classes::range_of(const std::vector<Member>& members, double best_cost) {
  const auto by_extent = [](const Member& a, const Member& b) { return a.extent < b.extent; };
  const auto by_cost = [](const Member& a, const Member& b) { return a.cost < b.cost; };
  Member low = *std::min_element(members.begin(), members.end(), by_extent);
  Member high = *std::max_element(members.begin(), members.end(), by_extent);
  const Member best = *std::min_element(members.begin(), members.end(), by_cost);
  if (!std::isfinite(best.cost)) {
    return {};
  }
  for (const Member& member : members) {
    if (member.cost / (best_cost + tiny) < threshold) {
      continue;
    }
    if (member.cost < low.cost && member.extent < best.extent) {
      low = member;
    }
    if (member.cost < high.cost && member.extent > best.extent) {
      high = member;
    }
  }
  Range range;
  if (low.extent < best.extent) {
    range.first = low.extent;
  }
  if (high.extent > best.extent) {
    range.last = high.extent;
  }
  return range;
}

std::map<ClassKey, Range> Classes::narrowed(double best_cost) {
  std::map<ClassKey, Range> result;
  if (!std::isfinite(best_cost)) {
    return result;
  }
  for (auto& [key, entry] : classes_) {
    if (entry.members.size() < 2) {
      continue;
    }
    const Range now = range_of(entry.members, best_cost);
    if (now.first > entry.range.first || now.last < entry.range.last) {
      entry.range.first = std::max(entry.range.first, now.first);
      entry.range.last = std::min(entry.range.last, now.last);
      result.emplace(key, now);
    }
  }
  return result;
}

}  // namespace gridcast::search
