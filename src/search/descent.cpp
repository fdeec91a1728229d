#include "descent.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "gridcast/base/readable.h"

namespace gridcast::search {
namespace {

/// Neighbourhoods from near to far; a wider one is tried only when the ones before do not improve.
constexpr int last_level = 5;

std::int64_t product_of(const std::vector<std::int64_t>& extents) {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) {
    product *= extent;
  }
  return product;
}

}  // namespace

DescentSource::DescentSource(const SearchSpace& space, const Goal& goal, Selection selection)
    : space_(space), goal_(goal), selection_(selection) {}

bool DescentSource::leaves_none_empty(std::size_t dim, std::int64_t processors) const noexcept {
  return block_sizes(space_.reference_extents[dim], processors, space_.block_rule).smallest > 0;
}

std::int64_t DescentSource::most_along(std::size_t dim) const noexcept {
  const std::int64_t extent = space_.reference_extents[dim];
  return extent == 0 ? space_.max_processors : std::min(extent, space_.max_processors);
}

/// The next number of coordinates that leaves none empty; 0 if there is none.
std::int64_t DescentSource::step(std::size_t dim, std::int64_t from, int direction) const noexcept {
  for (std::int64_t to = from + direction; to >= 1 && to <= most_along(dim); to += direction) {
    if (leaves_none_empty(dim, to)) {
      return to;
    }
  }
  return 0;
}

/// The largest number of coordinates up to `processors` that leaves none empty.
std::int64_t DescentSource::at_most(std::size_t dim, std::int64_t processors) const noexcept {
  processors = std::min(processors, most_along(dim));
  while (processors > 1 && !leaves_none_empty(dim, processors)) {
    --processors;
  }
  return processors;
}

bool DescentSource::is_candidate(const Extents& extents) const noexcept {
  std::int64_t processors = 1;
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    // Dividing first: the product of large extents could overflow.
    if (extents[dim] < 1 || extents[dim] > space_.max_processors / processors ||
        (selection_ == Selection::not_bad && !leaves_none_empty(dim, extents[dim]))) {
      return false;
    }
    processors *= extents[dim];
  }
  return !space_.conditions.any() || space_.conditions.admits(grid_of(extents));
}

machine::Grid DescentSource::grid_of(const Extents& extents) const {
  return machine::Grid(extents).with_threads(space_.threads);
}

/// All grids of powers of two that the cluster has room for.
std::vector<DescentSource::Extents> DescentSource::lattice() const {
  std::vector<Extents> partial{{}};
  for (int dim = 0; dim < space_.rank; ++dim) {
    std::vector<Extents> longer;
    for (const Extents& extents : partial) {
      const std::int64_t room = space_.max_processors / product_of(extents);
      for (std::int64_t power = 1; power <= room; power *= 2) {
        longer.push_back(extents);
        longer.back().push_back(power);
      }
    }
    partial = std::move(longer);
  }
  return partial;
}

std::vector<machine::Grid> DescentSource::first_batch() {
  std::vector<machine::Grid> grids;
  const std::vector<Extents> powers = lattice();
  for (const Extents& extents : powers) {
    if (is_candidate(extents)) {
      grids.push_back(grid_of(extents));
    }
  }
  // 120 for two dimensions and 256 processors, where the classic heuristic needed 123
  // ([Forecasting table 5]).
  budget_ = 2 * grids.size() + 30;
  if (space_.conditions.any()) {
    budget_ = 2 * powers.size() + 30;
    admitted_.emplace(space_, selection_);
    for (const machine::Grid& grid : admitted_->sample(powers.size(), budget_)) {
      if (std::find(grids.begin(), grids.end(), grid) == grids.end()) {
        grids.push_back(grid);
      }
    }
  }
  const machine::Grid start = as_candidate(space_.start, space_.rank).with_threads(space_.threads);
  if (space_.conditions.admits(start) &&
      std::find(grids.begin(), grids.end(), start) == grids.end()) {
    grids.insert(grids.begin(), start);
  }
  return grids;
}

std::vector<machine::Grid> DescentSource::next_batch() {
  if (!seeded_) {
    std::vector<machine::Grid> grids = first_batch();
    evaluated_.insert(grids.begin(), grids.end());
    spdlog::debug("search: {} grids to begin with, at most {} evaluations", grids.size(), budget_);
    return grids;
  }
  while (centre_) {
    std::vector<machine::Grid> grids = within_budget(neighbourhood());
    if (!grids.empty()) {
      return grids;
    }
    if (++level_ > last_level) {
      next_seed();
    }
  }
  return {};
}

void DescentSource::take_batch(std::span<const Outcome> outcomes) {
  if (!seeded_) {
    choose_seeds(outcomes);
    next_seed();
    return;
  }
  const Outcome& best =
      *std::min_element(outcomes.begin(), outcomes.end(),
                        [this](const Outcome& a, const Outcome& b) { return leads(goal_, a, b); });
  if (leads(goal_, best, *centre_)) {
    spdlog::debug("search: from {} to {}, {}", centre_->grid.text(), best.grid.text(),
                  seconds_text(best.execution_time));
    centre_ = best;
    level_ = 0;
  } else if (++level_ > last_level) {
    next_seed();
  }
}

void DescentSource::choose_seeds(std::span<const Outcome> outcomes) {
  seeded_ = true;
  for (const Outcome& outcome : outcomes) {
    // The given grid may have more dimensions than the candidates: no place to start from.
    if (outcome.grid.rank() == space_.rank && !outcome.failed) {
      seeds_.push_back(outcome);
    }
  }
  std::stable_sort(seeds_.begin(), seeds_.end(),
                   [this](const Outcome& a, const Outcome& b) { return leads(goal_, a, b); });
  // More dimensions have more ways to differ: two starts for each (measured, docs/search.md).
  seeds_.resize(std::min(seeds_.size(), static_cast<std::size_t>(2 * space_.rank)));
  std::reverse(seeds_.begin(), seeds_.end());
}

void DescentSource::next_seed() {
  level_ = 0;
  if (seeds_.empty()) {
    centre_.reset();
    return;
  }
  centre_ = seeds_.back();
  seeds_.pop_back();
  spdlog::debug("search: descent from {}, {} grids evaluated", centre_->grid.text(),
                evaluated_.size());
}

/// Level 0: the next extent up or down in one dimension. 1: the one after that, and the next with
/// another dimension changed against it. 2: factors 2 and 3 moved between dimensions, doubling and
/// halving. 3: one dimension as large as the cluster allows. 4: up to two steps in two dimensions.
std::vector<machine::Grid> DescentSource::neighbourhood() const {
  const auto extents = centre_->grid.extents();
  const Extents centre(extents.begin(), extents.end());
  std::vector<Extents> found;
  switch (level_) {
    case 0:
      add_steps(centre, found);
      break;
    case 1:
      add_wider_steps(centre, found);
      break;
    case 2:
      add_factor_moves(centre, found);
      break;
    case 3:
      add_long_steps(centre, found);
      break;
    case 4:
      add_fillings(centre, found);
      break;
    default:
      add_boxes(centre, found);
  }
  std::vector<machine::Grid> grids;
  const auto add = [&grids](const machine::Grid& grid) {
    if (std::find(grids.begin(), grids.end(), grid) == grids.end()) {
      grids.push_back(grid);
    }
  };
  for (const Extents& one : found) {
    if (is_candidate(one)) {
      add(grid_of(one));
    }
  }
  if (admitted_) {
    for (const machine::Grid& grid : admitted_->neighbours(centre_->grid, level_)) {
      add(grid);
    }
  }
  return grids;
}

void DescentSource::add_steps(const Extents& centre, std::vector<Extents>& found) const {
  for (std::size_t dim = 0; dim < centre.size(); ++dim) {
    for (const int direction : {-1, 1}) {
      found.push_back(centre);
      found.back()[dim] = step(dim, centre[dim], direction);
    }
  }
}

void DescentSource::add_wider_steps(const Extents& centre, std::vector<Extents>& found) const {
  for (std::size_t dim = 0; dim < centre.size(); ++dim) {
    for (const int direction : {-1, 1}) {
      const std::int64_t near = step(dim, centre[dim], direction);
      if (near == 0) {
        continue;
      }
      found.push_back(centre);
      found.back()[dim] = step(dim, near, direction);
      for (std::size_t other = 0; other < centre.size(); ++other) {
        if (other != dim) {
          // About as many processors as before.
          found.push_back(centre);
          found.back()[dim] = near;
          found.back()[other] = at_most(other, centre[dim] * centre[other] / near);
        }
      }
    }
  }
}

void DescentSource::add_factor_moves(const Extents& centre, std::vector<Extents>& found) const {
  for (std::size_t dim = 0; dim < centre.size(); ++dim) {
    for (std::size_t other = 0; other < centre.size(); ++other) {
      for (const std::int64_t factor : {2, 3}) {
        if (other != dim && centre[other] % factor == 0) {
          found.push_back(centre);
          found.back()[dim] *= factor;
          found.back()[other] /= factor;
        }
      }
    }
    found.push_back(centre);
    found.back()[dim] *= 2;
    if (centre[dim] % 2 == 0) {
      found.push_back(centre);
      found.back()[dim] /= 2;
    }
    for (std::size_t other = dim + 1; other < centre.size(); ++other) {
      found.push_back(centre);
      std::swap(found.back()[dim], found.back()[other]);
    }
  }
}

/// Networks with several channels and nodes of several processors favour multiples of their
/// numbers: sums and differences with powers of two.
void DescentSource::add_long_steps(const Extents& centre, std::vector<Extents>& found) const {
  for (std::size_t dim = 0; dim < centre.size(); ++dim) {
    for (std::int64_t length = 1; length < centre[dim]; length *= 2) {
      for (const std::int64_t extent : {centre[dim] - length, centre[dim] + length}) {
        found.push_back(centre);
        found.back()[dim] = extent;
      }
    }
  }
}

void DescentSource::add_fillings(const Extents& centre, std::vector<Extents>& found) const {
  for (std::size_t dim = 0; dim < centre.size(); ++dim) {
    found.push_back(centre);
    found.back()[dim] = at_most(dim, space_.max_processors / (product_of(centre) / centre[dim]));
    found.emplace_back(centre.size(), 1);
    found.back()[dim] = at_most(dim, product_of(centre));
  }
}

void DescentSource::add_boxes(const Extents& centre, std::vector<Extents>& found) const {
  const auto around = [&](std::size_t dim) {
    Extents near;
    for (const int direction : {-1, 1}) {
      const std::int64_t first = step(dim, centre[dim], direction);
      near.push_back(first);
      near.push_back(first == 0 ? 0 : step(dim, first, direction));
    }
    return near;
  };
  for (std::size_t dim = 0; dim < centre.size(); ++dim) {
    for (std::size_t other = dim + 1; other < centre.size(); ++other) {
      for (const std::int64_t extent : around(dim)) {
        for (const std::int64_t against : around(other)) {
          found.push_back(centre);
          found.back()[dim] = extent;
          found.back()[other] = against;
        }
      }
    }
  }
}

/// Leaves out what would cost more evaluations than allowed; what is known costs nothing.
std::vector<machine::Grid> DescentSource::within_budget(std::vector<machine::Grid> grids) {
  std::erase_if(grids, [this](const machine::Grid& grid) {
    if (evaluated_.contains(grid)) {
      return false;
    }
    if (evaluated_.size() >= budget_) {
      spdlog::debug("search: {} left out, {} grids are evaluated", grid.text(), evaluated_.size());
      return true;
    }
    evaluated_.insert(grid);
    return false;
  });
  return grids;
}

}  // namespace gridcast::search
