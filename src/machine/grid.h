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

/// A processor grid of 1 to 4 dimensions, of processes of one thread or more each; a plain value
/// that can travel in an MPI message. Linear index of processor coordinates: the last dimension
/// runs fastest (docs/model.md §1). Its processors are processes, each on as many cores of the
/// machine as it has threads.
class Grid {
public:
  /// The grid of one processor.
  Grid() = default;

  /// A grid with these extents. Throws InputError if there are none, more than four, one is below 1
  /// or the product exceeds 2^31 - 1.
  explicit Grid(std::span<const std::int64_t> extents);

  /// Reads "4x2" or "4,2" (case of x does not matter). Throws InputError.
  static Grid parse(std::string_view text);

  /// Reads what text() gives. Throws InputError.
  static Grid parse_text(std::string_view text);

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

  /// Threads of each process.
  [[nodiscard]] std::int32_t threads() const noexcept { return threads_; }

  /// Processors of the machine that the processes take: one per thread.
  [[nodiscard]] std::int64_t cores() const noexcept { return processors() * threads_; }

  /// The same grid of processes of `threads` threads, 1 or more.
  [[nodiscard]] Grid with_threads(std::int32_t threads) const noexcept;

  /// "4x2"; of processes of several threads "4x2 with 3 threads".
  [[nodiscard]] std::string text() const;

  friend bool operator==(const Grid&, const Grid&) = default;

private:
  std::array<std::int32_t, max_grid_rank> extents_{1, 1, 1, 1};
  std::int32_t rank_ = 1;
  std::int32_t threads_ = 1;
};

/// Order of ties: by cores, then threads, then p1, p2, ..., then rank.
[[nodiscard]] std::strong_ordering compare(const Grid& a, const Grid& b) noexcept;

}  // namespace gridcast::machine
