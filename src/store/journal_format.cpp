#include "journal_format.h"

#include <cstddef>
#include <cstring>

#include "digest.h"
#include "gridcast/base/contract.h"

namespace gridcast::store {
namespace {

constexpr std::array<char, 8> journal_magic{'G', 'C', 'J', 'R', 'N', 'L', '0', '2'};
/// Reads differently on a machine of the other byte order.
constexpr std::uint32_t byte_order_mark = 0x01020304;

template <typename Value>
std::uint64_t digest_before(const Value& value, std::size_t size, std::uint64_t seed) noexcept {
  return digest64(std::as_bytes(std::span(&value, 1)).first(size), seed);
}

}  // namespace

bool RawJournalHeader::valid() const noexcept {
  return magic == journal_magic && byte_order == byte_order_mark &&
         row_bytes == sizeof(ResultRow) &&
         digest == digest_before(*this, offsetof(RawJournalHeader, digest), 0);
}

JournalHeader RawJournalHeader::plain() const {
  return {std::string(store_id.data(), store_id.size()), first_row, extra_columns, intervals,
          epoch};
}

RawJournalHeader raw_header(const JournalHeader& header, std::uint64_t salt) {
  RawJournalHeader result;
  expects(header.store_id.size() == result.store_id.size(),
          "the identity of a store has 32 digits");
  result.magic = journal_magic;
  std::memcpy(result.store_id.data(), header.store_id.data(), result.store_id.size());
  result.salt = salt;
  result.epoch = header.epoch;
  result.first_row = header.first_row;
  result.byte_order = byte_order_mark;
  result.row_bytes = sizeof(ResultRow);
  result.extra_columns = header.extra_columns;
  result.intervals = header.intervals;
  result.digest = digest_before(result, offsetof(RawJournalHeader, digest), 0);
  return result;
}

bool RawJournalProgress::valid(std::uint64_t salt) const noexcept {
  return digest == digest_before(*this, offsetof(RawJournalProgress, digest), salt);
}

RawJournalProgress raw_progress(const JournalProgress& progress, std::uint64_t turn,
                                std::uint64_t salt) noexcept {
  RawJournalProgress result{turn, progress.written, progress.synced, 0};
  result.digest = digest_before(result, offsetof(RawJournalProgress, digest), salt);
  return result;
}

std::uint64_t digest_of(const RecordHead& head, std::span<const std::byte> body) noexcept {
  return digest64(body, digest_before(head, offsetof(RecordHead, digest), head.salt));
}

std::size_t fixed_length(const JournalHeader& header) noexcept {
  return sizeof(std::int64_t) + sizeof(ResultRow) + header.extra_columns * sizeof(double) +
         header.intervals * sizeof(model::Characteristics);
}

}  // namespace gridcast::store
