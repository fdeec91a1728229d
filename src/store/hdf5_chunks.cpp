/// Chunks as they lie in a file, before HDF5 takes them apart. HDF5 trusts that a chunk is as long
/// as its shape after the filters, and reads beyond one that is shorter.

#include <zlib.h>

#include <array>

#include "gridcast/store/hdf5.h"
#include "hdf5_calls.h"

namespace gridcast::store::hdf5 {
namespace {

constexpr std::size_t checksum_bytes = 4;
constexpr std::size_t most_chunk_dimensions = 2;

/// How the chunks of a dataset are stored.
class StoredChunks {
public:
  explicit StoredChunks(const Dataset& dataset)
      : dataset_(dataset),
        creation_(checked(dataset.file(), "get properties",
                          [&] { return H5Dget_create_plist(dataset.id()); }),
                  dataset.file()) {
    if (H5Pget_layout(creation_.id()) != H5D_CHUNKED) {
      return;
    }
    rank_ = H5Pget_chunk(creation_.id(), most_chunk_dimensions, shape_.data());
    const Datatype type(
        checked(dataset.file(), "get a type", [&] { return H5Dget_type(dataset.id()); }),
        dataset.file());
    bytes_ = H5Tis_variable_str(type.id()) > 0 ? 16 : H5Tget_size(type.id());
    for (int dim = 0; dim < rank_; ++dim) {
      bytes_ *= static_cast<std::size_t>(shape_[static_cast<std::size_t>(dim)]);
    }
    const int filters = H5Pget_nfilters(creation_.id());
    for (int i = 0; i < filters; ++i) {
      unsigned flags = 0;
      std::size_t values = 0;
      filters_.push_back(H5Pget_filter2(creation_.id(), static_cast<unsigned>(i), &flags, &values,
                                        nullptr, 0, nullptr, nullptr));
    }
  }

  /// Every chunk of the box.
  void require_whole(std::span<const hsize_t> start, std::span<const hsize_t> count) {
    if (rank_ != static_cast<int>(start.size())) {
      return;  // not in chunks; the rank itself is looked at where the box is selected
    }
    std::array<hsize_t, most_chunk_dimensions> first{0, 0};
    std::array<hsize_t, most_chunk_dimensions> end{1, 1};
    for (std::size_t dim = 0; dim < start.size(); ++dim) {
      first[dim] = start[dim] / shape_[dim] * shape_[dim];
      end[dim] = start[dim] + count[dim];
    }
    for (hsize_t row = first[0]; row < end[0]; row += shape_[0]) {
      for (hsize_t column = first[1]; column < end[1]; column += shape_[1]) {
        require_whole_chunk({row, column});
      }
    }
  }

private:
  void require_whole_chunk(const std::array<hsize_t, most_chunk_dimensions>& place) {
    const FileName& file = dataset_.file();
    hsize_t size = 0;
    checked(file, "find a chunk",
            [&] { return H5Dget_chunk_storage_size(dataset_.id(), place.data(), &size); });
    stored_.resize(static_cast<std::size_t>(size));
    std::uint32_t left_out = 0;
    if (!stored_.empty() && !filters_.empty()) {
      checked(file, "read a chunk", [&] {
        return H5Dread_chunk(dataset_.id(), H5P_DEFAULT, place.data(), &left_out, stored_.data());
      });
    }
    if (unfiltered_bytes(left_out) != bytes_) {
      throw RunError(*file, "a chunk is not as long as its values",
                     "the file is damaged; restore it from a copy");
    }
  }

  /// Length of the chunk in `stored_` without its filters; 0 if they cannot be undone.
  std::size_t unfiltered_bytes(std::uint32_t left_out) {
    std::size_t length = stored_.size();
    for (std::size_t i = filters_.size(); i-- > 0;) {
      if ((left_out >> i & 1U) != 0) {
        continue;
      }
      if (filters_[i] == H5Z_FILTER_FLETCHER32) {
        length = length < checksum_bytes ? 0 : length - checksum_bytes;
      } else if (filters_[i] == H5Z_FILTER_DEFLATE) {
        values_.resize(bytes_);
        uLongf room = static_cast<uLongf>(bytes_);
        const int code =
            uncompress(reinterpret_cast<Bytef*>(values_.data()), &room,
                       reinterpret_cast<const Bytef*>(stored_.data()), static_cast<uLong>(length));
        length = code == Z_OK ? static_cast<std::size_t>(room) : 0;
      }
    }
    return length;
  }

  const Dataset& dataset_;
  PropertyList creation_;
  int rank_ = 0;  ///< 0: not in chunks
  std::array<hsize_t, most_chunk_dimensions> shape_{1, 1};
  std::size_t bytes_ = 0;              ///< of a chunk without filters
  std::vector<H5Z_filter_t> filters_;  ///< in the order in which they were applied
  std::vector<std::byte> stored_;
  std::vector<std::byte> values_;
};

}  // namespace

void require_whole_chunks(const Dataset& dataset, std::span<const hsize_t> start,
                          std::span<const hsize_t> count) {
  StoredChunks(dataset).require_whole(start, count);
}

}  // namespace gridcast::store::hdf5
