#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "file_window.h"
#include "files.h"
#include "gridcast/base/error.h"
#include "gridcast/store/journal.h"
#include "journal_format.h"
#include "validation.h"

namespace gridcast::store {
namespace {

[[noreturn]] void fail_reading(const std::filesystem::path& path, const char* what, int number) {
  throw RunError(path.string(),
                 std::string("cannot ") + what + " the journal: " + reason_of(number),
                 remedy_of(number, "the store's latest rows are in it: make it readable"));
}

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

JournalRecord decode(std::span<const std::byte> body, const JournalHeader& header) {
  JournalRecord record;
  record.extras.resize(header.extra_columns);
  record.intervals.resize(header.intervals);
  RecordCursor cursor(body);
  cursor.take(&record.number, sizeof record.number);
  cursor.take(&record.row, sizeof record.row);
  cursor.take(record.extras.data(), record.extras.size() * sizeof(double));
  cursor.take(record.intervals.data(), record.intervals.size() * sizeof(model::Characteristics));
  record.reason.resize(cursor.left());
  cursor.take(record.reason.data(), record.reason.size());
  return record;
}

}  // namespace

class JournalReader::State {
public:
  State(const std::filesystem::path& path, int descriptor)
      : path_(path), window_(path, descriptor) {}

  /// False if the header is damaged.
  bool read_preamble();
  /// Goes on without a header.
  void assume(const JournalHeader& expected);
  std::optional<JournalRecord> next();
  void rewind();

  JournalHeader header;
  JournalProgress progress;
  bool header_valid = false;
  std::vector<JournalGap> gaps;

private:
  /// A record that is what was written, wherever it lies.
  struct Found {
    RecordHead head;
    std::span<const std::byte> body;
  };
  [[nodiscard]] std::optional<Found> record_at(std::uint64_t offset);
  [[nodiscard]] bool is_next(const Found& found) const noexcept;
  /// The first record from `offset` on that has not been passed yet; moves `offset` to it.
  [[nodiscard]] std::optional<Found> search(std::uint64_t& offset);
  void note_gap(std::uint64_t until);
  JournalRecord accept(const Found& found);

  std::filesystem::path path_;
  FileWindow window_;
  std::uint64_t salt_ = 0;  ///< 0: not known yet
  std::uint64_t offset_ = sizeof(JournalPreamble);
  std::uint64_t sequence_ = 0;          ///< of the next record
  std::optional<std::uint64_t> chain_;  ///< digest of the last record, if that was read
  std::uint64_t counted_ = 0;           ///< records up to here are in `gaps` if they are missing
};

bool JournalReader::State::read_preamble() {
  // A writer may be renewing its progress at this moment: look again.
  constexpr int attempts = 5;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    window_.refresh();
    JournalPreamble raw;
    const auto bytes = window_.view(0, sizeof raw);
    if (bytes.size() < sizeof raw) {
      return false;
    }
    std::memcpy(&raw, bytes.data(), sizeof raw);
    const auto& [first, second] = raw.progress;
    if (raw.header.valid() && first.valid(raw.header.salt) && second.valid(raw.header.salt)) {
      const RawJournalProgress& latest = first.turn > second.turn ? first : second;
      header = raw.header.plain();
      progress = {latest.written, latest.synced};
      salt_ = raw.header.salt;
      chain_ = salt_;
      header_valid = true;
      return true;
    }
  }
  return false;
}

void JournalReader::State::assume(const JournalHeader& expected) {
  header = expected;
  header.first_row = 0;
  // The bytes of the header may have moved with the rest.
  offset_ = 0;
}

std::optional<JournalReader::State::Found> JournalReader::State::record_at(std::uint64_t offset) {
  RecordHead head;
  const auto bytes = window_.view(offset, sizeof head);
  if (bytes.size() < sizeof head) {
    return std::nullopt;
  }
  std::memcpy(&head, bytes.data(), sizeof head);
  const std::size_t shortest = fixed_length(header);
  if ((salt_ != 0 && head.salt != salt_) || head.length < shortest ||
      head.length > shortest + longest_reason) {
    return std::nullopt;
  }
  const auto whole = window_.view(offset, sizeof head + head.length);
  if (whole.size() < sizeof head + head.length) {
    return std::nullopt;
  }
  const auto body = whole.subspan(sizeof head);
  if (digest_of(head, body) != head.digest) {
    return std::nullopt;
  }
  const JournalRecord record = decode(body, header);
  const bool placed =
      !header_valid || record.number == header.first_row + static_cast<std::int64_t>(head.sequence);
  // The digest needs no secret: a row that cannot be is as good as a damaged one.
  const bool sound = placed && is_possible_row(record.row, record.extras, record.intervals);
  return sound ? std::optional(Found{head, body}) : std::nullopt;
}

bool JournalReader::State::is_next(const Found& found) const noexcept {
  return found.head.sequence == sequence_ && (!chain_ || found.head.previous == *chain_);
}

std::optional<JournalReader::State::Found> JournalReader::State::search(std::uint64_t& offset) {
  const auto* const mark = reinterpret_cast<const std::byte*>(&salt_);
  while (true) {
    const auto rest = window_.rest(offset, sizeof(RecordHead));
    if (rest.size() < sizeof(RecordHead)) {
      return std::nullopt;
    }
    if (salt_ != 0) {
      // Records begin with the salt: go from one to the next.
      const auto found = std::search(rest.begin(), rest.end(), mark, mark + sizeof salt_);
      offset += static_cast<std::uint64_t>(found - rest.begin());
      if (found == rest.end()) {
        offset -= sizeof salt_ - 1;
        continue;
      }
    }
    const std::optional<Found> record = record_at(offset);
    if (record && record->head.sequence >= sequence_) {
      return record;
    }
    offset += record ? sizeof(RecordHead) + record->head.length : 1;
  }
}

/// Records from the expected one up to `until` are missing.
void JournalReader::State::note_gap(std::uint64_t until) {
  const std::uint64_t from = std::max(sequence_, counted_);
  const std::int64_t first = header.first_row + static_cast<std::int64_t>(from);
  gaps.push_back(
      {first, static_cast<std::int64_t>(until - std::min(from, until)), from < progress.synced});
  counted_ = std::max(counted_, until);
}

JournalRecord JournalReader::State::accept(const Found& found) {
  sequence_ = found.head.sequence + 1;
  chain_ = found.head.digest;
  salt_ = found.head.salt;
  offset_ += sizeof(RecordHead) + found.head.length;
  return decode(found.body, header);
}

std::optional<JournalRecord> JournalReader::State::next() {
  if (const std::optional<Found> found = record_at(offset_); found && is_next(*found)) {
    return accept(*found);
  }
  std::uint64_t offset = offset_;
  if (const std::optional<Found> found = search(offset)) {
    note_gap(found->head.sequence);
    offset_ = offset;
    return accept(*found);
  }
  if (std::max(sequence_, counted_) < progress.written) {
    note_gap(progress.written);
  }
  window_.refresh();
  return std::nullopt;
}

void JournalReader::State::rewind() {
  offset_ = header_valid ? sizeof(JournalPreamble) : 0;
  sequence_ = 0;
  counted_ = 0;
  chain_ = header_valid ? std::optional(salt_) : std::nullopt;
  gaps.clear();
}

JournalReader::JournalReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
JournalReader::JournalReader(JournalReader&&) noexcept = default;
JournalReader& JournalReader::operator=(JournalReader&&) noexcept = default;
JournalReader::~JournalReader() = default;

std::optional<JournalReader> JournalReader::open(const std::filesystem::path& path) {
  std::optional<JournalReader> reader = salvage(path, {});
  if (reader && !reader->header_valid()) {
    throw RunError(path.string(), "is damaged in its header or no journal of this version",
                   "save what is readable with: gridcast store repair");
  }
  return reader;
}

std::optional<JournalReader> JournalReader::salvage(const std::filesystem::path& path,
                                                    const JournalHeader& expected) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.get() < 0) {
    if (errno == ENOENT) {
      return std::nullopt;
    }
    // Only a file that is not there has no rows.
    fail_reading(path, "open", errno);
  }
  require_regular(file.get(), path);
  auto state = std::make_unique<State>(path, file.release());
  if (!state->read_preamble()) {
    state->assume(expected);
  }
  return JournalReader(std::move(state));
}

const JournalHeader& JournalReader::header() const noexcept { return state_->header; }
bool JournalReader::header_valid() const noexcept { return state_->header_valid; }
const JournalProgress& JournalReader::progress() const noexcept { return state_->progress; }
std::optional<JournalRecord> JournalReader::next() { return state_->next(); }
const std::vector<JournalGap>& JournalReader::gaps() const noexcept { return state_->gaps; }
void JournalReader::rewind() { state_->rewind(); }

}  // namespace gridcast::store
