#include "block_work.h"

#include <algorithm>
#include <vector>

#include "gridcast/rules/repeats.h"

namespace gridcast::model {

BlockWork::BlockWork(const Script& script, const machine::Cluster& cluster,
                     const ModelOptions& options)
    : details_(script, cluster, options, interruption_), repeats_(has_repeats(script)) {
  if (!repeats_) {
    count(script.tables().ops);
  }
}

void BlockWork::count(std::span<const Op> ops) {
  counts_.clear();
  for (const Op& op : ops) {
    if (op.kind == Op::Kind::block_work) {
      counts_[op.statement()] += 1.0;
    }
  }
}

double BlockWork::most(const machine::Grid& grid) {
  const machine::ProcessorSystem& system = details_.expand(grid);
  details_.reset(grid);
  if (repeats_) {
    count(unrolled(details_.mapping()));
  }
  const auto processes = static_cast<std::size_t>(grid.processors());
  std::vector<double> seconds(processes, 0.0);  // on a processor of performance 1
  for (const auto& [statement, times] : counts_) {
    const std::vector<double>& parts = details_.work(statement).parts;
    for (std::size_t p = 0; p < processes; ++p) {
      seconds[p] += times * parts[p] * system.performance[p];
    }
  }
  const auto fastest =
      std::max_element(system.performance.begin(), system.performance.begin() + grid.processors());
  return *std::max_element(seconds.begin(), seconds.end()) / *fastest;
}

}  // namespace gridcast::model
