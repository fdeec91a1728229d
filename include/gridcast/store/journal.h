#pragma once
/// The journal beside a store (S.h5.journal): rows since the last snapshot, appended only. Every
/// record carries its length and a CRC-32, so that a record torn by a kill is seen and left out.
/// Why this is safe: docs/store.md.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gridcast/store/durability.h"
#include "gridcast/store/row.h"

namespace gridcast::store {

/// First bytes of a journal: which store it belongs to and how long its records are.
struct JournalHeader {
  std::string store_id;             ///< 32 hexadecimal digits, root attribute `store_id`
  std::int64_t first_row = 0;       ///< row number of the first record
  std::uint32_t extra_columns = 0;  ///< doubles after the row
  std::uint32_t intervals = 0;      ///< characteristics after those
};

/// A row as the journal keeps it.
struct JournalRecord {
  std::int64_t number = 0;  ///< of the row in the store
  ResultRow row;
  std::vector<double> extras;
  std::vector<model::Characteristics> intervals;
  std::string reason;  ///< why the configuration failed; empty if it did not
};

/// Path of the journal of a store.
[[nodiscard]] std::filesystem::path journal_path(const std::filesystem::path& store);

/// Writes a journal. Records gather in memory until `flush`.
class JournalWriter {
public:
  /// Replaces the journal `path` in one step by an empty one; `durability` other than `none` waits
  /// until it is on disk. Throws RunError.
  JournalWriter(const std::filesystem::path& path, const JournalHeader& header,
                Durability durability = Durability::process);
  JournalWriter(JournalWriter&& other) noexcept;
  JournalWriter& operator=(JournalWriter&& other) noexcept;
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;
  /// Does not flush.
  ~JournalWriter();

  void append(std::int64_t number, const ResultRow& row, std::span<const double> extras,
              std::span<const model::Characteristics> intervals, std::string_view reason);

  /// Hands the records to the operating system; from then on they survive a kill of the process.
  /// Throws RunError; the journal then ends with the last whole record and flush may be repeated.
  void flush();

  /// Of the open file, for fdatasync(2) by another thread.
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  /// Bytes of all records since the journal began, those in memory too.
  [[nodiscard]] std::size_t bytes() const noexcept { return written_ + pending_.size(); }
  /// Bytes not yet handed over.
  [[nodiscard]] std::size_t pending_bytes() const noexcept { return pending_.size(); }

private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::size_t written_ = 0;
  std::vector<std::byte> pending_;
};

/// Reads a journal record by record; what a writer adds meanwhile may be seen or not.
class JournalReader {
public:
  /// Empty if there is no journal. Throws RunError if the file is not a journal.
  [[nodiscard]] static std::optional<JournalReader> open(const std::filesystem::path& path);

  [[nodiscard]] const JournalHeader& header() const noexcept { return header_; }

  /// The next valid record; empty at the end or at a torn record.
  [[nodiscard]] std::optional<JournalRecord> next();

private:
  JournalReader(std::ifstream stream, JournalHeader header);
  std::ifstream stream_;
  JournalHeader header_;
};

}  // namespace gridcast::store
