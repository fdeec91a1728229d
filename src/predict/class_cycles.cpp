#include "class_cycles.h"

#include <algorithm>

#include "gridcast/rules/repetition.h"
#include "stretches.h"

namespace gridcast::model {
namespace {

bool does_the_same(const Op& a, const Op& b) noexcept {
  return a.kind == b.kind && a.operation == b.operation && a.cost == b.cost && a.a == b.a &&
         a.b == b.b && a.call == b.call && a.ret == b.ret;
}

bool stays_simple(const Op& op) noexcept {
  return op.kind != Op::Kind::begin_interval && op.kind != Op::Kind::end_interval &&
         op.kind != Op::Kind::enter_view && op.kind != Op::Kind::leave_view &&
         op.kind != Op::Kind::pipeline;
}

}  // namespace

std::vector<Cycle> find_cycles(const Script& script) {
  std::vector<Cycle> cycles;
  const std::span<const Op> ops = script.tables().ops;
  for (const Repetition& loop : find_repetitions(ops)) {
    const std::span<const Op> iteration = ops.subspan(loop.begin, loop.period);
    const std::size_t cut = first_level(iteration);
    if (cut == loop.period || !std::all_of(iteration.begin(), iteration.end(), stays_simple)) {
      continue;
    }
    // What follows the last cut belongs to nothing.
    for (std::size_t i = 0; i + 1 < loop.count; ++i) {
      const std::size_t begin = loop.begin + cut + i * loop.period;
      const auto here = ops.subspan(begin, loop.period);
      if (i > 0 &&
          std::equal(here.begin(), here.end(),
                     here.begin() - static_cast<std::ptrdiff_t>(loop.period), does_the_same)) {
        ++cycles.back().count;
      } else {
        cycles.push_back({begin, loop.period, 1});
      }
    }
  }
  std::erase_if(cycles, [](const Cycle& cycle) { return cycle.count < 3; });
  return cycles;
}

}  // namespace gridcast::model
