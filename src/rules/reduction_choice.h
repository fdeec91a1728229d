#pragma once
/// Which algorithm a reduction takes (docs/model.md §10).

#include <optional>

#include "gridcast/machine/allreduce.h"
#include "gridcast/rules/options.h"

namespace gridcast::model {

/// That of `options`, or for `automatic` that of the machine. Together, where parts do not go
/// round, Rabenseifner's moves the same bytes in a ring's place.
[[nodiscard]] ReductionKind reduction_of(const ModelOptions& options,
                                         const machine::AllreduceTable& table, double bytes,
                                         double processes);

/// The same for all numbers of processes from `least` to `most`. `automatic` if it is doubling or
/// Rabenseifner's, depending on the number; nothing if it depends on it in another way.
[[nodiscard]] std::optional<ReductionKind> reduction_of(const ModelOptions& options,
                                                        const machine::AllreduceTable& table,
                                                        double bytes, double least, double most);

}  // namespace gridcast::model
