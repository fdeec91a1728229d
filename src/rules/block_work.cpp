/// How long each process computes by a statement over blocks.

#include <algorithm>

#include "gridcast/rules/block_values.h"
#include "gridcast/rules/grid_details.h"

namespace gridcast::model {
namespace {

/// Between measured blocks by a line over their points; in proportion to the points beyond them.
double interpolated(std::span<const double> table, double points) {
  const std::size_t last = table.size() - 2;
  if (points <= table[0] || last == 0) {
    return table[1] * points / table[0];
  }
  if (points >= table[last]) {
    return table[last + 1] * points / table[last];
  }
  std::size_t at = 0;
  while (table[at + 2] < points) {
    at += 2;
  }
  const double part = (points - table[at]) / (table[at + 2] - table[at]);
  return table[at + 1] + part * (table[at + 3] - table[at + 1]);
}

}  // namespace

const Share& GridDetails::work(StatementId id) {
  prepare();
  const auto known = works_.find(id);
  if (known != works_.end()) {
    return known->second;
  }
  const StatementSpec& statement = script_->tables().statements[id];
  BlockValues values(mapping_, statement);
  Share& share = works_[id];
  share.any = true;
  share.parts.assign(mapping_.processors(), 0.0);
  share.once = share.parts;
  for (std::uint32_t p = 0; p < share.parts.size(); ++p) {
    values.at(p);
    const double seconds = statement.table.count > 0
                               ? interpolated(script_->reals(statement.table), values.points())
                               : values.value(statement.formula);
    share.parts[p] = seconds / mapping_.system().performance[p];
    share.once[p] = share.parts[p] / values.copies();
  }
  share.sum_up(mapping_.view(root_view).processors());
  return share;
}

}  // namespace gridcast::model
