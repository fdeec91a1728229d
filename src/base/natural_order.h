#pragma once
/// The order of file names in which jac2_2.ptr comes before jac10_10.ptr.

#include <string_view>

namespace gridcast {

/// Compares runs of digits as numbers, everything else as bytes.
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b);

}  // namespace gridcast
