#pragma once
/// What a store promises to survive. The argument and the cost of each level are in docs/store.md.

#include <cstdint>

namespace gridcast::store {

/// --durability: what may be lost when the writer or its machine stops at any moment.
enum class Durability : std::uint8_t {
  none,     ///< rows since the last snapshot; after a power cut the store may be unreadable
  process,  ///< killed process: the last second; power cut: the rows since the last snapshot
  second,   ///< killed process or power cut: the last second
};

}  // namespace gridcast::store
