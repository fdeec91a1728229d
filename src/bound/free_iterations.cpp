#include "free_iterations.h"

#include "least_mapping.h"

namespace gridcast::model {

double productive_seconds(const Script& script, std::span<const Op> ops,
                          std::span<const Repetition> loops, std::int64_t iterations) {
  double seconds = 0.0;
  std::size_t at = 0;
  const auto add_until = [&](std::size_t end) {
    for (; at < end; ++at) {
      const Op& op = ops[at];
      seconds += op.kind == Op::Kind::broadcast ? 0.0 : op.call * most_factor(script, op) + op.ret;
    }
  };
  for (const Repetition& loop : loops) {
    add_until(loop.begin);
    const Simulated simulated = simulated_of(loop, iterations);
    for (std::size_t i = 0; i < simulated.count; ++i) {
      const double stands_for = i < simulated.count - simulated.last ? 1.0 : 1.0 + simulated.rest;
      const std::span<const Op> one = ops.subspan(loop.begin + i * loop.period, loop.period);
      seconds += stands_for * productive_seconds(script, one, loop.nested, iterations);
    }
    at = loop.end();
  }
  add_until(ops.size());
  return seconds;
}

}  // namespace gridcast::model
