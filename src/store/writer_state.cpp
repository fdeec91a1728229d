#include "writer_state.h"

#include <system_error>

#include "clock.h"
#include "files.h"
#include "gridcast/base/contract.h"
#include "gridcast/base/error.h"

namespace gridcast::store {
namespace {

/// Rows wait in memory no longer than this while rows come in.
constexpr std::chrono::milliseconds journal_period{250};
constexpr std::size_t journal_block = std::size_t{1} << 20U;
/// A slow run gets a snapshot this often, so that other programs see its rows …
constexpr std::chrono::seconds snapshot_period{60};
/// … but snapshots never take more than this share of the time.
constexpr int snapshot_share = 50;

}  // namespace

std::filesystem::path working_path(const std::filesystem::path& store) {
  return store.string() + ".next";
}

std::filesystem::path snapshot_path(const std::filesystem::path& store) {
  return store.string() + ".tmp";
}

StoreWriter::State::~State() {
  if (ended) {
    return;
  }
  try {
    lock->require_held();
    if (journal) {
      journal->flush();
    }
  } catch (const RunError&) {
    // The disk is full: the rows of the last quarter of a second are computed again by --resume. Or
    // the files belong to another writer by now.
  }
  working.reset();
  if (!holds_lock()) {
    return;
  }
  remove_quietly(working_path(path));
  remove_quietly(snapshot_path(path));
}

/// False also if that cannot be found out.
bool StoreWriter::State::holds_lock() const noexcept {
  try {
    return lock->is_held();
  } catch (const std::exception&) {
    return false;
  }
}

/// Before everything that others see: the files are still those of this writer. Whoever took them
/// over has read what this writer had stored, and must not find it changed afterwards.
void StoreWriter::State::require_own() const {
  lock->require_held();
  const std::optional<FileIdentity> now = identity_of(path);
  if (now && own_store && now != own_store) {
    throw RunError(path.string(), "was replaced by another program while it was written",
                   "this writer stops; its rows are in the journal, see which file is the right "
                   "one and go on with --resume");
  }
  if (journal && identity_of(journal->descriptor()) != identity_of(journal_path(path))) {
    throw RunError(journal_path(path).string(), "was replaced or deleted by another program",
                   "this writer stops; go on with --resume");
  }
}

/// Puts a finished file in the place of S.h5.
void StoreWriter::State::publish(const std::filesystem::path& from) {
  require_own();
  publish_file(from, path, disk_of(durability));
  own_store = identity_of(path);
}

/// Runs a step that writes. After a failure the files stay as they are, for --resume.
template <typename Step>
void StoreWriter::State::guarded(Step&& step) {
  if (broken || ended) {
    throw RunError(path.string(), "the store takes no more rows after an earlier error or its end",
                   "go on with --resume");
  }
  try {
    step();
  } catch (...) {
    broken = true;
    throw;
  }
}

/// Rows in memory go to the operating system, and soon to the disk.
void StoreWriter::State::hand_over() {
  last_journal = Clock::now();
  if (journal->pending_bytes() == 0) {
    return;
  }
  require_own();
  journal->flush();
  if (commit) {
    commit->written();
  }
}

void StoreWriter::State::keep(const ResultRow& row, std::span<const double> extras,
                              std::span<const model::Characteristics> intervals,
                              const std::string& reason) {
  if (row.status == Status::failed) {
    failures.push_back({rows(), row.grid().text(), reason});
  }
  tail.rows.push_back(row);
  tail.extras.insert(tail.extras.end(), extras.begin(), extras.end());
  tail.intervals.insert(tail.intervals.end(), intervals.begin(), intervals.end());
  // After a resume the first chunk is filled up first, so that later appends are whole chunks.
  if (rows() % chunk == 0) {
    store_tail();
  }
}

void StoreWriter::State::store_tail() {
  working->append(tail);
  stored = working->rows();
  tail.clear();
}

void StoreWriter::State::write_last_parts(ResultFile& file, const std::optional<Best>& best) {
  file.append(tail);
  std::vector<Failure> listed = failures;
  listed.insert(listed.end(), postponed.begin(), postponed.end());
  file.write_failures(listed);
  file.write_best(best);
  file.write_outcome(outcome);
  file.close();
}

void StoreWriter::State::snapshot() {
  const Clock::time_point begin = Clock::now();
  const std::filesystem::path copy = snapshot_path(path);
  require_own();
  if (journal) {
    hand_over();
  }
  working->flush();
  copy_contents(working_path(path), copy);
  ResultFile file = ResultFile::open(copy, hdf5::Access::write);
  write_last_parts(file, std::nullopt);
  publish(copy);
  visible = rows();
  begin_journal();
  last_snapshot = Clock::now();
  snapshot_cost = last_snapshot - begin;
}

bool StoreWriter::State::snapshot_due() const {
  if (rows() == visible) {
    return false;
  }
  // Copying a file costs its size; by then as many bytes have gone through the journal.
  if (tail.rows.empty()) {
    std::error_code ignored;
    const std::uintmax_t size = std::filesystem::file_size(path, ignored);
    if (journal->bytes() >= size && rows() - visible >= chunk) {
      return true;
    }
  }
  const Clock::duration since = Clock::now() - last_snapshot;
  return since >= snapshot_period && since >= snapshot_share * snapshot_cost;
}

void StoreWriter::State::add(const ResultRow& row, std::span<const double> extras,
                             std::span<const model::Characteristics> intervals,
                             const std::string& reason) {
  expects(extras.size() == extra_count, "one value per extra column");
  expects(intervals.size() == interval_count, "one result per interval");
  guarded([&] {
    was_complete = false;
    journal->append(rows(), row, extras, intervals, reason);
    keep(row, extras, intervals, reason);
    const Clock::time_point now = Clock::now();
    const bool due = durability != Durability::none && now - last_journal >= journal_period;
    if (due || journal->pending_bytes() >= journal_block) {
      hand_over();
      if (snapshot_due()) {
        snapshot();
      }
    } else if (tail.rows.empty() && snapshot_due()) {
      snapshot();
    }
  });
}

void StoreWriter::State::flush() {
  guarded([&] {
    if (durability != Durability::none) {
      hand_over();
    }
    if (snapshot_due()) {
      snapshot();
    }
  });
}

void StoreWriter::State::show_rows() {
  guarded([&] { hand_over(); });
}

void StoreWriter::State::tell(const RunProgress& progress) {
  if (broken || ended || !holds_lock()) {
    return;
  }
  try {
    write_progress(path, progress);
  } catch (const RunError&) {
    // A disk without room for rows will say so.
  }
}

void StoreWriter::State::end(bool complete, const std::optional<Best>& best) {
  commit.reset();
  if (was_complete && !complete) {
    working.reset();
    guarded([&] { require_own(); });
    remove_quietly(working_path(path));
    leave();
    return;
  }
  guarded([&] {
    hand_over();
    if (proof) {
      const std::optional<Proof> before = working->proof();
      if (complete || !before || before->excluded <= proof->excluded) {
        working->write_proof(*proof);
      }
    }
    if (front) {
      working->write_front(joined(*front, working->front().value_or(Front{})));
    }
    outcome.complete = complete;
    outcome.finished = complete ? utc_now() : std::string();
    write_last_parts(*working, best);
    publish(working_path(path));
  });
  stored = rows();
  tail.clear();
  leave();
}

/// Only when S.h5 holds all rows: until then the journal is needed.
void StoreWriter::State::leave() {
  remove_quietly(journal_path(path));
  remove_quietly(progress_path(path));
  lock.reset();
  ended = true;
  if (durability != Durability::none) {
    sync_directory_of(path);
  }
}

void StoreWriter::State::discard() noexcept {
  commit.reset();
  working.reset();
  ended = true;
  if (!holds_lock()) {
    return;
  }
  try {
    for (const std::filesystem::path& file :
         {working_path(path), snapshot_path(path), journal_path(path), progress_path(path)}) {
      remove_quietly(file);
    }
    // A journal must not come back without its store.
    if (durability != Durability::none) {
      sync_directory_of(path);
    }
  } catch (const RunError&) {
    // What is left is a store without a row.
  }
  remove_quietly(path);
  lock.reset();
}

}  // namespace gridcast::store
