#include "columns.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"

namespace gridcast::store {
namespace {

template <std::size_t Size>
void gather(const std::byte* from, std::size_t stride, std::size_t count, std::byte* to) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(to + i * Size, from + i * stride, Size);
  }
}

/// Columns of a group are as long as each other.
void require_alike(const Series& series, hsize_t length, hsize_t of_first) {
  if (length != of_first) {
    throw RunError(*series.dataset().file(), "its columns have different lengths",
                   "the file is damaged; restore it from a copy");
  }
}

template <std::size_t Size>
void scatter(const std::byte* from, std::size_t count, std::byte* to, std::size_t stride) {
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(to + i * stride, from + i * Size, Size);
  }
}

/// Copies `count` values of `layout.size` bytes to their places in elements of a larger stride.
void scatter_values(const std::byte* from, std::size_t count, std::byte* to,
                    const MemoryLayout& layout) noexcept {
  if (layout.size == 4) {
    scatter<4>(from, count, to + layout.offset, layout.stride);
  } else {
    scatter<8>(from, count, to + layout.offset, layout.stride);
  }
}

}  // namespace

MemoryLayout layout_of(const Column& column, bool characteristics_only) noexcept {
  if (characteristics_only) {
    return {sizeof(model::Characteristics), column.offset - offsetof(ResultRow, characteristics),
            column.size()};
  }
  return {sizeof(ResultRow), column.offset, column.size()};
}

hdf5::Type type_of(ColumnType type) noexcept {
  switch (type) {
    case ColumnType::int32:
      return hdf5::Type::int32;
    case ColumnType::int64:
      return hdf5::Type::int64;
    default:
      return hdf5::Type::float64;
  }
}

Series Series::create(const hdf5::Location& group, const Label& label, hdf5::Type type,
                      hsize_t chunk_rows, hsize_t width) {
  hdf5::Layout layout{{0}, {chunk_rows}, {true}};
  if (width > 0) {
    layout = {{0, width}, {chunk_rows, width}, {true, false}};
  }
  hdf5::Dataset dataset = hdf5::create_dataset(group, label.name, type, layout);
  hdf5::write_attribute(dataset, "units", label.units);
  hdf5::write_attribute(dataset, "long_name", label.long_name);
  return {std::move(dataset), type, width};
}

Series Series::open(const hdf5::Location& group, const std::string& name, hdf5::Type type,
                    hsize_t chunk_rows, std::size_t dimensions) {
  constexpr std::size_t wide_chunk = std::size_t{1} << 20U;
  const std::size_t cache =
      std::min(wide_chunk, hdf5::cache_bytes(type, std::array<hsize_t, 1>{chunk_rows}));
  hdf5::Dataset dataset = hdf5::open_dataset(group, name, cache);
  const std::vector<hsize_t> shape = hdf5::shape(dataset);
  if (shape.size() != dimensions) {
    throw RunError(*group.file(), "column " + printable(name) + " has another shape than columns",
                   "the file is damaged; restore it from a copy");
  }
  return {std::move(dataset), type, dimensions > 1 ? shape[1] : 0};
}

std::vector<hsize_t> Series::box(hsize_t rows) const {
  return width_ == 0 ? std::vector<hsize_t>{rows} : std::vector<hsize_t>{rows, width_};
}

hsize_t Series::rows() const { return hdf5::shape(dataset_)[0]; }

void Series::append(hsize_t first, hsize_t count, const std::byte* data, const MemoryLayout& layout,
                    std::vector<std::byte>& scratch) const {
  hdf5::set_shape(dataset_, box(first + count));
  if (count == 0) {
    return;
  }
  const auto values = static_cast<std::size_t>(count * std::max<hsize_t>(width_, 1));
  scratch.resize(values * layout.size);
  if (layout.size == 4) {
    gather<4>(data + layout.offset, layout.stride, values, scratch.data());
  } else {
    gather<8>(data + layout.offset, layout.stride, values, scratch.data());
  }
  std::vector<hsize_t> start = box(first);
  start.back() = width_ == 0 ? first : 0;
  hdf5::write(dataset_, type_, start, box(count), scratch.data());
}

void Series::read(hsize_t first, hsize_t count, std::byte* data, const MemoryLayout& layout,
                  std::vector<std::byte>& scratch) const {
  if (count == 0) {
    return;
  }
  const auto values = static_cast<std::size_t>(count * std::max<hsize_t>(width_, 1));
  scratch.resize(values * layout.size);
  std::vector<hsize_t> start = box(first);
  start.back() = width_ == 0 ? first : 0;
  hdf5::read(dataset_, type_, start, box(count), scratch.data());
  scatter_values(scratch.data(), values, data, layout);
}

ColumnSet ColumnSet::create(const hdf5::Location& group, bool characteristics_only,
                            hsize_t chunk_rows, const hdf5::Dataset& scale, hsize_t width,
                            const hdf5::Dataset* second_scale) {
  ColumnSet set;
  for (const Column& column : columns()) {
    if (characteristics_only && !column.is_characteristic) {
      continue;
    }
    Series series = Series::create(group, {column.name, column.units, column.long_name},
                                   type_of(column.type), chunk_rows, width);
    if (!column.flag_values.empty()) {
      hdf5::write_attribute(series.dataset(), "flag_values",
                            std::span<const std::int32_t>(column.flag_values));
      hdf5::write_attribute(series.dataset(), "flag_meanings", column.flag_meanings);
    }
    hdf5::attach_scale(series.dataset(), scale, 0);
    if (second_scale != nullptr) {
      hdf5::attach_scale(series.dataset(), *second_scale, 1);
    }
    set.series_.push_back({std::move(series), layout_of(column, characteristics_only)});
  }
  return set;
}

ColumnSet ColumnSet::open(const hdf5::Location& group, bool characteristics_only,
                          hsize_t chunk_rows) {
  ColumnSet set;
  for (const Column& column : columns()) {
    if (!characteristics_only || column.is_characteristic) {
      const std::size_t dimensions = characteristics_only ? 2 : 1;
      set.series_.push_back(
          {Series::open(group, column.name, type_of(column.type), chunk_rows, dimensions),
           layout_of(column, characteristics_only)});
    }
  }
  return set;
}

hsize_t ColumnSet::rows() const {
  const Entry& first = series_.front();
  for (const Entry& entry : series_) {
    require_alike(entry.series, entry.series.rows(), first.series.rows());
  }
  return first.series.rows();
}

hsize_t ColumnSet::width() const {
  const Entry& first = series_.front();
  for (const Entry& entry : series_) {
    require_alike(entry.series, entry.series.width(), first.series.width());
  }
  return first.series.width();
}

void ColumnSet::append(hsize_t first, hsize_t count, const void* data,
                       std::vector<std::byte>& scratch) const {
  for (const Entry& entry : series_) {
    entry.series.append(first, count, static_cast<const std::byte*>(data), entry.layout, scratch);
  }
}

void ColumnSet::read(hsize_t first, hsize_t count, void* data,
                     std::vector<std::byte>& scratch) const {
  for (const Entry& entry : series_) {
    entry.series.read(first, count, static_cast<std::byte*>(data), entry.layout, scratch);
  }
}

}  // namespace gridcast::store
