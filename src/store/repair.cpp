#include "gridcast/store/repair.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

#include "answers.h"
#include "files.h"
#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/store/journal.h"
#include "gridcast/store/lock.h"
#include "gridcast/store/paths.h"
#include "gridcast/store/run_columns.h"
#include "journal_rows.h"
#include "lock_owner.h"
#include "result_file.h"
#include "row_rescue.h"
#include "seal.h"
#include "validation.h"
#include "writer_state.h"

namespace gridcast::store {
namespace {

std::filesystem::path existing(const std::filesystem::path& path) {
  std::filesystem::path file = resolve_links(path);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    throw InputError(path.string(), 0, "there is no such store", "check the path");
  }
  return file;
}

/// What the journal of a store must say of itself.
JournalHeader expected_journal(const StoreIdentity& store, std::int64_t first_row) {
  const StoreSetup& setup = store.setup;
  return {store.store_id, first_row, static_cast<std::uint32_t>(setup.extra_columns.size()),
          static_cast<std::uint32_t>(setup.interval_results ? setup.intervals.size() : 0)};
}

void find(Inspection& result, bool damage, const std::filesystem::path& file,
          const std::string& text) {
  result.sound = result.sound && !damage;
  result.findings.push_back(file.string() + ": " + text);
}

/// A row with why it failed; null if that is not known.
using TakeRow = std::function<void(const RescuedRow&, const std::string*)>;

/// Hands out what is left of a store: rows of its file, then those of its journal.
class Remains {
public:
  Remains(std::filesystem::path path, Inspection& result)
      : path_(std::move(path)), result_(result) {
    std::optional<StoreIdentity> found = find_description(path_);
    if (!found || !trouble_with(found->setup).empty()) {
      throw InputError(path_.string(), 0, "has nothing of a store that could be verified",
                       "expected a store of this version of gridcast");
    }
    identity_ = std::move(*found);
  }

  [[nodiscard]] const StoreIdentity& identity() const noexcept { return identity_; }
  /// The latest epoch that is known once the rows were read.
  [[nodiscard]] std::int64_t epoch() const noexcept { return epoch_; }

  /// Counts rows that are kept and those that are known to have existed.
  void read_rows(const TakeRow& take) {
    result_.rows = 0;
    const RescuedFile file =
        rescue_rows(path_, identity_, [&](const RescuedRow& row) { hand_out(row, nullptr, take); });
    epoch_ = file.epoch;
    std::int64_t rows = std::max(file.rows, sealed_rows(path_));
    if (file.rows < 0) {
      find(result_, true, path_,
           "HDF5 cannot read its " +
               (rows > 0 ? counted(rows, "row") : "rows, nobody knows how many"));
    } else if (rows > result_.rows) {
      find(result_, true, path_,
           std::to_string(rows - result_.rows) + " of its " + counted(rows, "row") +
               " cannot be read");
    } else if (result_.findings.size() == 1) {
      find(result_, true, path_,
           "all rows can be read; HDF5's own structures or attributes are damaged");
    }
    rows = std::max(rows, read_journal(take));
    result_.missing = std::max<std::int64_t>(rows - result_.rows, 0);
  }

private:
  void hand_out(const RescuedRow& row, const std::string* reason, const TakeRow& take) {
    const auto index = static_cast<std::size_t>(row.number);
    ResultRow whole = row.row;
    if ((index < kept_.size() && kept_[index]) ||
        !is_possible_row(row.row, row.extras, row.intervals) ||
        !restore_run(identity_.setup, whole, row.extras)) {
      return;
    }
    take({row.number, whole, row.extras, row.intervals}, reason);
    ++result_.rows;
    if (reason == nullptr) {
      kept_.resize(index + 1);
      kept_[index] = true;
    }
  }

  /// Returns how many rows the store had by its journal.
  std::int64_t read_journal(const TakeRow& take) {
    const std::filesystem::path path = journal_path(path_);
    const JournalHeader expected = expected_journal(identity_, 0);
    std::optional<JournalReader> journal = JournalReader::salvage(path, expected);
    if (!journal) {
      return 0;
    }
    const JournalHeader& header = journal->header();
    if (header.store_id != expected.store_id || header.extra_columns != expected.extra_columns ||
        header.intervals != expected.intervals) {
      find(result_, true, path, "belongs to another store");
      return 0;
    }
    if (!journal->header_valid()) {
      find(result_, true, path, "damaged in its header");
    }
    std::int64_t end = 0;
    while (const auto record = journal->next()) {
      hand_out({record->number, record->row, record->extras, record->intervals}, &record->reason,
               take);
      end = record->number + 1;
    }
    std::int64_t lost = 0;
    for (const JournalGap& gap : journal->gaps()) {
      lost += gap.rows;
    }
    if (lost > 0) {
      find(result_, true, path, counted(lost, "row") + " cannot be read");
    }
    epoch_ = std::max(epoch_, static_cast<std::int64_t>(header.epoch));
    return journal->header_valid()
               ? std::max(end,
                          header.first_row + static_cast<std::int64_t>(journal->progress().written))
               : end;
  }

  std::filesystem::path path_;
  Inspection& result_;
  StoreIdentity identity_;
  std::int64_t epoch_ = 0;
  std::vector<bool> kept_;  ///< rows of the file by their numbers
};

/// Reads everything: all of it must be what a writer could have stored.
void inspect_contents(const ResultFile& file, AnswerCheck& answers) {
  for (std::int64_t first = 0; first < file.rows(); first += file.chunk_rows()) {
    RowBatch rows = file.read(first, std::min(file.chunk_rows(), file.rows() - first));
    restore_runs(file.setup(), rows);
    answers.look_at(rows.rows);
  }
  static_cast<void>(file.robustness());
  static_cast<void>(file.failures());
  static_cast<void>(file.proof());
}

void inspect_journal(const std::filesystem::path& path, const ResultFile& file,
                     JournalReader& reader, Inspection& result) {
  const std::int64_t unsynced = require_sound(
      reader, {path, expected_journal({file.store_id(), {}, file.setup()}, file.rows())});
  std::int64_t rows = 0;
  while (const auto record = reader.next()) {
    rows += record->number >= file.rows() ? 1 : 0;
  }
  result.rows += rows;
  find(result, false, journal_path(path), "sound, " + counted(rows, "row") + " more");
  if (unsynced > 0) {
    result.missing = unsynced;
    find(result, true, journal_path(path),
         counted(unsynced, "row") +
             " cannot be read that were not yet on disk, as after a power cut: --resume "
             "evaluates them again");
  }
}

/// Looks at a store whose seal is whole.
void inspect_sealed(const std::filesystem::path& path, Inspection& result) {
  const auto find_trouble = [&](const std::runtime_error& error) {
    result.sound = false;
    result.findings.emplace_back(error.what());
  };
  // The journal first, as a reader does: S.h5 then has at least the rows before the journal.
  std::optional<JournalReader> journal;
  try {
    journal = JournalReader::open(journal_path(path));
  } catch (const RunError& error) {
    find_trouble(error);
  }
  const ResultFile file = ResultFile::open(path, hdf5::Access::read);
  result.rows = file.rows();
  try {
    AnswerCheck answers(file.best(), file.front());
    inspect_contents(file, answers);
    find(result, false, path, "sound, " + counted(file.rows(), "row"));
    if (journal) {
      inspect_journal(path, file, *journal, result);
    }
    for (const std::string& finding : answers.findings()) {
      find(result, true, path, finding);
    }
  } catch (const std::runtime_error& error) {
    find_trouble(error);
  }
}

/// What can be told without counting what is left.
Inspection first_look(const std::filesystem::path& path) {
  Inspection result;
  const SealState seal = examine_seal(path);
  if (seal == SealState::foreign && !find_description(path)) {
    throw InputError(path.string(), 0, "is not an HDF5 file", "expected a store of gridcast");
  }
  if (seal == SealState::whole) {
    inspect_sealed(path, result);
  } else {
    find(result, true, path,
         seal == SealState::broken ? "damaged: its bytes are not those that were written"
                                   : "damaged: it has no seal (it was cut or changed)");
  }
  return result;
}

/// Writes what is left to a new store, which is not complete.
void rewrite(Remains& remains, const std::filesystem::path& path, StoreLock& lock) {
  const StoreIdentity& identity = remains.identity();
  { const Descriptor empty(create_anew(path)); }
  ResultFile file = ResultFile::create(path, identity.setup, random_token(), identity.created);
  std::vector<Failure> failures;
  RowBatch batch;
  remains.read_rows([&](const RescuedRow& row, const std::string* reason) {
    if (row.row.status == Status::failed) {
      failures.push_back({file.rows() + static_cast<std::int64_t>(batch.rows.size()),
                          row.row.grid().text(),
                          reason != nullptr ? *reason : "the reason was lost by damage"});
    }
    batch.rows.push_back(row.row);
    batch.extras.insert(batch.extras.end(), row.extras.begin(), row.extras.end());
    batch.intervals.insert(batch.intervals.end(), row.intervals.begin(), row.intervals.end());
    if (static_cast<std::int64_t>(batch.rows.size()) == file.chunk_rows()) {
      file.append(batch);
      batch.clear();
    }
  });
  file.append(batch);
  file.write_failures(failures);
  lock.raise_epoch(remains.epoch() + 1);
  Outcome outcome = file.outcome();
  outcome.epoch = lock.owner().epoch;
  file.write_outcome(outcome);
  file.close();
}

}  // namespace

Inspection inspect_store(const std::filesystem::path& path) {
  const std::filesystem::path file = existing(path);
  Inspection result = first_look(file);
  if (!result.sound && result.missing == 0) {
    Remains(file, result).read_rows([](const RescuedRow&, const std::string*) {});
  }
  return result;
}

Repair repair_store(const std::filesystem::path& path) {
  const std::filesystem::path file = existing(path);
  StoreLock lock(file);
  Repair repair;
  repair.before = first_look(file);
  if (repair.before.sound) {
    return repair;
  }
  const std::filesystem::path fresh = file.string() + ".repaired";
  try {
    Remains remains(file, repair.before);
    rewrite(remains, fresh, lock);
  } catch (...) {
    remove_quietly(fresh);
    throw;
  }
  lock.require_held();
  // The damaged store keeps its name until the new one takes it in one step.
  const std::filesystem::path journal = journal_path(file);
  for (const std::filesystem::path& damaged : {file, journal}) {
    std::error_code ignored;
    if (std::filesystem::exists(damaged, ignored)) {
      repair.kept.push_back(keep_aside(damaged));
    }
  }
  publish_file(fresh, file, Disk::wait);
  remove_quietly(journal);
  remove_quietly(working_path(file));
  sync_directory_of(file);
  repair.done = true;
  repair.rows = repair.before.rows;
  return repair;
}

}  // namespace gridcast::store
