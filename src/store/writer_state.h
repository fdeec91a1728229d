#pragma once
/// The state of a writer; how it travels to the disk is in docs/store.md.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "files.h"
#include "gridcast/store/journal.h"
#include "gridcast/store/lock.h"
#include "gridcast/store/writer.h"
#include "group_commit.h"
#include "result_file.h"

namespace gridcast::store {

/// The file that receives whole chunks.
[[nodiscard]] std::filesystem::path working_path(const std::filesystem::path& store);
/// The next snapshot while it is being made.
[[nodiscard]] std::filesystem::path snapshot_path(const std::filesystem::path& store);

/// The working file S.h5.next receives whole chunks only; a snapshot is a copy of it with the rows
/// of the last, partial chunk added, renamed to S.h5. Thus neither file is ever seen half written
/// and no chunk is compressed twice except the last one.
class StoreWriter::State {
public:
  using Clock = std::chrono::steady_clock;

  State(std::filesystem::path store, StoreLock held, const WriterOptions& options)
      : path(std::move(store)), lock(std::move(held)), durability(options.durability) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State();

  void start(const StoreSetup& setup);
  void take_over(const StoreSetup& setup, FailedRows failed);
  void add(const ResultRow& row, std::span<const double> extras,
           std::span<const model::Characteristics> intervals, const std::string& reason);
  void flush();
  void show_rows();
  void tell(const RunProgress& progress);
  void end(bool complete, const std::optional<Best>& best);
  void leave();
  void discard() noexcept;
  [[nodiscard]] std::int64_t rows() const noexcept {
    return stored + static_cast<std::int64_t>(tail.rows.size());
  }

  /// Results per interval that come with a row.
  [[nodiscard]] std::size_t intervals() const noexcept { return interval_count; }

  Outcome outcome;
  std::vector<Failure> postponed;  ///< configurations without a row, to be tried again
  std::optional<Proof> proof;      ///< of this run
  std::optional<Front> front;      ///< of this run
  std::int64_t lost = 0;           ///< rows of the journal that could not be taken over

private:
  void create_working(const StoreSetup& setup, const std::string& id, const std::string& created);
  void drop_failed();
  void keep(const ResultRow& row, std::span<const double> extras,
            std::span<const model::Characteristics> intervals, const std::string& reason);
  void store_tail();
  void snapshot();
  void write_last_parts(ResultFile& file, const std::optional<Best>& best);
  /// Of a journal that begins now.
  [[nodiscard]] JournalHeader header() const;
  void begin_journal();
  void recover_journal();
  void hand_over();
  [[nodiscard]] bool holds_lock() const noexcept;
  void require_own() const;
  void publish(const std::filesystem::path& from);
  [[nodiscard]] bool snapshot_due() const;
  template <typename Step>
  void guarded(Step&& step);

  std::filesystem::path path;
  std::optional<StoreLock> lock;  ///< freed at the end
  Durability durability;
  std::optional<FileIdentity> own_store;  ///< S.h5 as this writer found it or wrote it
  std::optional<ResultFile> working;
  std::optional<JournalWriter> journal;
  std::optional<GroupCommit> commit;  ///< of the journal; only with Durability::second
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

}  // namespace gridcast::store
