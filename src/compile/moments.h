#pragma once
/// Internal: what is in memory at the same time.

#include <cstdint>
#include <set>
#include <vector>

#include "gridcast/rules/script.h"

namespace gridcast::model {

/// Writes those of the moments of a run, sets of holdings, that may be the fullest into the tables.
/// Buffers that are nowhere larger than another one that the run has are taken for that one.
void write_moments(const std::set<std::vector<std::uint32_t>>& moments, Script::Builder& tables);

}  // namespace gridcast::model
