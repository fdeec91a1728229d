#include "gridcast/store/writer.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <utility>

#include "clock.h"
#include "files.h"
#include "gridcast/contract.h"
#include "gridcast/error.h"
#include "gridcast/store/journal.h"
#include "gridcast/store/lock.h"
#include "result_file.h"

namespace gridcast::store {
namespace {

using Clock = std::chrono::steady_clock;

/// Rows wait in memory no longer than this while rows come in.
constexpr std::chrono::milliseconds journal_period{250};
constexpr std::size_t journal_block = std::size_t{1} << 20U;
/// A slow run gets a snapshot this often, so that other programs see its rows …
constexpr std::chrono::seconds snapshot_period{60};
/// … but snapshots never take more than this share of the time.
constexpr int snapshot_share = 50;

std::filesystem::path working_path(const std::filesystem::path& store) {
  return store.string() + ".next";
}

std::filesystem::path snapshot_path(const std::filesystem::path& store) {
  return store.string() + ".tmp";
}

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

void require_directory(const std::filesystem::path& path) {
  const std::filesystem::path directory = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code ignored;
  if (!std::filesystem::is_directory(directory, ignored)) {
    throw InputError("cannot create store " + path.string(),
                     "directory " + directory.string() + " does not exist; create it first");
  }
}

void require_new(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) {
    throw InputError(path.string(), 0, "the store exists",
                     "go on with --resume, choose another --store or delete it");
  }
  const std::filesystem::path journal = journal_path(path);
  std::optional<JournalReader> reader = JournalReader::open(journal);
  if (reader && reader->next()) {
    throw InputError(journal.string(), 0, "is the journal of a store that is gone",
                     "put the store back beside it, or delete it with its rows");
  }
}

void require_extra_columns(const std::vector<ExtraColumn>& extras) {
  std::vector<std::string> names{"config"};
  for (const Column& column : columns()) {
    names.push_back(column.name);
  }
  for (const ExtraColumn& extra : extras) {
    const bool usable = !extra.name.empty() && extra.name.find('/') == std::string::npos &&
                        extra.name.find_first_of(",\"\r\n") == std::string::npos;
    if (!usable || std::find(names.begin(), names.end(), extra.name) != names.end()) {
      throw InputError("column name '" + extra.name + "' cannot be used",
                       "expected a new name without commas, quotes and slashes");
    }
    if (extra.type == ColumnType::int32) {
      throw InputError("column " + extra.name + " has type int32", "expected float64 or int64");
    }
    names.push_back(extra.name);
  }
}

void require_intervals(const StoreSetup& setup) {
  if (setup.interval_results && setup.intervals.empty()) {
    throw InputError("results per interval were asked for without a tree of intervals",
                     "give the intervals when the store is created");
  }
}

bool same_interval(const model::IntervalInfo& a, const model::IntervalInfo& b) {
  return a.parent == b.parent && a.level == b.level && a.type == b.type && a.count == b.count &&
         a.file == b.file && a.line == b.line && a.expression == b.expression;
}

void require_same_setup(const std::filesystem::path& path, const StoreSetup& stored,
                        const StoreSetup& given) {
  require_same_run(path.string(), stored.description, given.description);
  const char* remedy = "repeat the options of the first run, or use another --store";
  if (stored.extra_columns != given.extra_columns) {
    throw InputError(path.string(), 0, "the store has other input columns than this run", remedy);
  }
  if (stored.interval_results != given.interval_results) {
    throw InputError(path.string(), 0,
                     stored.interval_results
                         ? "the store has results per interval and this run has not"
                         : "the store has no results per interval and this run has",
                     remedy);
  }
  if (!std::equal(stored.intervals.begin(), stored.intervals.end(), given.intervals.begin(),
                  given.intervals.end(), same_interval)) {
    throw InputError(path.string(), 0, "the store has other intervals than this run", remedy);
  }
}

StoreLock locked(const std::filesystem::path& path) {
  require_directory(path);
  return StoreLock(path);
}

}  // namespace

/// The working file S.h5.next receives whole chunks only; a snapshot is a copy of it with the rows
/// of the last, partial chunk added, renamed to S.h5. Thus neither file is ever seen half written
/// and no chunk is compressed twice except the last one.
class StoreWriter::State {
public:
  State(std::filesystem::path store, StoreLock held)
      : path(std::move(store)), lock(std::move(held)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  void start(const StoreSetup& setup);
  void take_over(const StoreSetup& setup, FailedRows failed);
  void add(const ResultRow& row, std::span<const double> extras,
           std::span<const model::Characteristics> intervals, const std::string& reason);
  void flush();
  void end(bool complete, const std::optional<Best>& best);
  void discard() noexcept;
  [[nodiscard]] std::int64_t rows() const noexcept {
    return stored + static_cast<std::int64_t>(tail.rows.size());
  }

  /// Results per interval that come with a row.
  [[nodiscard]] std::size_t intervals() const noexcept { return interval_count; }

  Outcome outcome;
  std::vector<Failure> postponed;  ///< configurations without a row, to be tried again

private:
  void create_working(const StoreSetup& setup, const std::string& id, const std::string& created);
  void drop_failed();
  void keep(const ResultRow& row, std::span<const double> extras,
            std::span<const model::Characteristics> intervals, const std::string& reason);
  void store_tail();
  void snapshot();
  void write_last_parts(ResultFile& file, const std::optional<Best>& best);
  void begin_journal();
  void recover_journal();
  [[nodiscard]] bool snapshot_due() const;
  template <typename Step>
  void guarded(Step&& step);

  std::filesystem::path path;
  std::optional<StoreLock> lock;  ///< freed at the end
  std::optional<ResultFile> working;
  std::optional<JournalWriter> journal;
  std::vector<Failure> failures;
  RowBatch tail;             ///< rows not yet in the working file
  std::int64_t stored = 0;   ///< rows in the working file
  std::int64_t chunk = 1;    ///< rows per chunk
  std::int64_t visible = 0;  ///< rows in S.h5
  std::size_t extra_count = 0;
  std::size_t interval_count = 0;
  bool was_complete = false;  ///< resumed a complete store and added nothing
  bool broken = false;        ///< something failed; nothing more is written
  bool ended = false;
  Clock::time_point last_journal = Clock::now();
  Clock::time_point last_snapshot = Clock::now();
  Clock::duration snapshot_cost{};
};

StoreWriter::State::~State() {
  if (ended) {
    return;
  }
  try {
    if (journal) {
      journal->flush();
    }
  } catch (const RunError&) {
    // The disk is full: the rows of the last quarter of a second are computed again by --resume.
  }
  working.reset();
  remove_quietly(working_path(path));
  remove_quietly(snapshot_path(path));
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

void StoreWriter::State::create_working(const StoreSetup& setup, const std::string& id,
                                        const std::string& created) {
  const std::filesystem::path next = working_path(path);
  { const Descriptor empty(open_descriptor(next, O_WRONLY | O_CREAT | O_TRUNC)); }
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
  const JournalHeader& header = reader->header();
  if (header.store_id != working->store_id() || header.extra_columns != extra_count ||
      header.intervals != interval_count) {
    throw InputError(journal_path(path).string(), 0, "belongs to another store",
                     "move it away if its rows are not needed");
  }
  while (const std::optional<JournalRecord> record = reader->next()) {
    if (record->number >= visible) {
      was_complete = false;
      keep(record->row, record->extras, record->intervals, record->reason);
    }
  }
}

void StoreWriter::State::begin_journal() {
  journal = JournalWriter(journal_path(path),
                          {working->store_id(), rows(), static_cast<std::uint32_t>(extra_count),
                           static_cast<std::uint32_t>(interval_count)});
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
  if (journal) {
    journal->flush();
  }
  working->flush();
  copy_contents(working_path(path), copy);
  ResultFile file = ResultFile::open(copy, hdf5::Access::write);
  write_last_parts(file, std::nullopt);
  publish_file(copy, path);
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
    if (journal->pending_bytes() >= journal_block || now - last_journal >= journal_period) {
      flush();
    } else if (tail.rows.empty() && snapshot_due()) {
      snapshot();
    }
  });
}

void StoreWriter::State::flush() {
  guarded([&] {
    journal->flush();
    last_journal = Clock::now();
    if (snapshot_due()) {
      snapshot();
    }
  });
}

void StoreWriter::State::end(bool complete, const std::optional<Best>& best) {
  if (was_complete && !complete) {
    working.reset();
    remove_quietly(working_path(path));
    remove_quietly(journal_path(path));
    lock.reset();
    ended = true;
    return;
  }
  guarded([&] {
    journal->flush();
    outcome.complete = complete;
    outcome.finished = complete ? utc_now() : std::string();
    write_last_parts(*working, best);
    publish_file(working_path(path), path);
    // Only now: until S.h5 holds all rows the journal is needed.
    remove_quietly(journal_path(path));
  });
  stored = rows();
  tail.clear();
  lock.reset();
  ended = true;
}

void StoreWriter::State::discard() noexcept {
  working.reset();
  for (const std::filesystem::path& file :
       {working_path(path), snapshot_path(path), journal_path(path), path}) {
    remove_quietly(file);
  }
  lock.reset();
  ended = true;
}

StoreWriter::StoreWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
StoreWriter::StoreWriter(StoreWriter&&) noexcept = default;
StoreWriter& StoreWriter::operator=(StoreWriter&&) noexcept = default;
StoreWriter::~StoreWriter() = default;

StoreWriter StoreWriter::create(const std::filesystem::path& path, const StoreSetup& setup) {
  require_extra_columns(setup.extra_columns);
  require_intervals(setup);
  StoreLock lock = locked(path);
  require_new(path);
  auto state = std::make_unique<State>(path, std::move(lock));
  state->start(setup);
  return StoreWriter(std::move(state));
}

StoreWriter StoreWriter::resume(const std::filesystem::path& path, const StoreSetup& setup,
                                FailedRows failed) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw InputError(path.string(), 0, "there is no such store to resume",
                     "start without --resume");
  }
  if (!hdf5::is_hdf5(path)) {
    throw InputError(path.string(), 0, "is not an HDF5 file", "expected a store of gridcast");
  }
  auto state = std::make_unique<State>(path, locked(path));
  state->take_over(setup, failed);
  return StoreWriter(std::move(state));
}

void StoreWriter::append(const ResultRow& row, std::span<const double> extras,
                         std::span<const model::Characteristics> intervals) {
  state_->add(row, extras, intervals, {});
}

void StoreWriter::append_failure(const ResultRow& row, const std::string& reason,
                                 std::span<const double> extras) {
  ResultRow failed = row;
  failed.status = Status::failed;
  const std::vector<model::Characteristics> none(state_->intervals());
  state_->add(failed, extras, none, reason);
}

void StoreWriter::postpone(const machine::Grid& grid, const std::string& reason,
                           FailureCause cause) {
  expects(is_temporary(cause), "what fails every time has a row");
  state_->postponed.push_back({-1, grid.text(), reason, cause});
}

void StoreWriter::flush() { state_->flush(); }

void StoreWriter::set_counts(std::int64_t candidates, std::int64_t not_bad) {
  state_->outcome.candidates = candidates;
  state_->outcome.not_bad = not_bad;
}

void StoreWriter::close() { state_->end(false, std::nullopt); }

void StoreWriter::finish(const std::optional<Best>& best) { state_->end(true, best); }

void StoreWriter::discard() noexcept { state_->discard(); }

std::int64_t StoreWriter::rows() const noexcept { return state_->rows(); }

}  // namespace gridcast::store
