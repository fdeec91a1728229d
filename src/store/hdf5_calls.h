#pragma once
/// What every call of HDF5 needs: failures as errors, types, strings.

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/store/hdf5.h"

namespace gridcast::store::hdf5 {

/// Switches HDF5's error printing off for the calling thread while it lives.
class QuietErrors {
public:
  QuietErrors() noexcept {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  QuietErrors(const QuietErrors&) = delete;
  QuietErrors& operator=(const QuietErrors&) = delete;
  ~QuietErrors() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// The innermost message of HDF5's error stack: the cause, on one line.
std::string cause();

/// Calls HDF5 and throws if it reports a failure; `what` completes "cannot …".
template <typename Call>
auto checked(const FileName& file, std::string_view what, Call&& call) {
  const QuietErrors quiet;
  const auto result = call();
  if (result < 0) {
    throw RunError(*file, "cannot " + std::string(what) + ": " + cause(),
                   "HDF5 failed; is the disk full or the file damaged?");
  }
  return result;
}

/// Strings of any length in UTF-8.
Datatype string_type(const FileName& file);
Dataspace scalar_space(const FileName& file);
/// Without a limit the space cannot grow.
Dataspace simple_space(const FileName& file, std::span<const hsize_t> shape,
                       std::span<const hsize_t> limit);

/// Frees the strings that HDF5 allocated while reading.
class ReadStrings {
public:
  explicit ReadStrings(std::size_t count) : pointers_(count, nullptr) {}
  ReadStrings(const ReadStrings&) = delete;
  ReadStrings& operator=(const ReadStrings&) = delete;
  ~ReadStrings() {
    for (char* const pointer : pointers_) {
      if (pointer != nullptr) {
        H5free_memory(pointer);
      }
    }
  }
  [[nodiscard]] char** data() noexcept { return pointers_.data(); }
  [[nodiscard]] std::vector<std::string> take() const {
    std::vector<std::string> values;
    values.reserve(pointers_.size());
    for (const char* const pointer : pointers_) {
      values.emplace_back(pointer == nullptr ? "" : pointer);
    }
    return values;
  }

private:
  std::vector<char*> pointers_;
};

/// Reads `count` texts of an object in the file into memory of `type`, as H5Dread or H5Aread do.
using ReadTexts = std::function<herr_t(hid_t type, void* data)>;
/// Throws RunError if the texts are together longer than the file of `object`: HDF5 would allocate
/// memory for each of many references to one long text.
void require_texts_within(const FileName& file, hid_t object, std::size_t count,
                          const ReadTexts& read);

/// Throws RunError if a chunk of the box is shorter or longer than its values.
void require_whole_chunks(const Dataset& dataset, std::span<const hsize_t> start,
                          std::span<const hsize_t> count);

/// Of the values, which must live as long.
std::vector<const char*> pointers(std::span<const std::string> values);

}  // namespace gridcast::store::hdf5
