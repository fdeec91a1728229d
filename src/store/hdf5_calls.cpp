#include "hdf5_calls.h"

#include <algorithm>

namespace gridcast::store::hdf5 {
namespace {

herr_t take_innermost(unsigned, const H5E_error2_t* error, void* data) {
  if (error->desc != nullptr) {
    *static_cast<std::string*>(data) = error->desc;
  }
  return 1;
}

}  // namespace

std::string cause() {
  std::string text;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, &text);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? "HDF5 gives no reason" : text;
}

Datatype string_type(const FileName& file) {
  Datatype type(checked(file, "make a string type", [] { return H5Tcopy(H5T_C_S1); }), file);
  checked(file, "make a string type", [&] { return H5Tset_size(type.id(), H5T_VARIABLE); });
  checked(file, "make a string type", [&] { return H5Tset_cset(type.id(), H5T_CSET_UTF8); });
  return type;
}

Dataspace scalar_space(const FileName& file) {
  return {checked(file, "make a dataspace", [] { return H5Screate(H5S_SCALAR); }), file};
}

Dataspace simple_space(const FileName& file, std::span<const hsize_t> shape,
                       std::span<const hsize_t> limit) {
  return {checked(file, "make a dataspace",
                  [&] {
                    return H5Screate_simple(static_cast<int>(shape.size()), shape.data(),
                                            limit.empty() ? nullptr : limit.data());
                  }),
          file};
}

std::vector<const char*> pointers(std::span<const std::string> values) {
  std::vector<const char*> result;
  result.reserve(values.size());
  for (const std::string& value : values) {
    result.push_back(value.c_str());
  }
  return result;
}

}  // namespace gridcast::store::hdf5
