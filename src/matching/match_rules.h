#pragma once
#include <string>
#include <vector>

#include "gridcast/matching/match.h"
#include "gridcast/rules/script.h"

namespace gridcast::matching {

/// The least time that each resource of a machine needs for a program, falling: work shared evenly
/// by all processors, the busiest network of each level, what starting the messages of one
/// communication after the other costs, and filling and draining pipelines.
[[nodiscard]] std::vector<ResourceTime> resource_times(const model::Script& script,
                                                       const machine::Cluster& cluster,
                                                       const machine::Grid& grid,
                                                       const model::ModelOptions& options);

/// Assignments that make one number of a machine better by a factor.
[[nodiscard]] std::vector<std::string> changes_of(const machine::Cluster& cluster, double factor);

}  // namespace gridcast::matching
