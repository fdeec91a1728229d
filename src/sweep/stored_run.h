#pragma once
/// What a search tells its store, and reads of it.

#include <cstdint>
#include <filesystem>
#include <vector>

#include "gridcast/search/strategy.h"
#include "gridcast/store/front.h"
#include "gridcast/store/proof.h"
#include "gridcast/store/row.h"

namespace gridcast::sweep {

/// What a search with bounds has shown, for its store; `most`: processors of the machine that a
/// candidate may take.
[[nodiscard]] store::Proof proof_of(const search::Strategy& strategy, std::int64_t most);

/// The front, for the store.
[[nodiscard]] store::Front stored_front(const std::vector<search::FrontEntry>& front);

/// The rows of some grids, as they lie in a store. Throws RunError if one is not there.
[[nodiscard]] std::vector<store::ResultRow> stored_rows(const std::filesystem::path& path,
                                                        const std::vector<machine::Grid>& grids);

}  // namespace gridcast::sweep
