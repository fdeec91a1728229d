/// Attributes of HDF5 objects and dimension scales.

#include <hdf5_hl.h>

#include <array>

#include "gridcast/store/hdf5.h"
#include "hdf5_calls.h"

namespace gridcast::store::hdf5 {
namespace {

Attribute new_attribute(const Location& owner, const std::string& name, hid_t type,
                        const Dataspace& space) {
  if (has_attribute(owner, name)) {
    checked(owner.file(), "replace attribute " + name,
            [&] { return H5Adelete(owner.id(), name.c_str()); });
  }
  return {checked(owner.file(), "create attribute " + name,
                  [&] {
                    return H5Acreate2(owner.id(), name.c_str(), type, space.id(), H5P_DEFAULT,
                                      H5P_DEFAULT);
                  }),
          owner.file()};
}

Attribute open_attribute(const Location& owner, const std::string& name) {
  return {checked(owner.file(), "open attribute " + name,
                  [&] { return H5Aopen(owner.id(), name.c_str(), H5P_DEFAULT); }),
          owner.file()};
}

std::vector<std::string> read_string_values(const Location& owner, const std::string& name) {
  const Attribute attribute = open_attribute(owner, name);
  const FileName& file = owner.file();
  const Dataspace space(
      checked(file, "read attribute " + name, [&] { return H5Aget_space(attribute.id()); }), file);
  const auto count = checked(file, "read attribute " + name,
                             [&] { return H5Sget_simple_extent_npoints(space.id()); });
  require_texts_within(file, owner.id(), static_cast<std::size_t>(count),
                       [&](hid_t type, void* data) { return H5Aread(attribute.id(), type, data); });
  const Datatype type = string_type(file);
  ReadStrings strings(static_cast<std::size_t>(count));
  if (count > 0) {
    checked(file, "read attribute " + name,
            [&] { return H5Aread(attribute.id(), type.id(), strings.data()); });
  }
  return strings.take();
}

}  // namespace

void write_attribute(const Location& owner, const std::string& name, std::string_view value) {
  const std::string text(value);
  const char* const data = text.c_str();
  const Datatype type = string_type(owner.file());
  const Attribute attribute = new_attribute(owner, name, type.id(), scalar_space(owner.file()));
  checked(owner.file(), "write attribute " + name,
          [&] { return H5Awrite(attribute.id(), type.id(), &data); });
}

void write_attribute(const Location& owner, const std::string& name, std::int64_t value) {
  const Attribute attribute = new_attribute(owner, name, H5T_STD_I64LE, scalar_space(owner.file()));
  checked(owner.file(), "write attribute " + name,
          [&] { return H5Awrite(attribute.id(), H5T_NATIVE_INT64, &value); });
}

void write_attribute(const Location& owner, const std::string& name,
                     std::span<const std::int32_t> values) {
  const std::array<hsize_t, 1> length{values.size()};
  const Attribute attribute =
      new_attribute(owner, name, H5T_STD_I32LE, simple_space(owner.file(), length, {}));
  checked(owner.file(), "write attribute " + name,
          [&] { return H5Awrite(attribute.id(), H5T_NATIVE_INT32, values.data()); });
}

void write_attribute(const Location& owner, const std::string& name,
                     std::span<const std::string> values) {
  const std::array<hsize_t, 1> length{values.size()};
  const Datatype type = string_type(owner.file());
  const Attribute attribute =
      new_attribute(owner, name, type.id(), simple_space(owner.file(), length, {}));
  if (values.empty()) {
    return;
  }
  const std::vector<const char*> data = pointers(values);
  checked(owner.file(), "write attribute " + name,
          [&] { return H5Awrite(attribute.id(), type.id(), data.data()); });
}

bool has_attribute(const Location& owner, const std::string& name) {
  return checked(owner.file(), "look for attribute " + name,
                 [&] { return H5Aexists(owner.id(), name.c_str()); }) > 0;
}

std::string read_string_attribute(const Location& owner, const std::string& name) {
  const std::vector<std::string> values = read_string_values(owner, name);
  return values.empty() ? std::string() : values.front();
}

std::int64_t read_integer_attribute(const Location& owner, const std::string& name) {
  const Attribute attribute = open_attribute(owner, name);
  const Dataspace space(
      checked(owner.file(), "read attribute " + name, [&] { return H5Aget_space(attribute.id()); }),
      owner.file());
  if (H5Sget_simple_extent_npoints(space.id()) != 1) {
    throw RunError(*owner.file(), "attribute " + name + " is not one number",
                   "the file is damaged; restore it from a copy");
  }
  std::int64_t value = 0;
  checked(owner.file(), "read attribute " + name,
          [&] { return H5Aread(attribute.id(), H5T_NATIVE_INT64, &value); });
  return value;
}

std::vector<std::string> read_strings_attribute(const Location& owner, const std::string& name) {
  return read_string_values(owner, name);
}

void make_scale(const Dataset& dataset, const std::string& name) {
  checked(dataset.file(), "make a dimension scale",
          [&] { return H5DSset_scale(dataset.id(), name.c_str()); });
}

void attach_scale(const Dataset& dataset, const Dataset& scale, unsigned dimension) {
  checked(dataset.file(), "attach a dimension scale",
          [&] { return H5DSattach_scale(dataset.id(), scale.id(), dimension); });
}

}  // namespace gridcast::store::hdf5
