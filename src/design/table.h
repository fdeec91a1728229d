#pragma once
/// Tables of runs, read row by row: a store, or a CSV file with one line of names. Nothing of a
/// table is kept, so that its length does not matter (docs/analysis.md).

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gridcast::design {

/// What the columns of a table are for, as far as the table itself says so.
struct Roles {
  std::vector<std::string> factors;  ///< what was varied
  std::string response;              ///< what was observed; empty: not known
  std::vector<std::string> cases;    ///< rows with equal values here belong to one experiment
  std::string run;                   ///< number of the run; empty: rows are in the order of runs
  std::string design;                ///< kind of the design as in docs/datasets.md; may be empty
};

/// Values of the chosen columns of a row.
using TakeValues = std::function<void(std::span<const double>)>;

/// A table of runs; every look at it goes through all its rows again.
class Table {
public:
  Table() = default;
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  virtual ~Table() = default;

  /// The file, for messages.
  [[nodiscard]] virtual const std::string& origin() const noexcept = 0;
  /// Names of the columns with numbers.
  [[nodiscard]] virtual const std::vector<std::string>& columns() const noexcept = 0;
  [[nodiscard]] virtual const Roles& roles() const noexcept = 0;

  /// Hands over the chosen columns of every row, in the order of the file; failed predictions are
  /// left out. Returns how many were. May be called again. Throws InputError with file:line for a
  /// cell that is no number.
  virtual std::size_t read(std::span<const std::size_t> columns, const TakeValues& take) const = 0;

  /// Number of a column. Throws InputError with the names that exist.
  [[nodiscard]] std::size_t column(const std::string& name) const;
  [[nodiscard]] std::vector<std::size_t> columns_of(const std::vector<std::string>& names) const;
};

/// Opens a store or a CSV file, whichever the content is. Throws InputError.
[[nodiscard]] std::unique_ptr<Table> open_table(const std::filesystem::path& path);

/// The rows of a table with given values in some columns ("p1=4"). Throws InputError for a text
/// that is no such condition.
[[nodiscard]] std::unique_ptr<Table> filter(std::unique_ptr<Table> table,
                                            const std::vector<std::string>& conditions);

}  // namespace gridcast::design
