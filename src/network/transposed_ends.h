#pragma once
/// Internal: ends of a transposition on networks of ports (docs/model.md §4), by classes.

#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/network/class_ends.h"
#include "gridcast/network/network_levels.h"
#include "gridcast/network/transposition.h"
#include "transposed_lines.h"

namespace gridcast::network {

/// Lines that share a member of the top network are a block. Lines of a block whose messages are as
/// long and that share all ports but those of their processors are looked at once, and so are
/// blocks of the same lines.
class TransposedEnds final : public ClassEnds {
public:
  void work_out(const ProcessorClasses& classes, const Transposition& transposition,
                std::span<const NetworkLevel> levels, double copy_time);

  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override;
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& /*at*/,
                              std::int64_t number) const override {
    return number_at(ends_, which, number);
  }
  [[nodiscard]] double overhead_of(std::size_t which, std::int64_t number) const override {
    return number_at(beside_, which, number);
  }

private:
  static constexpr std::uint32_t none = UINT32_MAX;

  /// Neighbouring lines of one class.
  struct Piece {
    std::size_t which = 0;  ///< with the first coordinates along the line
    std::uint32_t line = none;
    double count = 0.0;
  };
  /// Lines of a class that end alike.
  struct Alike {
    std::uint32_t line = 0;  ///< in ends_
    double count = 0.0;
  };
  /// A block of lines, those of each group by what they send.
  struct Block {
    std::vector<TransposedLines::Line> lines;
    std::vector<std::uint32_t> line_of;  ///< group * bytes_ + bytes: in `lines`
    std::uint32_t first = 0;             ///< of `lines`, in ends_
  };

  void find_bytes(const Transposition& transposition);
  void find_groups(std::span<const NetworkLevel> levels);
  void cut(std::int64_t begin, std::int64_t end, Block& block);
  std::uint32_t number_of(Block& block);
  void sum_up();
  /// The class with the same lines at their first coordinates.
  [[nodiscard]] std::size_t lines_of(std::size_t which) const noexcept {
    return which - classes_->run(which, along_) * classes_->class_stride(along_);
  }
  /// The number of the first processor of a line.
  [[nodiscard]] std::int64_t first_of(std::int64_t line) const noexcept {
    const std::int64_t stride = classes_->stride(along_);
    return line / stride * stride * classes_->extent(along_) + line % stride;
  }
  /// Calls f(end, overhead, count) for the processors of a class.
  template <class F>
  void for_each_end(std::size_t which, F&& f) const;
  [[nodiscard]] double number_at(const std::vector<double>& numbers, std::size_t which,
                                 std::int64_t number) const;

  const ProcessorClasses* classes_ = nullptr;
  int along_ = 0;
  std::int64_t end_ = 0;                // coordinates from there on hold nothing
  std::int64_t group_ = 1, block_ = 1;  // lines that share all ports, and those that share some
  TransposedLines lines_;
  std::vector<double> bytes_;
  std::vector<std::uint32_t> bytes_of_;    // per class; none: nothing is sent
  std::vector<Block> blocks_;              // different ones
  std::vector<std::uint32_t> block_of_;    // per block of the grid
  std::vector<Piece> pieces_;              // of the block looked at
  std::vector<std::vector<Alike>> alike_;  // per class, with the first coordinates along the line
};

}  // namespace gridcast::network
