#pragma once
/// Writes a store so that neither a kill nor a full disk can lose results or leave an unreadable
/// file. The visible file S.h5 is never changed in place: it is a complete snapshot that is
/// replaced by rename(2) from time to time; rows since the last snapshot are in the journal. The
/// argument and the costs are in docs/store.md.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "gridcast/store/description.h"
#include "gridcast/store/durability.h"
#include "gridcast/store/front.h"
#include "gridcast/store/lock.h"
#include "gridcast/store/progress.h"
#include "gridcast/store/proof.h"

namespace gridcast::store {

/// What a resume does with the rows of configurations that failed.
enum class FailedRows : std::uint8_t { keep, drop };

/// How a store is written.
struct WriterOptions {
  Durability durability = Durability::second;
  LockOptions lock{};
};

/// The one writer of a store; holds its lock. Not for use by two threads at once.
class StoreWriter {
public:
  /// Creates the store with its structure and no rows. Throws InputError if it exists, its
  /// directory does not or another writer has it; RunError if it cannot be written;
  /// PredecessorRuns.
  [[nodiscard]] static StoreWriter create(const std::filesystem::path& path,
                                          const StoreSetup& setup,
                                          const WriterOptions& options = {});

  /// Continues a store: takes over every row of snapshot and journal, without those of failed
  /// configurations if they are to be tried again. Throws InputError if there is no such store,
  /// another writer has it, or it was made for another run (`require_same_run`), with other extra
  /// columns or intervals.
  [[nodiscard]] static StoreWriter resume(const std::filesystem::path& path,
                                          const StoreSetup& setup,
                                          FailedRows failed = FailedRows::keep,
                                          const WriterOptions& options = {});

  StoreWriter(StoreWriter&&) noexcept;
  StoreWriter& operator=(StoreWriter&&) noexcept;
  /// Without close or finish: hands the rows to the journal if that is possible, as a kill between
  /// two rows would leave them, and frees the lock.
  ~StoreWriter();

  /// Adds a row; rows may come in any order. `extras` has one value per extra column, `intervals`
  /// one entry per interval if the store has interval results, else both are empty. Unless the
  /// durability is `none`, the row is in the journal at most a quarter of a second after this call
  /// if calls go on, and at the next `flush` for certain. Throws RunError; the writer then takes no
  /// more rows.
  void append(const ResultRow& row, std::span<const double> extras = {},
              std::span<const model::Characteristics> intervals = {});

  /// Adds a row of a configuration that failed (its status is set here) and its reason.
  void append_failure(const ResultRow& row, const std::string& reason,
                      std::span<const double> extras = {});

  /// Notes a configuration that failed for a temporary cause: it gets no row, is in /failures when
  /// the store ends, and forgotten by the next resume, which tries it again.
  void postpone(const machine::Grid& grid, const std::string& reason, FailureCause cause);

  /// What the run has shown of grids without rows; it is in the store when that ends. If an earlier
  /// run had excluded more, its proof stays: that of a run which is stopped early may be less.
  void keep_proof(Proof proof);

  /// The fewest processors and nodes, as far as they are known; in the store when that ends. What
  /// an earlier run had proven stays.
  void keep_front(Front front);

  /// Hands all rows so far to the operating system, unless the durability is `none`. To be called
  /// after each batch and at least once per second while rows wait. Throws RunError.
  void flush();

  /// Hands all rows so far to the operating system, whatever the durability: readers of the store
  /// then have them. Throws RunError.
  void show_rows();

  /// Says how far the run is, for those who watch it; a disk that cannot take it is no error.
  void tell(const RunProgress& progress);

  /// Ends an interrupted run: all rows in S.h5, `complete` 0, no journal, lock freed. A complete
  /// store that got no new row stays as it was.
  void close();

  /// Ends a complete run: as `close`, with /best, `finished` and `complete` 1.
  void finish(const std::optional<Best>& best);

  /// Deletes the store with all its rows and ends.
  void discard() noexcept;

  /// Rows in the store, failed ones included.
  [[nodiscard]] std::int64_t rows() const noexcept;

  /// Rows that `resume` could not take over because a power cut took them from the journal, which
  /// is then kept beside the store.
  [[nodiscard]] std::int64_t lost_rows() const noexcept;

private:
  class State;
  explicit StoreWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gridcast::store
