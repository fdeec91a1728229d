#pragma once
/// Internal: processors of a class in the order of the messages that they get, each with the number
/// of its own.

#include <array>
#include <cstdint>

#include "fan_pieces.h"
#include "gridcast/mapping/processor_classes.h"

namespace gridcast::network {

/// Numbers first + Σ x_j · step_j for all coordinates x_j of a run, behind its first one, which are
/// different, in ascending order.
class NumberedBox {
public:
  /// Begins with one number.
  explicit NumberedBox(std::int64_t first = 0) noexcept : first_(first), last_(first) {}
  /// Another dimension; the run must outlive this. With step 0 each number is that of so many
  /// processors.
  void add(const mapping::ProcessorClasses::Run& run, std::int64_t step) noexcept;

  [[nodiscard]] std::int64_t members() const noexcept { return members_; }
  /// How many processors have each number.
  [[nodiscard]] double copies() const noexcept { return copies_; }
  /// The number of a member.
  [[nodiscard]] std::int64_t number_of(std::int64_t member) const noexcept;
  /// How many members have numbers below that.
  [[nodiscard]] std::int64_t below(std::int64_t number) const noexcept;
  /// How many of the members that lie in a piece, from `member` up to `end`, end before `limit`.
  [[nodiscard]] std::int64_t ending_before(const FanPiece& piece, std::int64_t member,
                                           std::int64_t end, double limit) const noexcept;
  /// Σ of the ends of members `member` … `end` - 1, all in the piece.
  [[nodiscard]] double ends(const FanPiece& piece, std::int64_t member,
                            std::int64_t end) const noexcept;

private:
  struct Dimension {
    std::int64_t count = 1, step = 0;                     // between members, if it is always so
    const mapping::ProcessorClasses::Run* run = nullptr;  // step: per coordinate, if it is not

    /// From the first member to another one.
    [[nodiscard]] std::int64_t apart(std::int64_t place) const noexcept {
      return (run == nullptr ? place : run->at(place) - run->first) * step;
    }
  };
  /// Σ of the numbers of the first so many.
  [[nodiscard]] double numbers(std::int64_t members) const noexcept;
  /// Σ of what they wait for others of their groups, if all of them were in the piece.
  [[nodiscard]] double waiting(const FanPiece& piece, std::int64_t members) const noexcept;
  /// The same of the first `count` blocks of so many members along a dimension, the first of them
  /// at `number`.
  [[nodiscard]] double waiting_of_blocks(const FanPiece& piece, std::size_t dim, std::int64_t count,
                                         std::int64_t block, std::int64_t number) const noexcept;

  std::int64_t first_ = 0, last_ = 0;  // numbers
  std::int64_t members_ = 1;
  double copies_ = 1.0;
  std::int64_t row_ = 1;                                  // so many follow each other without gaps
  std::array<Dimension, machine::max_grid_rank> dims_{};  // by descending step
  std::size_t used_ = 0;
};

}  // namespace gridcast::network
