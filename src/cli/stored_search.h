#pragma once
/// What a store says about its search, as `status` and `report` show it.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "answer.h"
#include "gridcast/search/best.h"
#include "gridcast/search/front.h"
#include "gridcast/search/strategy.h"
#include "gridcast/store/reader.h"
#include "gridcast/store/stored_options.h"

namespace gridcast::cli {

/// Counts and best rows of a store, whether it is complete or not.
struct StoredSearch {
  store::Store store;                    ///< without its rows
  store::StoredOptions options;          ///< of the run
  std::int64_t evaluated = 0;            ///< rows, failed ones included
  std::int64_t failed = 0;               ///< of those
  std::int64_t to_retry = 0;             ///< failures without a row, tried again
  std::optional<store::ResultRow> best;  ///< the row chosen so far
  /// What bounds have shown of the candidates without rows, as the last run of mode 4 left it; of a
  /// search that goes on those left are open. Nothing if it was killed.
  std::optional<search::Proof> proof;
  std::vector<search::FrontEntry> front;  ///< what the rows say, and what is proven of it
  std::int64_t tied = 0;  ///< grids whose range of times overlaps with that of the best
  std::vector<report::AnsweredGrid> ties;  ///< the fastest of them
  report::Answer answer;                   ///< empty if rows do not compete
};

/// Objective and condition of the run that made a store.
[[nodiscard]] search::Goal goal_of(const store::StoreSetup& setup);

/// Says on standard error how many rows of a store cannot be read, if any.
void warn_unreadable(const std::filesystem::path& path, std::int64_t rows);

/// A row with its values of the extra columns.
using TakeRow = std::function<void(const store::ResultRow&, std::span<const double>)>;

/// Reads a store, hands each row to `take` once, and finds the answer, with `rankfile` as
/// machine::job_of(). Errors as store::StoreReader.
[[nodiscard]] StoredSearch read_search(const std::filesystem::path& path, const TakeRow& take = {},
                                       const std::string& rankfile = {});

/// --threads of that run.
[[nodiscard]] std::vector<std::int32_t> stored_threads(const store::RunDescription& description);

/// What `status` prints.
[[nodiscard]] std::string status_text(const StoredSearch& search);

/// Who writes a store: "process 17 on node1, Slurm job 4711".
[[nodiscard]] std::string owner_text(const store::LockOwner& owner);

/// What `status --json` writes (docs/commands.md).
void write_status(std::ostream& out, const StoredSearch& search);

/// Runs `finish`, which prints the outcome of a run on `store` and returns the exit code. If `json`
/// is not empty the state of the store goes there, and with "-" nothing else to standard output.
/// `rankfile`: that of the job.
[[nodiscard]] int finish_with_status(const std::string& json, const std::string& store,
                                     const std::function<int()>& finish,
                                     const std::string& rankfile = {});

/// Numbers that name something: their order means nothing.
[[nodiscard]] bool is_label(std::string_view name);

/// The rows of a store that compete among themselves, those with the same values of the extra
/// columns: of one variant of a data set, of one run in a merged store.
class RowGroups {
public:
  RowGroups(const store::StoreSetup& setup, search::Goal goal);

  void add(const store::ResultRow& row, std::span<const double> extras);

  struct Group {
    std::string label;
    std::vector<double> factors;  ///< the others of its values
    std::int64_t evaluated = 0;
    std::int64_t failed = 0;
    std::optional<store::ResultRow> best;
  };
  /// In the order of the values.
  [[nodiscard]] std::vector<Group> groups() const;
  /// Names of the factors.
  [[nodiscard]] std::vector<std::string> factors() const;

private:
  [[nodiscard]] std::string label(std::span<const double> extras) const;

  const store::StoreSetup* setup_;
  search::Goal goal_;
  std::size_t inputs_ = 0;  // columns
  std::map<std::vector<double>, Group> groups_;
};

}  // namespace gridcast::cli
