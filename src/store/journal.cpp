#include "gridcast/store/journal.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cstring>
#include <utility>

#include "files.h"
#include "gridcast/contract.h"
#include "gridcast/error.h"

namespace gridcast::store {
namespace {

constexpr std::array<char, 8> magic{'G', 'C', 'J', 'R', 'N', 'L', '0', '1'};
/// Reads differently on a machine of the other byte order.
constexpr std::uint32_t byte_order_mark = 0x01020304;
constexpr std::size_t id_length = 32;

/// The header as it lies in the file.
struct RawHeader {
  std::array<char, 8> magic_text = magic;
  std::array<char, id_length> store_id{};
  std::int64_t first_row = 0;
  std::uint32_t byte_order = byte_order_mark;
  std::uint32_t row_bytes = sizeof(ResultRow);
  std::uint32_t extra_columns = 0;
  std::uint32_t intervals = 0;
  std::uint32_t reserved = 0;
  std::uint32_t checksum = 0;  ///< of everything before it
};
static_assert(sizeof(RawHeader) == 72);

std::uint32_t checksum_of(const void* data, std::size_t size) noexcept {
  return static_cast<std::uint32_t>(crc32_z(0, static_cast<const Bytef*>(data), size));
}

std::uint32_t checksum_of(const RawHeader& header) noexcept {
  return checksum_of(&header, offsetof(RawHeader, checksum));
}

RawHeader raw(const JournalHeader& header) {
  expects(header.store_id.size() == id_length, "the identity of a store has 32 digits");
  RawHeader result;
  std::memcpy(result.store_id.data(), header.store_id.data(), id_length);
  result.first_row = header.first_row;
  result.extra_columns = header.extra_columns;
  result.intervals = header.intervals;
  result.checksum = checksum_of(result);
  return result;
}

void add_bytes(std::vector<std::byte>& bytes, const void* data, std::size_t size) {
  const auto* const begin = static_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), begin, begin + size);
}

/// Before every record.
struct RecordHead {
  std::uint32_t length = 0;    ///< of what follows the head
  std::uint32_t checksum = 0;  ///< of what follows the head
};

/// Takes values off the front of a record.
class RecordCursor {
public:
  explicit RecordCursor(std::span<const std::byte> bytes) : rest_(bytes) {}
  void take(void* to, std::size_t size) {
    if (size > 0) {
      std::memcpy(to, rest_.data(), size);
      rest_ = rest_.subspan(size);
    }
  }
  [[nodiscard]] std::size_t left() const noexcept { return rest_.size(); }

private:
  std::span<const std::byte> rest_;
};

/// Length of a record without a reason.
std::size_t fixed_length(const JournalHeader& header) noexcept {
  return sizeof(std::int64_t) + sizeof(ResultRow) + header.extra_columns * sizeof(double) +
         header.intervals * sizeof(model::Characteristics);
}

/// No reason is longer; a torn length field is most likely larger.
constexpr std::size_t longest_reason = std::size_t{1} << 20U;

}  // namespace

std::filesystem::path journal_path(const std::filesystem::path& store) {
  return store.string() + ".journal";
}

JournalWriter::JournalWriter(const std::filesystem::path& path, const JournalHeader& header,
                             Durability durability)
    : path_(path) {
  // A new name and a rename: the old journal is there until the new one is whole.
  const std::filesystem::path fresh = path.string() + ".new";
  const RawHeader bytes = raw(header);
  descriptor_ = create_anew(fresh);
  try {
    write_all(descriptor_, fresh, std::as_bytes(std::span(&bytes, 1)));
    publish_file(fresh, path_, disk_of(durability));
  } catch (...) {
    ::close(std::exchange(descriptor_, -1));
    remove_quietly(fresh);
    throw;
  }
}

JournalWriter::JournalWriter(JournalWriter&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      written_(other.written_),
      pending_(std::move(other.pending_)) {}

JournalWriter& JournalWriter::operator=(JournalWriter&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(written_, other.written_);
  std::swap(pending_, other.pending_);
  return *this;
}

JournalWriter::~JournalWriter() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

void JournalWriter::append(std::int64_t number, const ResultRow& row,
                           std::span<const double> extras,
                           std::span<const model::Characteristics> intervals,
                           std::string_view reason) {
  const std::string_view text = reason.substr(0, longest_reason);
  const std::size_t start = pending_.size();
  RecordHead head;
  add_bytes(pending_, &head, sizeof head);
  add_bytes(pending_, &number, sizeof number);
  add_bytes(pending_, &row, sizeof row);
  add_bytes(pending_, extras.data(), extras.size_bytes());
  add_bytes(pending_, intervals.data(), intervals.size_bytes());
  add_bytes(pending_, text.data(), text.size());
  const std::size_t body = start + sizeof head;
  head.length = static_cast<std::uint32_t>(pending_.size() - body);
  head.checksum = checksum_of(pending_.data() + body, head.length);
  std::memcpy(pending_.data() + start, &head, sizeof head);
}

void JournalWriter::flush() {
  try {
    write_all(descriptor_, path_, pending_);
  } catch (...) {
    const auto good = static_cast<off_t>(sizeof(RawHeader) + written_);
    if (::ftruncate(descriptor_, good) == 0) {
      ::lseek(descriptor_, good, SEEK_SET);
    }
    throw;
  }
  written_ += pending_.size();
  pending_.clear();
}

JournalReader::JournalReader(std::ifstream stream, JournalHeader header)
    : stream_(std::move(stream)), header_(std::move(header)) {}

std::optional<JournalReader> JournalReader::open(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    return std::nullopt;
  }
  RawHeader header;
  stream.read(reinterpret_cast<char*>(&header), sizeof header);
  const bool whole = stream.gcount() == sizeof header && header.magic_text == magic &&
                     header.byte_order == byte_order_mark &&
                     header.row_bytes == sizeof(ResultRow) &&
                     header.checksum == checksum_of(header);
  if (!whole) {
    throw RunError(path.string(), "is not a journal that this version can read",
                   "use the version and kind of machine that wrote it, or delete it and lose its "
                   "rows");
  }
  return JournalReader(std::move(stream),
                       {std::string(header.store_id.data(), id_length), header.first_row,
                        header.extra_columns, header.intervals});
}

std::optional<JournalRecord> JournalReader::next() {
  RecordHead head;
  stream_.read(reinterpret_cast<char*>(&head), sizeof head);
  const std::size_t shortest = fixed_length(header_);
  if (stream_.gcount() != sizeof head || head.length < shortest ||
      head.length > shortest + longest_reason) {
    return std::nullopt;
  }
  std::vector<std::byte> body(head.length);
  stream_.read(reinterpret_cast<char*>(body.data()), head.length);
  if (stream_.gcount() != static_cast<std::streamsize>(head.length) ||
      checksum_of(body.data(), body.size()) != head.checksum) {
    return std::nullopt;
  }
  JournalRecord record;
  record.extras.resize(header_.extra_columns);
  record.intervals.resize(header_.intervals);
  RecordCursor cursor(body);
  cursor.take(&record.number, sizeof record.number);
  cursor.take(&record.row, sizeof record.row);
  cursor.take(record.extras.data(), record.extras.size() * sizeof(double));
  cursor.take(record.intervals.data(), record.intervals.size() * sizeof(model::Characteristics));
  record.reason.resize(cursor.left());
  cursor.take(record.reason.data(), record.reason.size());
  return record;
}

}  // namespace gridcast::store
