#include "gridcast/store/repair.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "answers.h"
#include "files.h"
#include "gridcast/base/error.h"
#include "gridcast/store/journal.h"
#include "gridcast/store/lock.h"
#include "gridcast/store/paths.h"
#include "gridcast/store/run_columns.h"
#include "journal_rows.h"
#include "lock_owner.h"
#include "result_file.h"
#include "salvage.h"
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

std::string counted(std::int64_t count, const char* singular) {
  return std::to_string(count) + " " + singular + (count == 1 ? "" : "s");
}

std::string range_of(std::int64_t first, std::int64_t count) {
  return count == 1 ? "row " + std::to_string(first)
                    : "rows " + std::to_string(first) + " to " + std::to_string(first + count - 1);
}

/// What a summary says besides, without what could not have been written.
std::optional<SummaryRecord> possible_part(std::optional<SummaryRecord> summary) {
  if (!summary || !trouble_with(summary->outcome).empty()) {
    return std::nullopt;
  }
  std::erase_if(summary->failures,
                [](const Failure& failure) { return !trouble_with(failure).empty(); });
  if (summary->best && !(trouble_with(summary->best->chosen).empty() &&
                         trouble_with(summary->best->unconstrained).empty())) {
    summary->best.reset();
  }
  return summary;
}

/// All that is left of a store: its files, what it says about itself, its journal.
class Remains {
public:
  explicit Remains(const std::filesystem::path& path) : path_(path) {
    files_.emplace_back(path);
    std::error_code ignored;
    if (std::filesystem::exists(working_path(path), ignored)) {
      files_.emplace_back(working_path(path));
    }
    for (const SalvageFile& file : files_) {
      if (file.records().identity && !identity_) {
        identity_ = file.records().identity;
      }
    }
    summary_ = possible_part(files_.front().records().summary);
    if (!identity_ || !trouble_with(identity_->setup).empty()) {
      throw InputError(path.string(), 0, "has nothing of a store that could be verified",
                       "expected a store of this version of gridcast");
    }
    // A working file of another run has nothing to do with this store.
    std::erase_if(files_, [this](const SalvageFile& file) {
      return file.records().identity && file.records().identity->store_id != identity_->store_id;
    });
    open_journal();
  }

  [[nodiscard]] const StoreIdentity& identity() const noexcept { return *identity_; }
  [[nodiscard]] const std::optional<SummaryRecord>& summary() const noexcept { return summary_; }
  [[nodiscard]] std::optional<JournalReader>& journal() noexcept { return journal_; }

  /// The latest epoch that is known.
  [[nodiscard]] std::int64_t epoch() const noexcept {
    const std::int64_t stored = summary() ? summary()->outcome.epoch : 0;
    return std::max(stored, journal_ ? static_cast<std::int64_t>(journal_->header().epoch) : 0);
  }

  SalvageReport read_rows(const std::function<void(const SalvagedRow&)>& take) {
    if (journal_) {
      journal_->rewind();
    }
    return salvage_rows(identity_->setup, files_, journal_ ? &*journal_ : nullptr, take);
  }

private:
  void open_journal() {
    const StoreSetup& setup = identity_->setup;
    const JournalHeader expected{
        identity_->store_id, 0, static_cast<std::uint32_t>(setup.extra_columns.size()),
        static_cast<std::uint32_t>(setup.interval_results ? setup.intervals.size() : 0)};
    journal_ = JournalReader::salvage(journal_path(path_), expected);
    if (journal_ && (journal_->header().store_id != expected.store_id ||
                     journal_->header().extra_columns != expected.extra_columns ||
                     journal_->header().intervals != expected.intervals)) {
      journal_.reset();
    }
  }

  std::filesystem::path path_;
  std::vector<SalvageFile> files_;
  std::optional<StoreIdentity> identity_;
  std::optional<SummaryRecord> summary_;
  std::optional<JournalReader> journal_;
};

class Inspector {
public:
  explicit Inspector(std::filesystem::path path) : path_(std::move(path)) {}

  Inspection run() {
    const SealState seal = examine_seal(path_);
    if (seal == SealState::foreign && find_records(path_).chunks.empty()) {
      throw InputError(path_.string(), 0, "is not an HDF5 file", "expected a store of gridcast");
    }
    if (seal == SealState::whole) {
      inspect_sound_file();
    } else {
      inspect_damaged_file(seal);
    }
    return std::move(result_);
  }

private:
  void find(bool damage, const std::filesystem::path& file, const std::string& text) {
    result_.sound = result_.sound && !damage;
    result_.findings.push_back(file.string() + ": " + text);
  }

  void count(const SalvageReport& report) {
    result_.rows = report.rows;
    result_.missing = report.missing;
  }

  void inspect_sound_file() {
    // The journal first, as a reader does: S.h5 then has at least the rows before the journal.
    std::optional<JournalReader> journal;
    try {
      journal = JournalReader::open(journal_path(path_));
    } catch (const RunError& error) {
      find_trouble(error);
    }
    const ResultFile file = ResultFile::open(path_, hdf5::Access::read);
    result_.rows = file.rows();
    try {
      AnswerCheck answers(file.best(), file.front());
      inspect_contents(file, answers);
      find(false, path_, "sound, " + counted(file.rows(), "row"));
      if (journal) {
        inspect_journal(file, *journal);
      }
      for (const std::string& finding : answers.findings()) {
        find(true, path_, finding);
      }
    } catch (const std::runtime_error& error) {
      find_trouble(error);
    }
    if (!result_.sound && result_.missing == 0) {
      Remains remains(path_);
      count(remains.read_rows([](const SalvagedRow&) {}));
    }
  }

  /// Reads everything: all of it must be what a writer could have stored.
  static void inspect_contents(const ResultFile& file, AnswerCheck& answers) {
    for (std::int64_t first = 0; first < file.rows(); first += file.chunk_rows()) {
      RowBatch rows = file.read(first, std::min(file.chunk_rows(), file.rows() - first));
      restore_runs(file.setup(), rows);
      answers.look_at(rows.rows);
    }
    static_cast<void>(file.robustness());
    static_cast<void>(file.failures());
    static_cast<void>(file.proof());
  }

  /// An error that names the file and what is wrong with it.
  void find_trouble(const std::runtime_error& error) {
    result_.sound = false;
    result_.findings.emplace_back(error.what());
  }

  void inspect_journal(const ResultFile& file, JournalReader& reader) {
    const StoreSetup& setup = file.setup();
    const std::int64_t unsynced = require_sound(
        reader,
        {path_,
         {file.store_id(), file.rows(), static_cast<std::uint32_t>(setup.extra_columns.size()),
          static_cast<std::uint32_t>(setup.interval_results ? setup.intervals.size() : 0)}});
    std::int64_t rows = 0;
    while (const auto record = reader.next()) {
      rows += record->number >= file.rows() ? 1 : 0;
    }
    result_.rows += rows;
    find(false, journal_path(path_), "sound, " + counted(rows, "row") + " more");
    if (unsynced > 0) {
      result_.missing = unsynced;
      find(true, journal_path(path_),
           counted(unsynced, "row") +
               " cannot be read that were not yet on disk, as after a power cut: --resume "
               "evaluates them again");
    }
  }

  void inspect_damaged_file(SealState seal) {
    find(true, path_,
         seal == SealState::broken ? "damaged: its bytes are not those that were written"
                                   : "damaged: it has no seal (it was cut or changed)");
    Remains remains(path_);
    const SalvageReport report = remains.read_rows([](const SalvagedRow&) {});
    count(report);
    for (const LostPiece& piece : report.pieces) {
      find(true, path_,
           range_of(piece.first_row, piece.rows) + ": " + piece.column + " cannot be read");
    }
    if (report.pieces.empty() && report.missing == 0) {
      find(true, path_, "all rows can be read; HDF5's own structures or attributes are damaged");
    }
    inspect_journal_of_damaged(remains);
  }

  void inspect_journal_of_damaged(Remains& remains) {
    const std::filesystem::path journal = journal_path(path_);
    std::error_code ignored;
    if (!remains.journal()) {
      if (std::filesystem::exists(journal, ignored)) {
        find(true, journal, "belongs to another store");
      }
      return;
    }
    if (!remains.journal()->header_valid()) {
      find(true, journal, "damaged in its header");
    }
    for (const JournalGap& gap : remains.journal()->gaps()) {
      find(true, journal, range_of(gap.first_row, gap.rows) + " cannot be read");
    }
  }

  std::filesystem::path path_;
  Inspection result_;
};

/// The new store while it is being written.
class Rewriter {
public:
  Rewriter(Remains& remains, const std::filesystem::path& path, std::int64_t epoch)
      : remains_(remains),
        epoch_(epoch),
        identity_(remains.identity()),
        file_(ResultFile::create(prepared(path), identity_.setup, random_token(),
                                 identity_.created)) {
    if (remains.summary()) {
      for (const Failure& failure : remains.summary()->failures) {
        if (failure.config < 0) {
          failures_.push_back(failure);
        } else {
          reasons_.emplace(failure.config, failure.reason);
        }
      }
    }
  }

  /// Rows in the new store.
  std::int64_t write() {
    Outcome outcome;
    std::optional<Best> best;
    if (remains_.summary()) {
      outcome = remains_.summary()->outcome;
      best = remains_.summary()->best;
    }
    AnswerCheck answers(best, {});
    const SalvageReport report = remains_.read_rows([&](const SalvagedRow& row) {
      answers.look_at({&row.row, 1});
      add(row);
    });
    store();
    if (report.missing > 0 || !remains_.summary() || !answers.best_is_there()) {
      outcome.complete = false;
      outcome.finished.clear();
      best.reset();
    }
    outcome.epoch = epoch_;
    file_.write_failures(failures_);
    file_.write_best(best);
    file_.write_outcome(outcome);
    file_.write_summary(outcome, failures_, best);
    file_.close();
    return report.rows;
  }

private:
  static std::filesystem::path prepared(const std::filesystem::path& path) {
    const Descriptor empty(create_anew(path));
    return path;
  }

  void add(const SalvagedRow& row) {
    if (row.row.status == Status::failed) {
      const auto known = reasons_.find(row.number);
      const std::string reason = row.reason != nullptr     ? *row.reason
                                 : known != reasons_.end() ? known->second
                                                           : "the reason was lost by damage";
      failures_.push_back({rows_, row.row.grid().text(), reason});
    }
    batch_.rows.push_back(row.row);
    batch_.extras.insert(batch_.extras.end(), row.extras.begin(), row.extras.end());
    batch_.intervals.insert(batch_.intervals.end(), row.intervals.begin(), row.intervals.end());
    ++rows_;
    if (rows_ % file_.chunk_rows() == 0) {
      store();
    }
  }

  void store() {
    file_.append(batch_);
    batch_.clear();
  }

  Remains& remains_;
  std::int64_t epoch_;
  StoreIdentity identity_;
  ResultFile file_;
  RowBatch batch_;
  std::int64_t rows_ = 0;
  std::vector<Failure> failures_;
  std::map<std::int64_t, std::string> reasons_;
};

}  // namespace

Inspection inspect_store(const std::filesystem::path& path) {
  return Inspector(existing(path)).run();
}

Repair repair_store(const std::filesystem::path& path) {
  const std::filesystem::path file = existing(path);
  StoreLock lock(file);
  Repair repair;
  repair.before = Inspector(file).run();
  if (repair.before.sound) {
    return repair;
  }
  const std::filesystem::path fresh = file.string() + ".repaired";
  try {
    Remains remains(file);
    lock.raise_epoch(remains.epoch() + 1);
    repair.rows = Rewriter(remains, fresh, lock.owner().epoch).write();
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
  return repair;
}

}  // namespace gridcast::store
