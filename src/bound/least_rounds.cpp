#include "least_rounds.h"

#include <algorithm>
#include <cmath>

namespace gridcast::model {
namespace {

/// Bytes of the values that reductions are cut between.
constexpr double value_size = 8.0;

/// True for doubling, false for Rabenseifner on all grids of a box; nothing if it depends on them.
std::optional<bool> is_doubled(ReductionKind kind, double bytes, const LeastView& view) {
  constexpr double most_doubled = 2048.0;
  if (kind != ReductionKind::automatic) {
    return kind == ReductionKind::doubling;
  }
  if (bytes <= most_doubled || bytes < value_size * view.least) {
    return true;
  }
  return bytes < value_size * view.most ? std::nullopt : std::optional(false);
}

}  // namespace

LeastRounds least_rounds(ReductionKind kind, double bytes, const LeastView& view) {
  LeastRounds rounds;
  rounds.doubled = is_doubled(kind, bytes, view);
  const double even = std::exp2(std::floor(std::log2(view.least)));  // least power of two
  const double parts = std::exp2(std::floor(std::log2(view.most)));  // most
  const int count = std::ilogb(even);
  for (int round = 0; round < count; ++round) {
    const double mask = std::exp2(round);
    // Of Rabenseifner's parts the last has what remains of whole values.
    const double part = std::max(bytes - value_size * parts, 0.0) / (2.0 * mask);
    rounds.there.push_back({!rounds.doubled ? 0.0 : *rounds.doubled ? bytes : part, mask});
  }
  return rounds;
}

}  // namespace gridcast::model
