#pragma once
/// The journal beside a store (S.h5.journal): rows since the last snapshot, appended only. Records
/// are chained: each has its place in the sequence, the digest of the record before it and its own.
/// The header says how many records were handed to the operating system and how many of them are on
/// disk, so that a tail cut by a kill or a power cut is told from damage. Why this is safe:
/// docs/store.md.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
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
  std::uint64_t epoch = 0;          ///< of the writer, grows with every writer of the store
};

/// How far a journal has come, in records. Lies in its header and is renewed with every `flush`.
struct JournalProgress {
  std::uint64_t written = 0;  ///< with the operating system: a kill does not take them back
  std::uint64_t synced = 0;   ///< on disk: a power cut does not take them back
};

/// A row as the journal keeps it.
struct JournalRecord {
  std::int64_t number = 0;  ///< of the row in the store
  ResultRow row;
  std::vector<double> extras;
  std::vector<model::Characteristics> intervals;
  std::string reason;  ///< why the configuration failed; empty if it did not
};

/// Rows that cannot be read.
struct JournalGap {
  std::int64_t first_row = 0;
  std::int64_t rows = 0;  ///< may be 0: foreign bytes between two records
  bool damage = true;     ///< false: not yet on disk, so a power cut may have taken them
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

  /// Rows come in the order of their numbers, without gaps, beginning with the header's first row.
  void append(std::int64_t number, const ResultRow& row, std::span<const double> extras,
              std::span<const model::Characteristics> intervals, std::string_view reason);

  /// Hands the records to the operating system; from then on they survive a kill of the process.
  /// Throws RunError; the journal then ends with the last whole record and flush may be repeated.
  void flush();

  /// Puts what was flushed on disk; from then on it survives a power cut. Throws RunError.
  void sync();

  /// Does the same from another thread, also after the writer has gone; the header tells with the
  /// next `flush`.
  [[nodiscard]] std::function<void()> syncer() const;

  /// Of the open file, to tell whether it is still the one of that name.
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  /// Bytes of all records since the journal began, those in memory too.
  [[nodiscard]] std::size_t bytes() const noexcept { return written_bytes_ + pending_.size(); }
  /// Bytes not yet handed over.
  [[nodiscard]] std::size_t pending_bytes() const noexcept { return pending_.size(); }

private:
  struct Disk;
  void write_progress();

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::size_t written_bytes_ = 0;
  std::vector<std::byte> pending_;
  std::uint64_t salt_ = 0;      ///< marks the records of this journal
  std::uint64_t chain_ = 0;     ///< digest of the last record
  std::uint64_t appended_ = 0;  ///< records, those in memory too
  std::uint64_t turn_ = 0;      ///< of the progress in the header
  std::shared_ptr<Disk> disk_;
};

/// Reads a journal record by record, also past damage; what a writer adds meanwhile may be seen or
/// not.
class JournalReader {
public:
  /// Empty if there is no such file. Throws RunError if it cannot be opened, is not a journal or
  /// its header is damaged.
  [[nodiscard]] static std::optional<JournalReader> open(const std::filesystem::path& path);

  /// As `open`, also with a damaged header: records must then be as long as those of `expected`
  /// says, which comes from the store.
  [[nodiscard]] static std::optional<JournalReader> salvage(const std::filesystem::path& path,
                                                            const JournalHeader& expected);
  JournalReader(JournalReader&&) noexcept;
  JournalReader& operator=(JournalReader&&) noexcept;
  ~JournalReader();

  [[nodiscard]] const JournalHeader& header() const noexcept;
  /// False after `salvage` of a journal whose header is damaged.
  [[nodiscard]] bool header_valid() const noexcept;
  [[nodiscard]] const JournalProgress& progress() const noexcept;

  /// The next valid record, in the order of numbers; empty when there is none. Records behind
  /// damaged ones are found too. Throws RunError if reading fails.
  [[nodiscard]] std::optional<JournalRecord> next();
  /// What `next` had to leave out so far; complete once it has returned nothing.
  [[nodiscard]] const std::vector<JournalGap>& gaps() const noexcept;
  /// Back to the first record.
  void rewind();

private:
  class State;
  explicit JournalReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gridcast::store
