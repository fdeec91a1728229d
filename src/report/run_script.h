#pragma once
/// The script that draws the run on the page of a prediction.

#include <string_view>

namespace gridcast::report {

/// JavaScript; reads the element `run-data`.
[[nodiscard]] std::string_view run_script() noexcept;

}  // namespace gridcast::report
