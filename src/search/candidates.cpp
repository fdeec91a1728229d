#include "gridcast/search/candidates.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string>

#include "gridcast/base/contract.h"
#include "gridcast/base/error.h"

namespace gridcast::search {
namespace {

/// Divisors of n, ascending.
void list_divisors(std::int64_t n, std::vector<std::int64_t>& divisors) {
  divisors.assign(1, 1);
  const auto multiply = [&divisors](std::int64_t prime, int power) {
    const std::size_t before = divisors.size();
    std::int64_t factor = 1;
    for (int i = 0; i < power; ++i) {
      factor *= prime;
      for (std::size_t k = 0; k < before; ++k) {
        divisors.push_back(divisors[k] * factor);
      }
    }
  };
  for (std::int64_t prime = 2; prime * prime <= n; prime += prime == 2 ? 1 : 2) {
    int power = 0;
    while (n % prime == 0) {
      n /= prime;
      ++power;
    }
    multiply(prime, power);
  }
  if (n > 1) {
    multiply(n, 1);
  }
  std::sort(divisors.begin(), divisors.end());
}

/// No grid with more processors than the reference array has elements is not bad.
std::int64_t most_processors(const SearchSpace& space, Selection selection) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : space.reference_extents) {
    if (extent == 0 || selection == Selection::all || extent >= space.max_processors) {
      return space.max_processors;
    }
    elements = std::min(elements * extent, space.max_processors);
  }
  return elements;
}

/// Conditions that no grid of the space can meet, whatever the program.
void validate_conditions(const SearchSpace& space) {
  const Conditions& conditions = space.conditions;
  for (std::size_t dim = 0; dim < conditions.fixed.size(); ++dim) {
    const std::int64_t extent = conditions.fixed[dim];
    if (extent > 1 && dim >= static_cast<std::size_t>(space.rank)) {
      throw InputError("--fix p" + std::to_string(dim + 1) + "=" + std::to_string(extent) +
                           " for grids of " + std::to_string(space.rank) + " dimensions",
                       "expected a dimension that the grids have");
    }
    if (extent < 0) {
      throw InputError("--fix p" + std::to_string(dim + 1) + "=" + std::to_string(extent),
                       "expected 1 or more");
    }
  }
  if (conditions.divides && *conditions.divides < 1) {
    throw InputError("--divides " + std::to_string(*conditions.divides), "expected 1 or more");
  }
  if (!conditions.next_number(1, space.max_processors)) {
    throw InputError("no number of processors up to " + std::to_string(space.max_processors) +
                         " meets the conditions " + conditions.text(),
                     "expected conditions that some grid of the cluster meets");
  }
}

}  // namespace

std::int64_t most_cores(std::span<const SearchSpace> spaces) noexcept {
  std::int64_t most = 1;
  for (const SearchSpace& space : spaces) {
    most = std::max(most, space.max_processors * space.threads);
  }
  return most;
}

const SearchSpace& space_of_threads(std::span<const SearchSpace> spaces, std::int32_t threads) {
  const auto found = std::ranges::find(spaces, threads, &SearchSpace::threads);
  expects(found != spaces.end(), "the search has a space for these threads");
  return *found;
}

void validate(const SearchSpace& space) {
  if (space.rank == 0) {
    throw InputError("the program distributes nothing, so there is no grid to search",
                     "expected a trace with a distribution (distr_), or search mode 0");
  }
  if (space.rank < 0 || space.rank > machine::max_grid_rank) {
    throw InputError("a search over grids of " + std::to_string(space.rank) + " dimensions",
                     "expected 1 to 4 dimensions");
  }
  if (space.reference_extents.size() != static_cast<std::size_t>(space.rank)) {
    throw InputError(std::to_string(space.reference_extents.size()) +
                         " extents of the reference array for grids of " +
                         std::to_string(space.rank) + " dimensions",
                     "expected one extent per dimension");
  }
  for (const std::int64_t extent : space.reference_extents) {
    if (extent < 0 || extent > std::numeric_limits<std::int64_t>::max() / 10000) {
      throw InputError("extent " + std::to_string(extent) + " of the reference array",
                       "expected 0 (not split) or a positive number of elements below 9e14");
    }
  }
  if (space.max_processors < 1 || space.max_processors > std::numeric_limits<std::int32_t>::max()) {
    throw InputError("a search over " + std::to_string(space.max_processors) + " processors",
                     "expected 1 to 2147483647");
  }
  validate_conditions(space);
}

CandidateStream::CandidateStream(const SearchSpace& space, Selection selection)
    : space_(space), selection_(selection) {
  validate(space);
  last_number_ = most_processors(space, selection);
}

bool CandidateStream::allowed(std::size_t dim, std::int64_t processors) const noexcept {
  return space_.conditions.admits_extent(dim, processors) &&
         (selection_ == Selection::all ||
          block_sizes(space_.reference_extents[dim], processors, space_.block_rule).smallest > 0);
}

bool CandidateStream::start_number() {
  const auto number = space_.conditions.next_number(number_ + 1, last_number_);
  if (!number) {
    return false;
  }
  number_ = *number;
  if (space_.rank > 1) {
    list_divisors(number_, divisors_);
  }
  rest_[0] = number_;
  position_[0] = 0;
  depth_ = 0;
  open_ = true;
  return true;
}

bool CandidateStream::next_of_number() {
  const auto last = static_cast<std::size_t>(space_.rank) - 1;
  if (last == 0) {
    open_ = false;
    factors_[0] = number_;
    return allowed(0, number_);
  }
  while (true) {
    std::size_t at = position_[depth_];
    while (at < divisors_.size() &&
           (rest_[depth_] % divisors_[at] != 0 || !allowed(depth_, divisors_[at]))) {
      ++at;
    }
    if (at == divisors_.size()) {
      if (depth_ == 0) {
        open_ = false;
        return false;
      }
      --depth_;
      continue;
    }
    position_[depth_] = at + 1;
    factors_[depth_] = divisors_[at];
    rest_[depth_ + 1] = rest_[depth_] / divisors_[at];
    if (depth_ + 1 < last) {
      position_[++depth_] = 0;
    } else if (allowed(last, rest_[last])) {
      factors_[last] = rest_[last];
      return true;
    }
  }
}

std::optional<machine::Grid> CandidateStream::next() {
  while (open_ || start_number()) {
    if (!next_of_number()) {
      continue;
    }
    const machine::Grid grid =
        machine::Grid(
            std::span<const std::int64_t>(factors_.data(), static_cast<std::size_t>(space_.rank)))
            .with_threads(space_.threads);
    if (space_.conditions.admits_whole(grid)) {
      return grid;
    }
  }
  return std::nullopt;
}

CandidateStreams::CandidateStreams(std::span<const SearchSpace> spaces, Selection selection) {
  streams_.reserve(spaces.size());
  for (const SearchSpace& space : spaces) {
    streams_.emplace_back(space, selection);
  }
}

std::optional<machine::Grid> CandidateStreams::next() {
  for (; current_ < streams_.size(); ++current_) {
    if (const auto grid = streams_[current_].next()) {
      return grid;
    }
  }
  return std::nullopt;
}

}  // namespace gridcast::search
