#pragma once
/// Reads a store, whether it is complete, being written or left by a killed writer: the snapshot
/// and then the rows of the journal. Reading changes nothing and needs no lock.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/store/description.h"
#include "gridcast/store/front.h"
#include "gridcast/store/lock.h"
#include "gridcast/store/proof.h"
#include "gridcast/store/robustness.h"

namespace gridcast::store {

/// What became of the run behind a store.
enum class StoreState : std::uint8_t {
  complete,  ///< every configuration is in it
  running,   ///< a writer holds the lock
  stopped,   ///< ended early in good order; can be resumed
  killed,    ///< its writer disappeared; can be resumed
};
[[nodiscard]] const char* name(StoreState state) noexcept;

/// The results table in memory.
struct Table {
  std::vector<ExtraColumn> extra_columns;
  std::vector<ResultRow> rows;
  std::vector<double> extras;                     ///< rows x extra columns
  std::vector<model::Characteristics> intervals;  ///< rows x intervals_per_row, if asked for
  std::size_t intervals_per_row = 0;
};

/// Everything in a store except, unless asked for, the results per interval.
struct Store {
  std::string store_id;
  StoreSetup setup;      ///< description, extra columns, intervals, sources
  std::string created;   ///< ISO 8601 UTC
  std::string finished;  ///< empty unless complete
  StoreState state = StoreState::stopped;
  std::optional<LockOwner> owner;  ///< of the lock file, if there is one
  Table table;
  std::int64_t journal_rows = 0;     ///< how many of the rows come from the journal
  std::int64_t unreadable_rows = 0;  ///< of the journal, lost as in a power cut: not in `table`
  std::vector<Failure> failures;
  std::optional<Best> best;
  std::optional<Proof> proof;            ///< of mode 4, when its last run ended in good order
  std::optional<Front> front;            ///< of the last run that ended in good order
  std::optional<Robustness> robustness;  ///< of `gridcast robust --store`
};

/// Gives a store in pieces, for those that are too large for memory.
class StoreReader {
public:
  /// Throws InputError if there is no such file or it is no store of this schema, RunError if it is
  /// damaged.
  explicit StoreReader(const std::filesystem::path& path);
  StoreReader(StoreReader&&) noexcept;
  StoreReader& operator=(StoreReader&&) noexcept;
  ~StoreReader();

  /// All but `table`; failures and journal_rows only of the snapshot until the rows have been read.
  [[nodiscard]] const Store& about() const noexcept;
  /// Calls `take` with all rows in batches, in the order of the store, each time.
  void read_rows(const std::function<void(const RowBatch&)>& take);

private:
  class State;
  std::unique_ptr<State> state_;
};

/// Reads a store as a whole. Errors as StoreReader; `with_intervals`: InputError if it has no
/// results per interval.
[[nodiscard]] Store read_store(const std::filesystem::path& path, bool with_intervals = false);

}  // namespace gridcast::store
