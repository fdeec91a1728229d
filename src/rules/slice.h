#pragma once
/// Parts of the pools of a script.

#include <compare>
#include <cstdint>
#include <span>

namespace gridcast::model {

/// A run of entries of one of the pools.
struct Slice {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
  auto operator<=>(const Slice&) const = default;
};

/// These entries of a pool.
template <class Pool>
[[nodiscard]] auto entries(const Pool& pool, Slice slice) noexcept {
  return std::span(pool).subspan(slice.begin, slice.count);
}

}  // namespace gridcast::model
