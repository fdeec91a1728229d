#include "gridcast/machine/grid.h"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <vector>

#include "gridcast/base/error.h"

namespace gridcast::machine {
namespace {

constexpr const char* grid_remedy = "expected 1 to 4 positive extents like 4x2 or 4,2";
constexpr std::string_view with_word = " with ";
constexpr std::string_view threads_word = " threads";

}  // namespace

Grid::Grid(std::span<const std::int64_t> extents) {
  if (extents.empty() || extents.size() > max_grid_rank) {
    throw InputError("a grid of " + std::to_string(extents.size()) + " dimensions", grid_remedy);
  }
  std::int64_t product = 1;
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    const std::int64_t extent = extents[dim];
    if (extent < 1 || extent > std::numeric_limits<std::int32_t>::max() ||
        product * extent > std::numeric_limits<std::int32_t>::max()) {
      throw InputError("grid extent " + std::to_string(extent) + " is out of range", grid_remedy);
    }
    product *= extent;
    extents_[dim] = static_cast<std::int32_t>(extent);
  }
  rank_ = static_cast<std::int32_t>(extents.size());
}

Grid Grid::parse(std::string_view text) {
  std::vector<std::int64_t> extents;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    std::int64_t value = 0;
    const auto [next, status] = std::from_chars(at, end, value);
    if (status != std::errc{}) {
      throw InputError("'" + std::string(text) + "' is not a grid", grid_remedy);
    }
    extents.push_back(value);
    if (next == end) {
      break;
    }
    if (*next != 'x' && *next != 'X' && *next != ',') {
      throw InputError("'" + std::string(text) + "' is not a grid", grid_remedy);
    }
    at = next + 1;
  }
  return Grid(extents);
}

Grid Grid::parse_text(std::string_view text) {
  const std::size_t cut = text.find(with_word);
  if (cut == std::string_view::npos) {
    return parse(text);
  }
  const std::string_view number = text.substr(cut + with_word.size());
  std::int32_t threads = 0;
  const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), threads);
  if (error != std::errc{} || threads < 2 ||
      std::string_view(rest, number.data() + number.size()) != threads_word) {
    throw InputError("'" + std::string(text) + "' is not a grid", grid_remedy);
  }
  return parse(text.substr(0, cut)).with_threads(threads);
}

Grid Grid::with_threads(std::int32_t threads) const noexcept {
  Grid grid = *this;
  grid.threads_ = threads;
  return grid;
}

std::int64_t Grid::processors() const noexcept {
  std::int64_t product = 1;
  for (const std::int32_t extent : extents_) {
    product *= extent;
  }
  return product;
}

std::int64_t Grid::distance(std::uint32_t a, std::uint32_t b) const noexcept {
  std::int64_t sum = 0;
  auto x = static_cast<std::int64_t>(a);
  auto y = static_cast<std::int64_t>(b);
  for (int dim = rank_; dim-- > 0;) {
    const std::int64_t extent = extents_[static_cast<std::size_t>(dim)];
    sum += std::abs(x % extent - y % extent);
    x /= extent;
    y /= extent;
  }
  return sum;
}

std::string Grid::text() const {
  std::string result = std::to_string(extents_[0]);
  for (int dim = 1; dim < rank_; ++dim) {
    result += "x" + std::to_string(extent(dim));
  }
  if (threads_ > 1) {
    result.append(with_word).append(std::to_string(threads_)).append(threads_word);
  }
  return result;
}

std::strong_ordering compare(const Grid& a, const Grid& b) noexcept {
  if (const auto order = a.cores() <=> b.cores(); order != 0) {
    return order;
  }
  if (const auto order = a.threads() <=> b.threads(); order != 0) {
    return order;
  }
  for (int dim = 0; dim < max_grid_rank; ++dim) {
    if (const auto order = a.extent(dim) <=> b.extent(dim); order != 0) {
      return order;
    }
  }
  return a.rank() <=> b.rank();
}

}  // namespace gridcast::machine
