#include "gridcast/store/reader.h"

#include <algorithm>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/store/journal.h"
#include "gridcast/store/paths.h"
#include "gridcast/store/run_columns.h"
#include "journal_rows.h"
#include "result_file.h"

namespace gridcast::store {
namespace {

/// Rows that are in memory at once.
constexpr std::int64_t batch_rows = 8192;

/// Opens the journal first and the snapshot after it: whatever the writer does in between, the
/// snapshot then has at least the rows that came before the journal.
std::optional<JournalReader> open_journal(const std::filesystem::path& store) {
  std::error_code ignored;
  if (!std::filesystem::exists(store, ignored)) {
    throw InputError(store.string(), 0, "there is no such store", "check the path");
  }
  if (std::filesystem::is_directory(store, ignored)) {
    throw InputError(store.string(), 0, "is a directory", "expected a store of gridcast");
  }
  return JournalReader::open(journal_path(store));
}

}  // namespace

class StoreReader::State {
public:
  explicit State(const std::filesystem::path& store)
      : path(resolve_links(store)),
        owner(read_lock(path)),
        journal(open_journal(path)),
        file(ResultFile::open(path, hdf5::Access::read)) {
    require_own_journal();
    describe();
  }

  void read_rows(const std::function<void(const RowBatch&)>& take);

  std::filesystem::path path;
  std::optional<LockOwner> owner;
  std::optional<JournalReader> journal;
  ResultFile file;
  Store about;

private:
  void require_own_journal();
  void describe();
  void read_journal(const std::function<void(const RowBatch&)>& take);
};

void StoreReader::State::require_own_journal() {
  if (journal) {
    const StoreSetup& setup = file.setup();
    const std::size_t intervals = setup.interval_results ? setup.intervals.size() : 0;
    about.unreadable_rows = require_sound(
        *journal,
        {path,
         {file.store_id(), file.rows(), static_cast<std::uint32_t>(setup.extra_columns.size()),
          static_cast<std::uint32_t>(intervals)}});
  }
}

void StoreReader::State::describe() {
  const Outcome outcome = file.outcome();
  about.store_id = file.store_id();
  about.setup = file.setup();
  about.setup.description.candidates = outcome.candidates;
  about.setup.description.not_bad = outcome.not_bad;
  about.created = file.created();
  about.finished = outcome.finished;
  about.owner = owner;
  about.table.extra_columns = file.setup().extra_columns;
  about.failures = file.failures();
  about.best = file.best();
  about.proof = file.proof();
  about.front = file.front();
  about.robustness = file.robustness();
  if (owner && is_locked(path)) {
    about.state = StoreState::running;
  } else if (outcome.complete) {
    about.state = StoreState::complete;
  } else {
    about.state = journal || owner ? StoreState::killed : StoreState::stopped;
  }
}

void StoreReader::State::read_rows(const std::function<void(const RowBatch&)>& take) {
  const std::int64_t batch = std::min(batch_rows, file.chunk_rows());
  for (std::int64_t first = 0; first < file.rows(); first += batch) {
    RowBatch rows = file.read(first, std::min(batch, file.rows() - first));
    restore_runs(file.setup(), rows);
    take(rows);
  }
  if (journal) {
    journal->rewind();
    about.failures = file.failures();
    about.journal_rows = 0;
    read_journal(take);
  }
}

void StoreReader::State::read_journal(const std::function<void(const RowBatch&)>& take) {
  const auto limit = static_cast<std::size_t>(std::min(batch_rows, file.chunk_rows()));
  RowBatch batch;
  while (const std::optional<JournalRecord> record = journal->next()) {
    if (record->number < file.rows()) {
      continue;
    }
    if (record->row.status == Status::failed) {
      about.failures.push_back(
          {file.rows() + about.journal_rows, record->row.grid().text(), record->reason});
    }
    batch.rows.push_back(record->row);
    batch.extras.insert(batch.extras.end(), record->extras.begin(), record->extras.end());
    batch.intervals.insert(batch.intervals.end(), record->intervals.begin(),
                           record->intervals.end());
    ++about.journal_rows;
    if (batch.rows.size() == limit) {
      take(batch);
      batch.clear();
    }
  }
  if (!batch.rows.empty()) {
    take(batch);
  }
}

StoreReader::StoreReader(const std::filesystem::path& path)
    : state_(std::make_unique<State>(path)) {}
StoreReader::StoreReader(StoreReader&&) noexcept = default;
StoreReader& StoreReader::operator=(StoreReader&&) noexcept = default;
StoreReader::~StoreReader() = default;

const Store& StoreReader::about() const noexcept { return state_->about; }

void StoreReader::read_rows(const std::function<void(const RowBatch&)>& take) {
  state_->read_rows(take);
}

const char* name(StoreState state) noexcept {
  switch (state) {
    case StoreState::complete:
      return "complete";
    case StoreState::running:
      return "running";
    case StoreState::stopped:
      return "stopped";
    case StoreState::killed:
      break;
  }
  return "killed";
}

Store read_store(const std::filesystem::path& path, bool with_intervals) {
  StoreReader reader(path);
  Table table;
  if (with_intervals) {
    if (!reader.about().setup.interval_results) {
      throw InputError(path.string(), 0, "has no results per interval",
                       "expected the store of a sweep with --intervals");
    }
    table.intervals_per_row = reader.about().setup.intervals.size();
  }
  reader.read_rows([&](const RowBatch& batch) {
    table.rows.insert(table.rows.end(), batch.rows.begin(), batch.rows.end());
    table.extras.insert(table.extras.end(), batch.extras.begin(), batch.extras.end());
    if (with_intervals) {
      table.intervals.insert(table.intervals.end(), batch.intervals.begin(), batch.intervals.end());
    }
  });
  Store store = reader.about();
  table.extra_columns = store.table.extra_columns;
  store.table = std::move(table);
  return store;
}

}  // namespace gridcast::store
