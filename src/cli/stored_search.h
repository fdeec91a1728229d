#pragma once
/// What a store says about its search, as `status` and `report` show it.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "gridcast/search/best.h"
#include "gridcast/store/reader.h"

namespace gridcast::cli {

/// Counts and best rows of a store, whether it is complete or not.
struct StoredSearch {
  store::Store store;                             ///< without its rows
  std::int64_t evaluated = 0;                     ///< rows, failed ones included
  std::int64_t failed = 0;                        ///< of those
  std::optional<store::ResultRow> best;           ///< the row chosen so far
  std::optional<store::ResultRow> unconstrained;  ///< by objective alone
};

/// Objective and condition of the run that made a store.
[[nodiscard]] search::Goal goal_of(const store::RunDescription& description);

/// Says on standard error how many rows of a store cannot be read, if any.
void warn_unreadable(const std::filesystem::path& path, std::int64_t rows);

/// Reads a store once, hands each row to `take`, and finds the best. Errors as store::StoreReader.
[[nodiscard]] StoredSearch read_search(
    const std::filesystem::path& path,
    const std::function<void(const store::ResultRow&)>& take = {});

}  // namespace gridcast::cli
