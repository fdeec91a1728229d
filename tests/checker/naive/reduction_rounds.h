#pragma once
/// Reductions in which all take part, round by round (docs/model.md §10).

#include <string>
#include <vector>

namespace gridcast::naive {

struct RoundMessage {
  int from = 0, to = 0;
  double bytes = 0.0;
};

/// What "auto" is for so many processes and bytes on a machine whose Allreduce is `table`, as it is
/// written there; other words stay.
[[nodiscard]] std::string algorithm_of(const std::string& how, const std::string& table,
                                       std::size_t processes, double bytes);

/// The messages of each round among these processors; `how`: doubling, rabenseifner or ring.
[[nodiscard]] std::vector<std::vector<RoundMessage>> reduction_rounds(
    const std::string& how, const std::vector<int>& members, double bytes);

}  // namespace gridcast::naive
