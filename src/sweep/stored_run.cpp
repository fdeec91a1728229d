#include "stored_run.h"

#include <algorithm>

#include "gridcast/base/error.h"
#include "gridcast/store/reader.h"

namespace gridcast::sweep {

store::Proof proof_of(const search::Strategy& strategy, std::int64_t most) {
  const auto shown = strategy.proof();
  return {most, shown ? static_cast<std::int64_t>(shown->excluded) : 0, strategy.open_boxes()};
}

store::Front stored_front(const std::vector<search::FrontEntry>& front) {
  store::Front result;
  for (const search::FrontEntry& each : front) {
    store::FrontEntry& entry = result.emplace_back();
    entry.within = each.within;
    entry.by_nodes = each.by_nodes;
    std::ranges::copy(each.outcome.grid.extents(), entry.extents.begin());
    entry.threads = each.outcome.grid.threads();
    entry.processors = each.outcome.grid.processors();
    entry.nodes = each.nodes;
    entry.execution_time = each.outcome.execution_time;
    entry.proven = each.proven;
    entry.at_least = each.at_least;
  }
  return result;
}

std::vector<store::ResultRow> stored_rows(const std::filesystem::path& path,
                                          const std::vector<machine::Grid>& grids) {
  std::vector<store::ResultRow> result(grids.size());
  std::vector<bool> found(grids.size(), false);
  store::StoreReader reader(path);
  reader.read_rows([&](const store::RowBatch& batch) {
    for (const store::ResultRow& row : batch.rows) {
      for (std::size_t i = 0; i < grids.size(); ++i) {
        if (row.grid() == grids[i]) {
          result[i] = row;
          found[i] = true;
        }
      }
    }
  });
  if (const auto missing = std::ranges::find(found, false); missing != found.end()) {
    throw RunError(
        path.string(),
        "has no row of the grid " + grids[static_cast<std::size_t>(missing - found.begin())].text(),
        "go on with --resume");
  }
  return result;
}

}  // namespace gridcast::sweep
