#pragma once
/// Processors of a grid by name.

#include <cstddef>
#include <string>

#include "gridcast/machine/grid.h"

namespace gridcast::report {

/// "processor 5 (1,1)": its number and its coordinates, counted from 0.
[[nodiscard]] std::string processor_name(std::size_t processor, const machine::Grid& grid);

}  // namespace gridcast::report
