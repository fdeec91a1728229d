#pragma once
/// Passes whose number the grid decides (repeat of a statement over blocks).

#include <vector>

#include "gridcast/rules/grid_mapping.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// Whether the grid decides how often something in a script is done.
[[nodiscard]] bool has_repeats(const Script& script);

/// The operations of a script on the grid of a mapping, each pass written out. Throws InputError
/// for more than most_unrolled.
[[nodiscard]] std::vector<Op> unrolled(GridMapping& mapping);

/// Operations of a script that are written out at most.
inline constexpr std::size_t most_unrolled = 4'000'000;

}  // namespace gridcast::model
