#pragma once
/// Names of objects in the calls of a trace.
///
/// Objects are named by slots: small numbers, per kind of object, that the reader assigns when an
/// object is created. A slot is used again after its object was deleted (or when a new object of
/// the kind appears under the same reference), so the calls of two equal iterations are equal
/// values and are stored once. `no_object` stands for a reference that is 0, NULL or unknown where
/// the trace may leave it out.

#include <cstdint>
#include <vector>

namespace gridcast::trace {

using Slot = std::uint32_t;
inline constexpr Slot no_object = 0xffffffffU;

using Extents = std::vector<std::int64_t>;

}  // namespace gridcast::trace
