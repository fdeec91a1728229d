#pragma once
/// An array that goes to another distribution: between processors of one line of the grid each
/// hands to each what both their parts have in common (docs/model.md §5).

#include <cstdint>

#include "gridcast/mapping/class_layout.h"
#include "gridcast/mapping/processor_classes.h"

namespace gridcast::network {

using mapping::ProcessorClasses;

/// Messages along one dimension of the grid; in all others senders and receivers have the same
/// coordinates. A message has as many elements as a product of what its sender's coordinate holds
/// before, what its receiver's holds afterwards, and what is the same for all of a line.
class Transposition {
public:
  /// From one layout to another of the same elements, which both must outlive this. False if it is
  /// something else.
  bool find(const ProcessorClasses& classes, const mapping::ClassLayout& from,
            const mapping::ClassLayout& to, double element_size);

  /// The dimension of the grid; -1: everybody has got already what is needed.
  [[nodiscard]] int along() const noexcept { return along_; }
  /// What a coordinate of it holds before and afterwards.
  [[nodiscard]] double sent(std::int64_t x) const noexcept { return size(*from_, along_, x); }
  [[nodiscard]] double received(std::int64_t x) const noexcept { return size(*to_, along_, x); }
  /// Bytes for each such, in lines of a class whose borders are those of both layouts, too.
  [[nodiscard]] double bytes(const ProcessorClasses& classes, std::size_t which) const noexcept;

private:
  static double size(const mapping::ClassLayout& layout, int dim, std::int64_t x) noexcept;

  const mapping::ClassLayout* from_ = nullptr;
  const mapping::ClassLayout* to_ = nullptr;
  double element_size_ = 0.0;
  int along_ = -1;
};

}  // namespace gridcast::network
