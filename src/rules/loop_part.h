#pragma once
/// The iterations of a loop, or of a portion of it, that a call of dopl_ is about.

#include <array>
#include <cstdint>
#include <span>

#include "gridcast/mapping/layout.h"
#include "gridcast/rules/script.h"
#include "gridcast/rules/shape_table.h"

namespace gridcast::model {

/// The same arithmetic for predictions and their bounds, which compare shares bit for bit.
class LoopPart {
public:
  /// Extents of a block, per dimension of the loop.
  using Extents = std::array<std::int64_t, mapping::max_rank>;

  /// Of a loop of these extents; `portion`: of the script, or none for the whole loop.
  LoopPart(std::span<const std::int64_t> loop, const Script& script, PortionId portion)
      : rank_(loop.size()) {
    const auto bounds = portion == none ? std::span<const std::int64_t>()
                                        : script.ints(script.tables().portions[portion].bounds);
    for (std::size_t dim = 0; dim < rank_; ++dim) {
      wanted_[dim] = {0, 1, loop[dim]};
      if (!bounds.empty()) {
        wanted_[dim] = {bounds[dim * 3], bounds[dim * 3 + 1], bounds[dim * 3 + 2]};
      }
      iterations_ *= static_cast<double>(wanted_[dim].count);
      extents_[dim] = wanted_[dim].count;
    }
    factor_ = ShapeFactor(script, portion, std::span(extents_).first(rank_));
  }

  [[nodiscard]] bool empty() const noexcept { return !(iterations_ > 0.0); }
  [[nodiscard]] double iterations() const noexcept { return iterations_; }
  [[nodiscard]] const ShapeFactor& factor() const noexcept { return factor_; }

  /// Of what a block has of the iterations; 0 beyond the dimensions of the loop.
  [[nodiscard]] Extents extents(std::span<const mapping::IndexRange> block) const {
    Extents own{};
    for (std::size_t dim = 0; dim < rank_; ++dim) {
      own[dim] = wanted_[dim].positions_in(block[dim]).size();
    }
    return own;
  }

  /// How much of its time a block takes: its part of the iterations, and what the shape of the
  /// block makes of it. Precondition: not empty.
  [[nodiscard]] double share(std::span<const mapping::IndexRange> block) const {
    const Extents own = extents(block);
    double size = 1.0;
    for (std::size_t dim = 0; dim < rank_; ++dim) {
      size *= static_cast<double>(own[dim]);
    }
    return size / iterations_ * factor_(std::span(own).first(rank_));
  }

private:
  std::size_t rank_;
  std::array<mapping::StridedRange, mapping::max_rank> wanted_;
  Extents extents_{};
  double iterations_ = 1.0;
  ShapeFactor factor_;
};

}  // namespace gridcast::model
