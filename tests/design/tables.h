#pragma once
/// Tables for tests: files of data, and columns in memory.

#include <functional>
#include <string>
#include <vector>

#include "gridcast/design/table.h"

namespace gridcast::design::test {

/// A file of the tests' data.
inline std::string data_file(const std::string& name) {
  return std::string(GRIDCAST_SOURCE_DIR) + "/tests/data/analyse/" + name;
}

/// Rows that are made as they are read: as many as one likes without memory.
class MadeTable final : public Table {
public:
  using MakeRow = std::function<std::vector<double>(std::size_t)>;
  MadeTable(std::vector<std::string> columns, std::size_t rows, MakeRow make)
      : columns_(std::move(columns)), rows_(rows), make_(std::move(make)) {}

  [[nodiscard]] const std::string& origin() const noexcept override { return name_; }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept override {
    return columns_;
  }
  [[nodiscard]] const Roles& roles() const noexcept override { return roles_; }
  std::size_t read(std::span<const std::size_t> columns, const TakeValues& take) const override {
    std::vector<double> values(columns.size());
    for (std::size_t i = 0; i < rows_; ++i) {
      const std::vector<double> row = make_(i);
      for (std::size_t j = 0; j < columns.size(); ++j) {
        values[j] = row[columns[j]];
      }
      take(values);
    }
    return 0;
  }

private:
  Roles roles_;
  std::string name_ = "made";
  std::vector<std::string> columns_;
  std::size_t rows_;
  MakeRow make_;
};

}  // namespace gridcast::design::test
