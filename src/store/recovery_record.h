#pragma once
/// Records in the group /recovery of a store, by which its rows are found and checked without
/// HDF5's own structures. Each carries a mark, so that it is found wherever it lies in a damaged
/// file, and a digest. The description is written when the store is created; every chunk of rows
/// has a record of where its values lie and of their digests; every snapshot ends with a summary
/// that has all of that once more.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gridcast/store/description.h"
#include "result_file.h"

namespace gridcast::store {

enum class RecordKind : std::uint32_t { description = 1, chunk = 2, summary = 3 };

/// What a store is, apart from its rows.
struct StoreIdentity {
  std::string store_id;
  std::string created;
  StoreSetup setup;
};

/// Where HDF5 put one chunk of one dataset.
struct StoredPiece {
  std::uint64_t address = 0;
  std::uint32_t size = 0;         ///< 0: not written
  std::uint32_t filter_mask = 0;  ///< of the filters that were left out
  std::uint64_t digest = 0;
};

/// The rows `first` to `first + count` of all columns.
struct ChunkRecord {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::vector<StoredPiece> pieces;  ///< in the order of `series_of`
};

/// How a snapshot ended.
struct SummaryRecord {
  StoreIdentity identity;
  Outcome outcome;
  std::int64_t rows = 0;
  std::vector<Failure> failures;
  std::optional<Best> best;
  std::vector<ChunkRecord> chunks;
};

/// Whole records, with mark and digest; their length is a multiple of 8. Of two summaries the one
/// with the greater sequence counts.
[[nodiscard]] std::vector<std::byte> description_record(const StoreIdentity& identity);
[[nodiscard]] std::vector<std::byte> chunk_record(const ChunkRecord& chunk);
[[nodiscard]] std::vector<std::byte> summary_record(const SummaryRecord& summary,
                                                    std::uint64_t sequence);

/// Length of the records of chunks with so many pieces.
[[nodiscard]] std::size_t chunk_record_bytes(std::size_t pieces) noexcept;

/// All valid records in a file.
struct FoundRecords {
  std::optional<StoreIdentity> identity;
  std::optional<SummaryRecord> summary;
  std::map<std::int64_t, ChunkRecord> chunks;  ///< by `first`; of equal ones the longest
};

/// Searches a file for records. Throws RunError if it cannot be read.
[[nodiscard]] FoundRecords find_records(const std::filesystem::path& path);

/// Reads a chunk record; empty if it is none.
[[nodiscard]] std::optional<ChunkRecord> parse_chunk_record(std::span<const std::byte> record);

}  // namespace gridcast::store
