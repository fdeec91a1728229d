#include <algorithm>
#include <random>

#include "clock.h"
#include "files.h"
#include "gridcast/error.h"
#include "journal_rows.h"
#include "setup_checks.h"
#include "writer_state.h"

namespace gridcast::store {
namespace {

/// From the begin of one wait for the disk to that of the next: together with the time that rows
/// wait in memory less than the second that Durability::second promises.
constexpr std::chrono::milliseconds commit_period{600};

std::string new_identity() {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::size_t length = 32;
  std::random_device source;
  std::uniform_int_distribution<std::size_t> digit(0, digits.size() - 1);
  std::string text;
  for (std::size_t i = 0; i < length; ++i) {
    text.push_back(digits[digit(source)]);
  }
  return text;
}

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
}

void StoreWriter::State::start(const StoreSetup& setup) {
  create_working(setup, new_identity(), utc_now());
  snapshot();
}

void StoreWriter::State::take_over(const StoreSetup& setup, FailedRows failed) {
  const std::filesystem::path next = working_path(path);
  {
    const ResultFile visible_file = ResultFile::open(path, hdf5::Access::read);
    require_same_setup(path, visible_file.setup(), setup);
    failures = visible_file.failures();
    std::erase_if(failures, [](const Failure& failure) { return is_temporary(failure.cause); });
  }
  copy_contents(path, next);
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
          static_cast<std::uint32_t>(interval_count)};
}

void StoreWriter::State::begin_journal() {
  journal = JournalWriter(journal_path(path), header(), durability);
  if (durability == Durability::second) {
    if (!commit) {
      commit.emplace(commit_period);
    }
    commit->watch(journal->syncer());
  }
}

}  // namespace gridcast::store
