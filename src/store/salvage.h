#pragma once
/// Reads what is left of a damaged store: rows of its files by the records of /recovery, rows of
/// its journal. HDF5 has no part in this; every byte is used only after its digest was right, and
/// nothing is larger in memory than what a valid record says.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gridcast/store/journal.h"
#include "recovery_record.h"
#include "series_list.h"

namespace gridcast::store {

/// Rows of one column that cannot be read.
struct LostPiece {
  std::string column;
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
};

/// A file with records of /recovery: S.h5 or S.h5.next.
class SalvageFile {
public:
  /// Throws RunError if the file cannot be read.
  explicit SalvageFile(const std::filesystem::path& path);
  SalvageFile(SalvageFile&&) noexcept;
  SalvageFile& operator=(SalvageFile&&) noexcept;
  ~SalvageFile();

  [[nodiscard]] const FoundRecords& records() const noexcept { return records_; }

  /// Reads a piece, a chunk of the dataset of `info`, to `values`; false if it is not as it was
  /// written.
  bool read_piece(const StoredPiece& piece, const SeriesInfo& info,
                  std::vector<std::byte>& values) const;

private:
  class Bytes;
  FoundRecords records_;
  std::unique_ptr<Bytes> bytes_;
};

/// A row with its number in the damaged store.
struct SalvagedRow {
  std::int64_t number = 0;
  const ResultRow& row;
  std::span<const double> extras;
  std::span<const model::Characteristics> intervals;
  const std::string* reason;  ///< of a failed row from the journal, else null
};

/// What was found while salvaging.
struct SalvageReport {
  std::int64_t rows = 0;     ///< that were handed out
  std::int64_t missing = 0;  ///< known to have existed
  std::vector<LostPiece> pieces;
};

/// Hands out all rows that are whole in one of the files or in the journal, in the order of their
/// numbers. Of each chunk the file with most rows counts; what is damaged in it is taken from
/// another file that has the same.
SalvageReport salvage_rows(const StoreSetup& setup, const std::vector<SalvageFile>& files,
                           JournalReader* journal,
                           const std::function<void(const SalvagedRow&)>& take);

}  // namespace gridcast::store
