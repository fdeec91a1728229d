#pragma once
/// Numbers of a machine that are possible but hardly meant.

#include <string>
#include <vector>

#include "gridcast/machine/cluster.h"

namespace gridcast::machine {

/// A sentence for each network that moves less than 0.001 or more than 10,000 GB/s: TByte in
/// seconds, or in nanoseconds. TByte = 0 is meant.
[[nodiscard]] std::vector<std::string> unlikely_costs(const Cluster& cluster);

}  // namespace gridcast::machine
