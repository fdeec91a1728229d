#pragma once
/// Internal: the iterations of a loop, or of a portion of it, that a call of dopl_ is about.

#include <array>
#include <cstdint>
#include <span>

#include "gridcast/mapping/layout.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// The same arithmetic for predictions and their bounds, which compare shares bit for bit.
class LoopPart {
public:
  /// `portion`: of the script, or none for the whole loop.
  LoopPart(const mapping::Layout& loop, const Script& script, std::uint32_t portion)
      : rank_(static_cast<std::size_t>(loop.rank())) {
    for (std::size_t dim = 0; dim < rank_; ++dim) {
      wanted_[dim] = {0, 1, loop.extent(static_cast<int>(dim))};
      if (portion != none) {
        const auto bounds = script.ints(script.tables().portions[portion].bounds);
        wanted_[dim] = {bounds[dim * 3], bounds[dim * 3 + 1], bounds[dim * 3 + 2]};
      }
      iterations_ *= static_cast<double>(wanted_[dim].count);
    }
  }

  [[nodiscard]] bool empty() const noexcept { return !(iterations_ > 0.0); }

  /// How much of it lies in a block, 0 to 1. Precondition: not empty.
  [[nodiscard]] double share(std::span<const mapping::IndexRange> block) const {
    double own = 1.0;
    for (std::size_t dim = 0; dim < rank_; ++dim) {
      own *= static_cast<double>(wanted_[dim].positions_in(block[dim]).size());
    }
    return own / iterations_;
  }

private:
  std::size_t rank_;
  std::array<mapping::StridedRange, mapping::max_rank> wanted_;
  double iterations_ = 1.0;
};

}  // namespace gridcast::model
