#pragma once
/// Internal: iterations of free processes that a prediction leaves out (docs/model.md §10).

#include <cstddef>
#include <cstdint>
#include <span>

#include "gridcast/rules/repetition.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// Seconds of the trace that a prediction counts as productive. `loops`: those of `ops`; none if
/// all iterations are simulated.
[[nodiscard]] double productive_seconds(const Script& script, std::span<const Op> ops,
                                        std::span<const Repetition> loops, std::int64_t iterations);

}  // namespace gridcast::model
