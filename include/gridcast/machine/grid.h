#pragma once
/// A grid of processors P1 x P2 x ... ([Predictor2010 §5]): the shape that the search looks for.

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gridcast::machine {

/// The most dimensions a grid can have (columns p1...p4 of the store).
inline constexpr int max_grid_rank = 4;

/// A processor grid of 1 to 4 dimensions; a plain value that can travel in an MPI message.
/// Linear index of processor coordinates: the last dimension runs fastest (docs/model.md §1).
class Grid {
public:
  /// The grid of one processor.
  Grid() = default;

  /// A grid with these extents. Throws InputError if there are none, more than four, one is below 1
  /// or the product exceeds 2^31 - 1.
  explicit Grid(std::span<const std::int64_t> extents);

  /// Reads "4x2" or "4,2" (case of x does not matter). Throws InputError.
  static Grid parse(std::string_view text);

  [[nodiscard]] int rank() const noexcept { return rank_; }

  /// Extent of dimension `dim`; 1 for dimensions beyond the rank.
  [[nodiscard]] std::int32_t extent(int dim) const noexcept {
    return dim < max_grid_rank ? extents_[static_cast<std::size_t>(dim)] : 1;
  }

  [[nodiscard]] std::span<const std::int32_t> extents() const noexcept {
    return {extents_.data(), static_cast<std::size_t>(rank_)};
  }

  /// Product of the extents.
  [[nodiscard]] std::int64_t processors() const noexcept;

  /// Σ|difference of coordinates| of two linear indices: links between them in a grid of links.
  [[nodiscard]] std::int64_t distance(std::uint32_t a, std::uint32_t b) const noexcept;

  /// "4x2".
  [[nodiscard]] std::string text() const;

  friend bool operator==(const Grid&, const Grid&) = default;

private:
  std::array<std::int32_t, max_grid_rank> extents_{1, 1, 1, 1};
  std::int32_t rank_ = 1;
};

/// Order of the exported tables and of ties: by number of processors, then p1, p2, ..., then rank.
[[nodiscard]] std::strong_ordering compare(const Grid& a, const Grid& b) noexcept;

}  // namespace gridcast::machine
