#pragma once
/// The HDF5 file of a store, schema gridcast.store/1 (docs/store.md): one object per open file.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "columns.h"
#include "gridcast/store/description.h"
#include "gridcast/store/front.h"
#include "gridcast/store/hdf5.h"
#include "gridcast/store/proof.h"
#include "gridcast/store/robustness.h"

namespace gridcast::store {

struct StoreIdentity;

/// Root attributes that change while a store grows.
struct Outcome {
  bool complete = false;
  std::string finished;  ///< ISO 8601 UTC; empty unless complete
  std::int64_t candidates = -1;
  std::int64_t not_bad = -1;
  std::int64_t epoch = 0;  ///< of the writer (lock.h); 0 if none was noted
};

class ResultFile {
public:
  /// Makes the whole structure without rows.
  static ResultFile create(const std::filesystem::path& path, const StoreSetup& setup,
                           const std::string& store_id, const std::string& created);
  /// With `read`, nothing is parsed unless the seal is whole; with `write` the file is a copy of
  /// our own without a seal. Throws InputError if the file is not a store of this schema, RunError
  /// if it is damaged.
  static ResultFile open(const std::filesystem::path& path, hdf5::Access access);
  /// For a damaged file: only the rows and their digests, by what another source says of the store;
  /// nothing is as trustworthy as the digests say. Throws RunError if they cannot be read.
  static ResultFile open_rows(const std::filesystem::path& path, const StoreIdentity& identity);

  [[nodiscard]] const StoreSetup& setup() const noexcept { return setup_; }
  [[nodiscard]] const std::string& store_id() const noexcept { return store_id_; }
  [[nodiscard]] const std::string& created() const noexcept { return created_; }
  [[nodiscard]] Outcome outcome() const;
  [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
  /// Rows that fill a chunk of /results.
  [[nodiscard]] std::int64_t chunk_rows() const noexcept { return setup_.chunk_rows; }
  /// Bytes of a row with all that belongs to it, uncompressed.
  [[nodiscard]] std::size_t row_bytes() const noexcept;

  /// Appends rows after making sure that there is space for them.
  void append(const RowBatch& batch);
  /// Throws RunError if a row is none that could have been written.
  [[nodiscard]] RowBatch read(std::int64_t first, std::int64_t count) const;
  /// What HDF5 reads.
  [[nodiscard]] RowBatch read_unchecked(std::int64_t first, std::int64_t count) const;
  /// The digests of rows (recovery_record.h); 0 in stores of earlier versions.
  [[nodiscard]] std::vector<std::uint64_t> read_digests(std::int64_t first,
                                                        std::int64_t count) const;

  void write_failures(std::span<const Failure> failures);
  [[nodiscard]] std::vector<Failure> failures() const;
  void write_best(const std::optional<Best>& best);
  [[nodiscard]] std::optional<Best> best() const;
  /// In the place of an earlier one.
  void write_proof(const Proof& proof);
  [[nodiscard]] std::optional<Proof> proof() const;
  /// In the place of an earlier one.
  void write_front(const Front& front);
  [[nodiscard]] std::optional<Front> front() const;
  /// In the place of an earlier one.
  void write_robustness(const Robustness& found);
  [[nodiscard]] std::optional<Robustness> robustness() const;
  /// Also sets `evaluated` to the number of rows.
  void write_outcome(const Outcome& outcome);

  void flush() { hdf5::flush(file_); }
  /// Closes the file with a check and seals it. The object is used up.
  void close();

private:
  ResultFile(std::filesystem::path path, hdf5::File file, StoreSetup setup)
      : path_(std::move(path)), file_(std::move(file)), setup_(std::move(setup)) {}
  static void create_failures(const hdf5::File& file);
  void create_results();
  void create_interval_results();
  void create_recovery();
  void write_description_copy(std::size_t copy);
  void append_digests(const RowBatch& batch);
  void open_digests();
  void open_series();
  void require_consistent();

  std::filesystem::path path_;
  hdf5::File file_;
  StoreSetup setup_;
  std::string store_id_;
  std::string created_;
  std::int64_t rows_ = 0;
  std::vector<Series> numbers_;  ///< the scales `config`, whose values are row numbers
  std::vector<Series> extras_;
  std::vector<Series> digests_;              ///< one or none
  std::vector<ColumnSet> results_;           ///< one, or after close none
  std::vector<ColumnSet> interval_results_;  ///< one or none
  mutable std::vector<std::byte> scratch_;
};

/// Bytes of a row with all that belongs to it, uncompressed.
[[nodiscard]] std::size_t row_bytes_of(const StoreSetup& setup) noexcept;

/// Rows per chunk of a dataset of /interval_results.
[[nodiscard]] std::int64_t interval_chunk_rows(std::int64_t chunk_rows, std::size_t width) noexcept;

/// Rows per chunk: a power of two, at most `limit`, such that a chunk of all columns takes at most
/// 32 MiB.
[[nodiscard]] std::int64_t fitting_chunk_rows(std::int64_t limit, std::size_t row_bytes) noexcept;

}  // namespace gridcast::store
