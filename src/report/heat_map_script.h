#pragma once
/// Internal: the script of the heat map.

#include <string_view>

namespace gridcast::report {

[[nodiscard]] std::string_view heat_map_script() noexcept;

}  // namespace gridcast::report
