#pragma once
/// The columns of one group of a store as HDF5 datasets: creating, appending and reading rows.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gridcast/store/hdf5.h"
#include "gridcast/store/row.h"

namespace gridcast::store {

/// Where the values of a column lie in memory: `size` bytes at `offset` in elements of `stride`.
struct MemoryLayout {
  std::size_t stride = 0;
  std::size_t offset = 0;
  std::size_t size = 0;
};

/// Attributes of a dataset.
struct Label {
  std::string name;
  std::string units;
  std::string long_name;
};

/// A dataset whose first dimension counts configurations; the second one, if any, intervals.
class Series {
public:
  /// Makes an empty one. `width` is 0 for a series without a second dimension.
  static Series create(const hdf5::Location& group, const Label& label, hdf5::Type type,
                       hsize_t chunk_rows, hsize_t width);
  /// Throws RunError if it has not `dimensions` dimensions.
  static Series open(const hdf5::Location& group, const std::string& name, hdf5::Type type,
                     hsize_t chunk_rows, std::size_t dimensions = 1);

  /// Number of rows.
  [[nodiscard]] hsize_t rows() const;
  /// Length of the second dimension, 0 without one.
  [[nodiscard]] hsize_t width() const noexcept { return width_; }
  /// Sets the number of rows to `first + count` and writes the last `count` of them from `data`.
  void append(hsize_t first, hsize_t count, const std::byte* data, const MemoryLayout& layout,
              std::vector<std::byte>& scratch) const;
  void read(hsize_t first, hsize_t count, std::byte* data, const MemoryLayout& layout,
            std::vector<std::byte>& scratch) const;
  [[nodiscard]] const hdf5::Dataset& dataset() const noexcept { return dataset_; }

private:
  Series(hdf5::Dataset dataset, hdf5::Type type, hsize_t width)
      : dataset_(std::move(dataset)), type_(type), width_(width) {}
  [[nodiscard]] std::vector<hsize_t> box(hsize_t rows) const;
  hdf5::Dataset dataset_;
  hdf5::Type type_;
  hsize_t width_;  ///< 0 without a second dimension
};

[[nodiscard]] hdf5::Type type_of(ColumnType type) noexcept;

/// Where the values of a column lie in a ResultRow, or in Characteristics.
[[nodiscard]] MemoryLayout layout_of(const Column& column, bool characteristics_only) noexcept;

/// The columns of `columns()`, or of its characteristics only, in one group.
class ColumnSet {
public:
  /// Makes empty columns, attached to the scale of the first dimension and, if `width` is not 0, to
  /// that of the second.
  static ColumnSet create(const hdf5::Location& group, bool characteristics_only,
                          hsize_t chunk_rows, const hdf5::Dataset& scale, hsize_t width,
                          const hdf5::Dataset* second_scale);
  static ColumnSet open(const hdf5::Location& group, bool characteristics_only, hsize_t chunk_rows);

  /// Rows in all columns; throws RunError if they differ.
  [[nodiscard]] hsize_t rows() const;
  /// Length of the second dimension of all columns; throws RunError if they differ.
  [[nodiscard]] hsize_t width() const;
  /// `data` points to ResultRows, or to Characteristics (rows x width) if only those are kept.
  void append(hsize_t first, hsize_t count, const void* data,
              std::vector<std::byte>& scratch) const;
  void read(hsize_t first, hsize_t count, void* data, std::vector<std::byte>& scratch) const;
  [[nodiscard]] std::size_t size() const noexcept { return series_.size(); }
  [[nodiscard]] const Series& at(std::size_t index) const { return series_.at(index).series; }

private:
  struct Entry {
    Series series;
    MemoryLayout layout;
  };
  std::vector<Entry> series_;
};

}  // namespace gridcast::store
