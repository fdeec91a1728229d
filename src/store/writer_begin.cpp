#include <algorithm>

#include "clock.h"
#include "files.h"
#include "gridcast/base/error.h"
#include "journal_rows.h"
#include "lock_owner.h"
#include "seal.h"
#include "setup_checks.h"
#include "writer_state.h"

namespace gridcast::store {
namespace {

/// From the begin of one wait for the disk to that of the next: together with the time that rows
/// wait in memory less than the second that Durability::second promises.
constexpr std::chrono::milliseconds commit_period{600};

}  // namespace

void StoreWriter::State::create_working(const StoreSetup& setup, const std::string& id,
                                        const std::string& created) {
  const std::filesystem::path next = working_path(path);
  { const Descriptor empty(create_anew(next)); }
  // HDF5 would meet a full disk only while closing; look before.
  constexpr std::size_t structure_bytes = std::size_t{1} << 19U;
  reserve_space(next, structure_bytes);
  working = ResultFile::create(next, setup, id, created);
  outcome = working->outcome();
  chunk = working->chunk_rows();
  extra_count = setup.extra_columns.size();
  interval_count = setup.interval_results ? setup.intervals.size() : 0;
  outcome.epoch = lock->owner().epoch;
}

void StoreWriter::State::start(const StoreSetup& setup) {
  lock->raise_epoch(1);
  create_working(setup, random_token(), utc_now());
  snapshot();
}

void StoreWriter::State::take_over(const StoreSetup& setup, FailedRows failed) {
  const std::filesystem::path next = working_path(path);
  {
    const ResultFile visible_file = ResultFile::open(path, hdf5::Access::read);
    require_same_setup(path, visible_file.setup(), setup);
    lock->raise_epoch(visible_file.outcome().epoch + 1);
    own_store = identity_of(path);
    failures = visible_file.failures();
    std::erase_if(failures, [](const Failure& failure) { return is_temporary(failure.cause); });
  }
  copy_contents(path, next);
  remove_seal(next);
  working = ResultFile::open(next, hdf5::Access::write);
  outcome = working->outcome();
  was_complete = outcome.complete;
  outcome.complete = false;
  outcome.finished.clear();
  chunk = working->chunk_rows();
  extra_count = setup.extra_columns.size();
  interval_count = setup.interval_results ? setup.intervals.size() : 0;
  stored = working->rows();
  visible = stored;
  recover_journal();
  outcome.epoch = lock->owner().epoch;
  if (rows() > visible || !was_complete) {
    snapshot();
  } else {
    begin_journal();
  }
  if (failed == FailedRows::drop && !failures.empty()) {
    drop_failed();
  }
}

/// Writes the store anew without the rows of failed configurations. S.h5 has all rows by now and
/// stays until the new file takes its place; without a journal before that, because the numbers of
/// its rows would not fit any more.
void StoreWriter::State::drop_failed() {
  const ResultFile all = ResultFile::open(path, hdf5::Access::read);
  journal.reset();
  remove_quietly(journal_path(path));
  if (durability != Durability::none) {
    sync_directory_of(path);
  }
  working.reset();
  create_working(all.setup(), all.store_id(), all.created());
  failures.clear();
  tail.clear();
  stored = 0;
  was_complete = false;
  for (std::int64_t first = 0; first < all.rows(); first += chunk) {
    const RowBatch batch = all.read(first, std::min(chunk, all.rows() - first));
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      if (batch.rows[i].status == Status::done) {
        keep(batch.rows[i], std::span(batch.extras).subspan(i * extra_count, extra_count),
             std::span(batch.intervals).subspan(i * interval_count, interval_count), {});
      }
    }
  }
  snapshot();
}

void StoreWriter::State::recover_journal() {
  std::optional<JournalReader> reader = JournalReader::open(journal_path(path));
  if (!reader) {
    return;
  }
  lost = require_sound(*reader, {path, header()});
  lock->raise_epoch(static_cast<std::int64_t>(reader->header().epoch) + 1);
  if (lost > 0) {
    keep_aside(journal_path(path));
  }
  while (const std::optional<JournalRecord> record = reader->next()) {
    if (record->number >= visible) {
      was_complete = false;
      keep(record->row, record->extras, record->intervals, record->reason);
    }
  }
}

JournalHeader StoreWriter::State::header() const {
  return {working->store_id(), rows(), static_cast<std::uint32_t>(extra_count),
          static_cast<std::uint32_t>(interval_count),
          static_cast<std::uint64_t>(lock->owner().epoch)};
}

void StoreWriter::State::begin_journal() {
  require_own();
  journal = JournalWriter(journal_path(path), header(), durability);
  if (durability == Durability::second) {
    if (!commit) {
      commit.emplace(commit_period);
    }
    commit->watch(journal->syncer());
  }
}

}  // namespace gridcast::store
