#include "admitted.h"

#include <algorithm>

namespace gridcast::search {
namespace {

/// More are thinned out: a grid takes 20 bytes.
constexpr std::size_t most_kept = 2'000'000;

/// Every other one.
void thin_out(std::vector<machine::Grid>& grids) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < grids.size(); i += 2) {
    grids[kept++] = grids[i];
  }
  grids.resize(kept);
}

}  // namespace

AdmittedGrids::AdmittedGrids(const SearchSpace& space, Selection selection) {
  CandidateStream stream(space, selection);
  std::size_t stride = 1;
  for (std::size_t number = 0; const auto grid = stream.next(); ++number) {
    if (number % stride != 0) {
      continue;
    }
    grids_.push_back(*grid);
    if (grids_.size() == most_kept) {
      thin_out(grids_);
      stride *= 2;
    }
  }
}

std::vector<machine::Grid> AdmittedGrids::sample(std::size_t wanted, std::size_t few) const {
  if (grids_.size() <= few) {
    return grids_;
  }
  std::vector<machine::Grid> result;
  for (std::size_t i = 0; i < wanted; ++i) {
    // The ends too: the most processors are often the best.
    result.push_back(grids_[wanted < 2 ? 0 : i * (grids_.size() - 1) / (wanted - 1)]);
  }
  return result;
}

std::vector<machine::Grid> AdmittedGrids::neighbours(const machine::Grid& grid, int level) const {
  const auto at = std::lower_bound(
      grids_.begin(), grids_.end(), grid,
      [](const machine::Grid& a, const machine::Grid& b) { return machine::compare(a, b) < 0; });
  const auto place = at - grids_.begin();
  const auto size = static_cast<std::ptrdiff_t>(grids_.size());
  std::vector<machine::Grid> result;
  for (std::ptrdiff_t away = std::ptrdiff_t{1} << level; away < std::ptrdiff_t{2} << level;
       ++away) {
    for (const std::ptrdiff_t i : {place - away, place + away}) {
      if (i >= 0 && i < size) {
        result.push_back(grids_[static_cast<std::size_t>(i)]);
      }
    }
  }
  return result;
}

}  // namespace gridcast::search
