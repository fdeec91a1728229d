#pragma once
/// Internal: columns of the groups /front and /proof, which are written and read whole.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/store/hdf5.h"

namespace gridcast::store {

template <class Number>
constexpr hdf5::Type whole_type = std::is_same_v<Number, double>         ? hdf5::Type::float64
                                  : std::is_same_v<Number, std::int64_t> ? hdf5::Type::int64
                                                                         : hdf5::Type::int32;

/// `width` numbers per entry, in a row.
template <class Number>
hdf5::Dataset write_whole(const hdf5::Group& group, const std::string& name,
                          const std::vector<Number>& values, hsize_t width = 1) {
  constexpr hsize_t entries_per_chunk = 4096;
  const hsize_t entries = values.size() / width;
  hdf5::Layout layout{{entries}, {std::clamp<hsize_t>(entries, 1, entries_per_chunk)}, {true}};
  if (width > 1) {
    layout.shape.push_back(width);
    layout.chunk.push_back(width);
    layout.extendible.push_back(false);
  }
  hdf5::Dataset dataset = hdf5::create_dataset(group, name, whole_type<Number>, layout);
  if (!values.empty()) {
    const std::vector<hsize_t> start(layout.shape.size(), 0);
    hdf5::write(dataset, whole_type<Number>, start, layout.shape, values.data());
  }
  return dataset;
}

/// The numbers of all entries of a column of the group `path`. Throws RunError if they are not
/// `entries` of `width` numbers, or too many.
template <class Number>
std::vector<Number> read_whole(const hdf5::Group& group, const std::string& path,
                               const std::string& name, std::optional<hsize_t> entries,
                               hsize_t width = 1) {
  constexpr hsize_t most_entries = hsize_t{1} << 28U;
  const hdf5::Dataset dataset = hdf5::open_dataset(group, name, 0);
  const std::vector<hsize_t> shape = hdf5::shape(dataset);
  if (shape.size() != (width > 1 ? 2 : 1) || shape.back() != (width > 1 ? width : shape[0]) ||
      shape[0] != entries.value_or(shape[0]) || shape[0] > most_entries) {
    throw RunError(*group.file(), path + "/" + name + " has another length than expected",
                   "delete the group " + path + ", or use store repair");
  }
  std::vector<Number> values(shape[0] * width);
  if (!values.empty()) {
    const std::vector<hsize_t> start(shape.size(), 0);
    hdf5::read(dataset, whole_type<Number>, start, shape, values.data());
  }
  return values;
}

}  // namespace gridcast::store
