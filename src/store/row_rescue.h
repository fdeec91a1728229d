#pragma once
/// Reads rows of a file that may be damaged. HDF5 does it in a process of its own with limits of
/// memory and time: damage can make it crash, hang or allocate. A row counts only if its digest is
/// right (recovery_record.h).

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>

#include "recovery_record.h"

namespace gridcast::store {

/// A row with its number in the damaged store.
struct RescuedRow {
  std::int64_t number = 0;
  const ResultRow& row;
  std::span<const double> extras;
  std::span<const model::Characteristics> intervals;
};

/// What HDF5 tells of a file.
struct RescuedFile {
  std::int64_t rows = -1;  ///< in its columns, whole or not; -1: HDF5 cannot read the columns
  std::int64_t epoch = 0;  ///< of the writer; 0 if it cannot be read
};

/// Hands out the rows of a file whose digests are right, in the order of their numbers. `identity`
/// says what the file holds. Throws RunError if no process can be started.
RescuedFile rescue_rows(const std::filesystem::path& path, const StoreIdentity& identity,
                        const std::function<void(const RescuedRow&)>& take);

}  // namespace gridcast::store
