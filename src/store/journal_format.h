#pragma once
/// The bytes of a journal, written by JournalWriter and read by JournalReader.

#include <array>
#include <cstdint>
#include <span>

#include "gridcast/store/journal.h"

namespace gridcast::store {

/// The header as it lies in the file; all of it is in the first sector, which disks write as a
/// whole.
struct RawJournalHeader {
  std::array<char, 8> magic{};
  std::array<char, 32> store_id{};
  std::uint64_t salt = 0;
  std::uint64_t epoch = 0;
  std::int64_t first_row = 0;
  std::uint32_t byte_order = 0;
  std::uint32_t row_bytes = 0;
  std::uint32_t extra_columns = 0;
  std::uint32_t intervals = 0;
  std::uint64_t digest = 0;  ///< of everything before it

  [[nodiscard]] bool valid() const noexcept;
  [[nodiscard]] JournalHeader plain() const;
};
static_assert(sizeof(RawJournalHeader) == 88);

/// Throws ContractViolation if the identity of the store is not 32 digits.
[[nodiscard]] RawJournalHeader raw_header(const JournalHeader& header, std::uint64_t salt);

/// Progress as it lies in the file. There are two, written in turn: one of them is always whole.
struct RawJournalProgress {
  std::uint64_t turn = 0;
  std::uint64_t written = 0;
  std::uint64_t synced = 0;
  std::uint64_t digest = 0;  ///< of everything before it, with the journal's salt

  [[nodiscard]] bool valid(std::uint64_t salt) const noexcept;
};
[[nodiscard]] RawJournalProgress raw_progress(const JournalProgress& progress, std::uint64_t turn,
                                              std::uint64_t salt) noexcept;

/// The beginning of the file.
struct JournalPreamble {
  RawJournalHeader header;
  std::array<RawJournalProgress, 2> progress;
};
static_assert(sizeof(JournalPreamble) == 152);

/// Before every record.
struct RecordHead {
  std::uint64_t salt = 0;      ///< of the journal; where reading begins again after damage
  std::uint64_t sequence = 0;  ///< place in the journal, from 0
  std::uint64_t previous = 0;  ///< digest of the record before; of the first one the salt
  std::uint64_t length = 0;    ///< bytes that follow the head
  std::uint64_t digest = 0;    ///< of the four above and of what follows the head
};
static_assert(sizeof(RecordHead) == 40);

/// Digest of a record, seeded with the salt of its journal.
[[nodiscard]] std::uint64_t digest_of(const RecordHead& head,
                                      std::span<const std::byte> body) noexcept;

/// Length of the body of a record without a reason.
[[nodiscard]] std::size_t fixed_length(const JournalHeader& header) noexcept;

/// No reason is longer.
inline constexpr std::size_t longest_reason = std::size_t{1} << 20U;

}  // namespace gridcast::store
