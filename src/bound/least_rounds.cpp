#include "least_rounds.h"

#include <algorithm>
#include <cmath>

#include "gridcast/machine/allreduce.h"

namespace gridcast::model {
LeastRounds least_rounds(ReductionKind kind, double bytes, const LeastView& view) {
  LeastRounds rounds;
  if (kind != ReductionKind::automatic) {
    rounds.doubled = kind == ReductionKind::doubling;
  }
  const double even = std::exp2(std::floor(std::log2(view.least)));  // least power of two
  const double parts = std::exp2(std::floor(std::log2(view.most)));  // most
  const int count = std::ilogb(even);
  for (int round = 0; round < count; ++round) {
    const double mask = std::exp2(round);
    // Of Rabenseifner's parts the last has what remains of whole values.
    const double part = std::max(bytes - machine::reduced_value * parts, 0.0) / (2.0 * mask);
    rounds.there.push_back({!rounds.doubled ? 0.0 : *rounds.doubled ? bytes : part, mask});
  }
  return rounds;
}

}  // namespace gridcast::model
