#include "gridcast/store/journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

#include "files.h"
#include "gridcast/base/error.h"
#include "journal_format.h"

namespace gridcast::store {
namespace {

std::uint64_t new_salt() {
  std::random_device source;
  return std::uniform_int_distribution<std::uint64_t>()(source);
}

int duplicate(int descriptor, const std::filesystem::path& path) {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) {
    throw RunError(path.string(), "cannot keep the journal open: " + reason_of(errno),
                   "allow more open files");
  }
  return copy;
}

void add_bytes(std::vector<std::byte>& bytes, const void* data, std::size_t size) {
  const auto* const begin = static_cast<const std::byte*>(data);
  bytes.insert(bytes.end(), begin, begin + size);
}

}  // namespace

std::filesystem::path journal_path(const std::filesystem::path& store) {
  return store.string() + ".journal";
}

/// How much of the journal is on disk; outlives the writer as long as someone syncs.
struct JournalWriter::Disk {
  Disk(std::filesystem::path file, int descriptor)
      : path(std::move(file)), journal(duplicate(descriptor, path)) {}

  void sync() {
    const std::uint64_t count = written;
    sync_file(journal.get(), path);
    synced = count;
  }

  std::filesystem::path path;
  Descriptor journal;
  std::atomic<std::uint64_t> written{0};  ///< records
  std::atomic<std::uint64_t> synced{0};
};

JournalWriter::JournalWriter(const std::filesystem::path& path, const JournalHeader& header,
                             Durability durability)
    : path_(path), salt_(new_salt()), chain_(salt_) {
  // A new name and a rename: the old journal is there until the new one is whole.
  const std::filesystem::path fresh = path.string() + ".new";
  const JournalPreamble preamble{raw_header(header, salt_),
                                 {raw_progress({}, 0, salt_), raw_progress({}, 1, salt_)}};
  turn_ = 1;
  descriptor_ = create_anew(fresh);
  try {
    write_all(descriptor_, fresh, std::as_bytes(std::span(&preamble, 1)));
    publish_file(fresh, path_, disk_of(durability));
    disk_ = std::make_shared<Disk>(path_, descriptor_);
  } catch (...) {
    ::close(std::exchange(descriptor_, -1));
    remove_quietly(fresh);
    throw;
  }
}

JournalWriter::JournalWriter(JournalWriter&& other) noexcept { *this = std::move(other); }

JournalWriter& JournalWriter::operator=(JournalWriter&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(written_bytes_, other.written_bytes_);
  std::swap(pending_, other.pending_);
  std::swap(salt_, other.salt_);
  std::swap(chain_, other.chain_);
  std::swap(appended_, other.appended_);
  std::swap(turn_, other.turn_);
  std::swap(disk_, other.disk_);
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
  RecordHead head{salt_, appended_, chain_, 0, 0};
  add_bytes(pending_, &head, sizeof head);
  add_bytes(pending_, &number, sizeof number);
  add_bytes(pending_, &row, sizeof row);
  add_bytes(pending_, extras.data(), extras.size_bytes());
  add_bytes(pending_, intervals.data(), intervals.size_bytes());
  add_bytes(pending_, text.data(), text.size());
  const auto body = std::span(pending_).subspan(start + sizeof head);
  head.length = body.size();
  head.digest = digest_of(head, body);
  std::memcpy(pending_.data() + start, &head, sizeof head);
  chain_ = head.digest;
  ++appended_;
}

void JournalWriter::flush() {
  if (pending_.empty()) {
    return;
  }
  try {
    write_all(descriptor_, path_, pending_);
  } catch (...) {
    const auto good = static_cast<off_t>(sizeof(JournalPreamble) + written_bytes_);
    if (::ftruncate(descriptor_, good) == 0) {
      ::lseek(descriptor_, good, SEEK_SET);
    }
    throw;
  }
  written_bytes_ += pending_.size();
  pending_.clear();
  disk_->written = appended_;
  write_progress();
}

void JournalWriter::sync() {
  disk_->sync();
  write_progress();
}

std::function<void()> JournalWriter::syncer() const {
  return [disk = disk_] { disk->sync(); };
}

/// What is said to be on disk was there before; what is said to be written may not be.
void JournalWriter::write_progress() {
  const JournalProgress progress{disk_->written, disk_->synced};
  const RawJournalProgress raw = raw_progress(progress, ++turn_, salt_);
  const std::size_t slot =
      offsetof(JournalPreamble, progress) + (turn_ % 2) * sizeof(RawJournalProgress);
  write_at(descriptor_, path_, slot, std::as_bytes(std::span(&raw, 1)));
}

}  // namespace gridcast::store
