#pragma once
/// Which loops run in blocks of shapes that nobody measured (docs/model.md §3.8).

#include <string>
#include <vector>

#include "gridcast/rules/grid_mapping.h"

namespace gridcast::model {

/// A sentence for each loop whose time depends on the shape of blocks and that has blocks beyond
/// the measured ones on this grid.
[[nodiscard]] std::vector<std::string> extrapolated_shapes(GridMapping& mapping);

}  // namespace gridcast::model
