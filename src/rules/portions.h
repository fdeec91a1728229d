#pragma once
/// How the quantised dimensions of a pipelined loop are cut into portions (docs/model.md
/// §6).

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/mapping/blocks.h"
#include "gridcast/mapping/index_range.h"

namespace gridcast::model {

/// The portions of a loop: how many there are, and how many points each has.
class Portions {
public:
  /// `extents` of the quantised dimensions, outermost first; `quanta` portions are asked for.
  void cut(std::span<const std::int64_t> extents, std::int64_t quanta) {
    cuts_.clear();
    count_ = 1.0;
    std::int64_t rest = quanta;
    for (const std::int64_t extent : extents) {
      const std::int64_t all = std::max<std::int64_t>(extent, 1);
      const std::int64_t parts = std::clamp<std::int64_t>(rest, 1, all);
      rest = std::max<std::int64_t>(1, rest / parts);
      const std::int64_t full = mapping::ceil_div(all, parts);
      const std::int64_t count = mapping::ceil_div(all, full);
      cuts_.push_back({full, extent - full * (count - 1), count});
      count_ *= static_cast<double>(count);
    }
  }

  [[nodiscard]] double count() const noexcept { return count_; }

  /// Quantised points of a portion.
  [[nodiscard]] double size(std::int64_t portion) const noexcept {
    double size = 1.0;
    for (auto cut = cuts_.rbegin(); cut != cuts_.rend(); ++cut) {
      const std::int64_t at = portion % cut->count;
      portion /= cut->count;
      size *= static_cast<double>(at + 1 == cut->count ? cut->last : cut->full);
    }
    return size;
  }

  /// Sizes of the first `count` - 1 portions and of the last one; returns their sum.
  double sizes_with_last(std::size_t count, std::vector<double>& sizes) const {
    sizes.resize(count);
    double sum = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      const auto portion =
          k + 1 < count ? static_cast<std::int64_t>(k) : static_cast<std::int64_t>(count_) - 1;
      sizes[k] = size(portion);
      sum += sizes[k];
    }
    return sum;
  }

  /// Extents of the first portion, per quantised dimension.
  [[nodiscard]] std::int64_t first(std::size_t dimension) const noexcept {
    return cuts_[dimension].full;
  }

private:
  /// One quantised dimension: extents of its parts, of the last one, and how many parts.
  struct Cut {
    std::int64_t full = 1, last = 1, count = 1;
  };
  std::vector<Cut> cuts_;
  double count_ = 1.0;
};

}  // namespace gridcast::model
