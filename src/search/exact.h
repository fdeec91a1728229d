#pragma once
/// Mode 4: branch and bound, best bound first (docs/search.md has the argument).

#include <memory>

#include "batch_strategy.h"

namespace gridcast::search {

/// The source of batches of mode 4. Throws InputError if the bound that the objective needs is
/// missing or a candidate does not fit into the queue's key.
[[nodiscard]] std::unique_ptr<BatchSource> make_exact(const SearchSpace& space,
                                                      const StrategyOptions& options);

}  // namespace gridcast::search
