#pragma once
/// Collective operations: over which dimensions of the grid they go, and how much they move.

#include <string>
#include <vector>

#include "gridcast/infer/messages.h"

namespace gridcast::infer {

/// A collective statement.
struct Collective {
  std::vector<std::size_t> across;  ///< dimensions of the grid, from 0; all: empty
  std::vector<std::int32_t> root;   ///< coordinates in these dimensions; all 0: empty
  std::string bytes = "0";          ///< an expression
  bool alone = false;               ///< each process for itself: moves nothing
};

/// Which processes take part. Throws InputError: they are no line or plane of the grid, some do not
/// take part, the root differs, or what is moved differs between iterations.
[[nodiscard]] Collective collective_of(const Runs& runs, const Step& step);

/// Finds how many bytes it moves, by blocks, then by extents; false if no law holds under the rule.
[[nodiscard]] bool find_bytes(Collective& collective, const Runs& runs, const Step& step,
                              const Blocks& blocks);

}  // namespace gridcast::infer
