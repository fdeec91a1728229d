#pragma once
/// Reductions in which all take part, round by round (docs/model.md §10).

#include <string>
#include <vector>

namespace gridcast::naive {

struct RoundMessage {
  int from = 0, to = 0;
  double bytes = 0.0;
};

/// The messages of each round among these processors; `how`: doubling, rabenseifner, ring or auto.
[[nodiscard]] std::vector<std::vector<RoundMessage>> reduction_rounds(
    const std::string& how, const std::vector<int>& members, double bytes);

}  // namespace gridcast::naive
