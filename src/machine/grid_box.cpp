#include "gridcast/machine/grid_box.h"

#include <algorithm>
#include <cmath>

#include "gridcast/base/contract.h"

namespace gridcast::machine {

GridBox::GridBox(int rank, std::int64_t most, std::int32_t threads)
    : rank_(rank), threads_(threads) {
  expects(rank >= 1 && rank <= max_grid_rank && most >= 1, "a box has grids");
  std::fill_n(last_.begin(), rank, static_cast<std::int32_t>(most));
}

GridBox::GridBox(const Grid& grid) : rank_(grid.rank()), threads_(grid.threads()) {
  std::copy(grid.extents().begin(), grid.extents().end(), first_.begin());
  last_ = first_;
}

Grid GridBox::first_grid() const {
  std::array<std::int64_t, max_grid_rank> extents{};
  std::copy(first_.begin(), first_.end(), extents.begin());
  return Grid(std::span<const std::int64_t>(extents.data(), index(rank_))).with_threads(threads_);
}

bool GridBox::contains(const Grid& grid) const noexcept {
  for (int dim = 0; dim < rank_; ++dim) {
    if (grid.extent(dim) < first(dim) || grid.extent(dim) > last(dim)) {
      return false;
    }
  }
  return grid.threads() == threads_;
}

std::int64_t GridBox::least_processors() const noexcept {
  std::int64_t product = 1;
  for (const std::int32_t extent : first_) {
    product *= extent;
  }
  return product;
}

std::int64_t GridBox::most_processors(std::int64_t most) const noexcept {
  std::int64_t product = 1;
  for (const std::int32_t extent : last_) {
    product = product > most / extent ? most : product * extent;
  }
  return product;
}

std::int64_t GridBox::least_stride(int dim) const noexcept {
  std::int64_t product = 1;
  for (int inner = dim + 1; inner < rank_; ++inner) {
    product *= first(inner);
  }
  return product;
}

bool GridBox::fit(std::int64_t most) noexcept {
  const std::int64_t least = least_processors();
  if (least > most) {
    return false;
  }
  for (std::size_t dim = 0; dim < index(rank_); ++dim) {
    const std::int64_t fits = most / (least / first_[dim]);
    last_[dim] = static_cast<std::int32_t>(std::min<std::int64_t>(last_[dim], fits));
  }
  return true;
}

std::pair<GridBox, GridBox> GridBox::split() const noexcept {
  std::size_t longest = 0;
  for (std::size_t dim = 1; dim < index(rank_); ++dim) {
    // last / first as products, exactly.
    if (std::int64_t{last_[dim]} * first_[longest] > std::int64_t{last_[longest]} * first_[dim]) {
      longest = dim;
    }
  }
  const auto middle = static_cast<std::int32_t>(
      std::sqrt(static_cast<double>(first_[longest]) * static_cast<double>(last_[longest])));
  std::pair<GridBox, GridBox> halves{*this, *this};
  halves.first.last_[longest] = std::clamp(middle, first_[longest], last_[longest] - 1);
  halves.second.first_[longest] = halves.first.last_[longest] + 1;
  return halves;
}

std::uint64_t GridBox::count(int dim, int longest, std::int64_t most) const noexcept {
  if (dim == rank_) {
    const std::int64_t until = std::min(last(longest), most);
    return until < first(longest) ? 0 : static_cast<std::uint64_t>(until - first(longest) + 1);
  }
  if (dim == longest) {
    return count(dim + 1, longest, most);
  }
  std::uint64_t sum = 0;
  for (std::int64_t extent = first(dim); extent <= std::min(last(dim), most); ++extent) {
    sum += count(dim + 1, longest, most / extent);
  }
  return sum;
}

std::uint64_t GridBox::count(std::int64_t most) const noexcept {
  int longest = 0;
  for (int dim = 1; dim < rank_; ++dim) {
    if (last(dim) - first(dim) > last(longest) - first(longest)) {
      longest = dim;
    }
  }
  return count(0, longest, most);
}

}  // namespace gridcast::machine
