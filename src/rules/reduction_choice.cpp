#include "gridcast/rules/reduction_choice.h"

namespace gridcast::model {

ReductionKind reduction_of(const ModelOptions& options, const machine::AllreduceTable& table,
                           double bytes, double processes) {
  if (options.reduction != ReductionKind::automatic) {
    return options.reduction;
  }
  const ReductionKind kind = table.choose(bytes, processes);
  return kind == ReductionKind::ring && options.processes == ProcessKind::together
             ? ReductionKind::rabenseifner
             : kind;
}

std::optional<ReductionKind> reduction_of(const ModelOptions& options,
                                          const machine::AllreduceTable& table, double bytes,
                                          double least, double most) {
  std::optional<ReductionKind> found = reduction_of(options, table, bytes, least);
  const auto add = [&](double processes) {
    const ReductionKind kind = reduction_of(options, table, bytes, processes);
    const auto paired = [](ReductionKind each) {
      return each == ReductionKind::doubling || each == ReductionKind::rabenseifner ||
             each == ReductionKind::automatic;
    };
    if (found && *found != kind) {
      found =
          paired(*found) && paired(kind) ? std::optional(ReductionKind::automatic) : std::nullopt;
    }
  };
  // Where the same rows fit, what the rule says changes once at most.
  for (const machine::AllreduceTable::Row& row : table.lines()) {
    const auto limit = static_cast<double>(row.processes);
    if (limit >= least && limit < most) {
      add(limit);
      add(limit + 1.0);
    }
  }
  add(most);
  return found;
}

}  // namespace gridcast::model
