#pragma once
/// Arrays that go to another distribution: between processors of one line of the grid each
/// hands to each what both their parts have in common (docs/model.md §5).

#include <cstdint>
#include <vector>

#include "gridcast/mapping/class_layout.h"
#include "gridcast/mapping/processor_classes.h"

namespace gridcast::network {

using mapping::ProcessorClasses;

/// Messages along one dimension of the grid; in all others senders and receivers have the same
/// coordinates. A message has as many elements as a product of what its sender's coordinate holds
/// before, what its receiver's holds afterwards, and what is the same for all of a line.
class Transposition {
public:
  /// Begins without arrays.
  void clear() noexcept {
    parts_.clear();
    along_ = -1;
  }
  /// An array that goes from one layout to another, which both must outlive this. False if it is
  /// something else, or not alike to those before.
  bool add(const ProcessorClasses& classes, const mapping::ClassLayout& from,
           const mapping::ClassLayout& to, double element_size);

  /// The dimension of the grid; -1: everybody has got already what is needed.
  [[nodiscard]] int along() const noexcept { return along_; }
  /// What a coordinate of it holds before and afterwards.
  [[nodiscard]] double sent(std::int64_t x) const noexcept {
    return size(*parts_.front().from, along_, x);
  }
  [[nodiscard]] double received(std::int64_t x) const noexcept {
    return size(*parts_.front().to, along_, x);
  }
  /// Coordinates from there on hold nothing, neither before nor afterwards.
  [[nodiscard]] std::int64_t end(const ProcessorClasses& classes) const noexcept;
  /// Bytes for each such, in lines of a class whose borders are those of both layouts, too.
  [[nodiscard]] double bytes(const ProcessorClasses& classes, std::size_t which) const noexcept;

private:
  /// An array that moves.
  struct Part {
    const mapping::ClassLayout* from = nullptr;
    const mapping::ClassLayout* to = nullptr;
    double element_size = 0.0;

    /// The dimension of the grid along which it moves, or -1; false if there are several or others.
    bool find(const ProcessorClasses& classes, int& along) const;
  };

  static double size(const mapping::ClassLayout& layout, int dim, std::int64_t x) noexcept;

  std::vector<Part> parts_;  // that move
  int along_ = -1;
};

}  // namespace gridcast::network
