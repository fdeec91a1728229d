#include "gridcast/design/table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <numeric>

#include "csv_table.h"
#include "gridcast/base/error.h"
#include "gridcast/store/reader.h"
#include "gridcast/store/run_columns.h"
#include "gridcast/store/stored_options.h"

namespace gridcast::design {
namespace {

/// What HDF5 files begin with.
constexpr std::string_view hdf5_mark = "\x89HDF\r\n\x1a\n";

/// Columns of the runs of a data set that are no factors.
constexpr std::array<std::string_view, 4> bookkeeping{"variant", "trace", "machine", "source"};

bool is_factor(const store::ExtraColumn& column) {
  return std::ranges::find(bookkeeping, column.name) == bookkeeping.end() &&
         !store::tells_run(column);
}

double value_at(const store::ResultRow& row, const store::Column& column) {
  const char* place = reinterpret_cast<const char*>(&row) + column.offset;
  switch (column.type) {
    case store::ColumnType::int32: {
      std::int32_t value = 0;
      std::memcpy(&value, place, sizeof value);
      return value;
    }
    case store::ColumnType::int64: {
      std::int64_t value = 0;
      std::memcpy(&value, place, sizeof value);
      return static_cast<double>(value);
    }
    case store::ColumnType::float64:
      break;
  }
  double value = 0.0;
  std::memcpy(&value, place, sizeof value);
  return value;
}

class StoreTable final : public Table {
public:
  explicit StoreTable(const std::filesystem::path& path) : path_(path), name_(path.string()) {
    const store::StoreReader reader(path);
    const store::StoreSetup& setup = reader.about().setup;
    for (const store::ExtraColumn& extra : setup.extra_columns) {
      names_.push_back(extra.name);
      if (is_factor(extra)) {
        roles_.factors.push_back(extra.name);
      } else if (extra.name == "variant") {
        roles_.run = extra.name;
      } else {
        roles_.cases.push_back(extra.name);
      }
    }
    extras_ = names_.size();
    for (const store::Column& column : store::columns()) {
      names_.push_back(column.name);
    }
    roles_.cases.insert(roles_.cases.end(), {"p1", "p2", "p3", "p4"});
    roles_.response = "execution_time";
    roles_.design = store::StoredOptions::read(setup.description.options).kind;
  }

  [[nodiscard]] const std::string& origin() const noexcept override { return name_; }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept override { return names_; }
  [[nodiscard]] const Roles& roles() const noexcept override { return roles_; }

  std::size_t read(std::span<const std::size_t> columns, const TakeValues& take) const override {
    std::size_t failed = 0;
    std::vector<double> values(columns.size());
    store::StoreReader reader(path_);
    reader.read_rows([&](const store::RowBatch& batch) {
      for (std::size_t i = 0; i < batch.rows.size(); ++i) {
        if (batch.rows[i].status != store::Status::done) {
          ++failed;
          continue;
        }
        for (std::size_t j = 0; j < columns.size(); ++j) {
          values[j] = columns[j] < extras_
                          ? batch.extras[i * extras_ + columns[j]]
                          : value_at(batch.rows[i], store::columns()[columns[j] - extras_]);
        }
        take(values);
      }
    });
    return failed;
  }

private:
  std::filesystem::path path_;
  std::string name_;
  std::vector<std::string> names_;
  std::size_t extras_ = 0;
  Roles roles_;
};

/// Rows of another table with given values.
class FilteredTable final : public Table {
public:
  FilteredTable(std::unique_ptr<Table> table, const std::vector<std::string>& conditions)
      : table_(std::move(table)) {
    for (const std::string& condition : conditions) {
      const std::size_t sign = condition.rfind('=');
      double value = 0.0;
      const char* const end = condition.data() + condition.size();
      const char* const begin = sign == std::string::npos ? end : condition.data() + sign + 1;
      const auto [stop, error] = std::from_chars(begin, end, value);
      if (error != std::errc{} || stop != end) {
        throw InputError("the condition '" + condition + "' cannot be read",
                         "expected COLUMN=NUMBER, for instance p1=4");
      }
      tested_.push_back(table_->column(condition.substr(0, sign)));
      values_.push_back(value);
    }
  }

  [[nodiscard]] const std::string& origin() const noexcept override { return table_->origin(); }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept override {
    return table_->columns();
  }
  [[nodiscard]] const Roles& roles() const noexcept override { return table_->roles(); }

  std::size_t read(std::span<const std::size_t> columns, const TakeValues& take) const override {
    std::vector<std::size_t> wanted(columns.begin(), columns.end());
    wanted.insert(wanted.end(), tested_.begin(), tested_.end());
    return table_->read(wanted, [&](std::span<const double> row) {
      if (std::equal(values_.begin(), values_.end(),
                     row.begin() + static_cast<std::ptrdiff_t>(columns.size()))) {
        take(row.first(columns.size()));
      }
    });
  }

private:
  std::unique_ptr<Table> table_;
  std::vector<std::size_t> tested_;
  std::vector<double> values_;
};

}  // namespace

std::size_t Table::column(const std::string& name) const {
  const std::vector<std::string>& names = columns();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) {
    std::string known;
    for (const std::string& one : names) {
      known += (known.empty() ? "" : ", ") + one;
    }
    throw InputError(origin(), 0, "there is no column '" + name + "' with numbers",
                     "expected one of " + known);
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::size_t> Table::columns_of(const std::vector<std::string>& names) const {
  std::vector<std::size_t> result;
  result.reserve(names.size());
  for (const std::string& name : names) {
    result.push_back(column(name));
  }
  return result;
}

std::unique_ptr<Table> open_table(const std::filesystem::path& path) {
  std::array<char, hdf5_mark.size()> begin{};
  std::ifstream in(path, std::ios::binary);
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  const bool is_csv = in.gcount() > 0 &&
                      std::string_view(begin.data(), begin.size()) != hdf5_mark &&
                      path.extension() != ".h5";
  in.close();
  if (is_csv) {
    return open_csv(path);
  }
  return std::make_unique<StoreTable>(path);
}

std::unique_ptr<Table> filter(std::unique_ptr<Table> table,
                              const std::vector<std::string>& conditions) {
  if (conditions.empty()) {
    return table;
  }
  return std::make_unique<FilteredTable>(std::move(table), conditions);
}

}  // namespace gridcast::design
