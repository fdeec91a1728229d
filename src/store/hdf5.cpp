#include "gridcast/store/hdf5.h"

#include <array>

#include "hdf5_calls.h"

namespace gridcast::store::hdf5 {
namespace {

hid_t file_type(Type type) noexcept {
  switch (type) {
    case Type::int32:
      return H5T_STD_I32LE;
    case Type::int64:
      return H5T_STD_I64LE;
    default:
      return H5T_IEEE_F64LE;
  }
}

hid_t memory_type(Type type) noexcept {
  switch (type) {
    case Type::int32:
      return H5T_NATIVE_INT32;
    case Type::int64:
      return H5T_NATIVE_INT64;
    default:
      return H5T_NATIVE_DOUBLE;
  }
}

PropertyList property_list(const FileName& file, hid_t kind) {
  return {checked(file, "make a property list", [&] { return H5Pcreate(kind); }), file};
}

PropertyList file_access(const FileName& file) {
  PropertyList access = property_list(file, H5P_FILE_ACCESS);
  checked(file, "switch file locking off",
          [&] { return H5Pset_file_locking(access.id(), false, true); });
  // Since this format HDF5 keeps checksums of its own structures, so that programs that read a
  // store without gridcast notice most damage too. The next format marks open files, and a copy of
  // one cannot be opened.
  checked(file, "choose the file format",
          [&] { return H5Pset_libver_bounds(access.id(), H5F_LIBVER_V18, H5F_LIBVER_V18); });
  return access;
}

PropertyList dataset_creation(const FileName& file, Type type, const Layout& layout) {
  // The fastest level: while rank 0 compresses, it hands out no work.
  constexpr unsigned deflate_level = 1;
  PropertyList creation = property_list(file, H5P_DATASET_CREATE);
  if (layout.chunk.empty()) {
    return creation;
  }
  checked(file, "set the chunk shape", [&] {
    return H5Pset_chunk(creation.id(), static_cast<int>(layout.chunk.size()), layout.chunk.data());
  });
  if (type != Type::string) {
    checked(file, "set shuffle", [&] { return H5Pset_shuffle(creation.id()); });
    checked(file, "set deflate", [&] { return H5Pset_deflate(creation.id(), deflate_level); });
    checked(file, "set fletcher32", [&] { return H5Pset_fletcher32(creation.id()); });
  }
  return creation;
}

PropertyList chunk_cache(const FileName& file, std::size_t bytes) {
  constexpr std::size_t slots = 17;
  PropertyList access = property_list(file, H5P_DATASET_ACCESS);
  checked(file, "set the chunk cache", [&] {
    return H5Pset_chunk_cache(access.id(), slots, bytes, H5D_CHUNK_CACHE_W0_DEFAULT);
  });
  return access;
}

/// The box in the file's dataspace that a transfer touches.
Dataspace selected(const Dataset& dataset, std::span<const hsize_t> start,
                   std::span<const hsize_t> count) {
  const FileName& file = dataset.file();
  Dataspace space(checked(file, "get a dataspace", [&] { return H5Dget_space(dataset.id()); }),
                  file);
  if (H5Sget_simple_extent_ndims(space.id()) != static_cast<int>(start.size())) {
    throw RunError(*file, "a dataset has another number of dimensions than it must have",
                   "the file is damaged; restore it from a copy");
  }
  checked(file, "select rows", [&] {
    return H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                               nullptr);
  });
  return space;
}

/// HDF5 would make numbers of another type fit: 2^62 would become the largest one of 32 bits.
void require_stored_as(const Dataset& dataset, Type type) {
  const FileName& file = dataset.file();
  const Datatype stored(checked(file, "get a type", [&] { return H5Dget_type(dataset.id()); }),
                        file);
  const H5T_class_t kind = type == Type::float64 ? H5T_FLOAT : H5T_INTEGER;
  if (H5Tget_class(stored.id()) != kind || H5Tget_size(stored.id()) != size_of(type) ||
      (kind == H5T_INTEGER && H5Tget_sign(stored.id()) != H5T_SGN_2)) {
    throw RunError(*file, "a dataset has numbers of another type than it must have",
                   "the file is damaged; restore it from a copy");
  }
}

}  // namespace

void leave_open_at_exit() noexcept { H5dont_atexit(); }

void close_quietly(herr_t (*close)(hid_t), hid_t id) noexcept {
  const QuietErrors quiet;
  close(id);
}

std::size_t size_of(Type type) noexcept { return type == Type::int32 ? 4 : 8; }

std::size_t cache_bytes(Type type, std::span<const hsize_t> chunk) noexcept {
  std::size_t bytes = 2 * size_of(type);
  for (const hsize_t length : chunk) {
    bytes *= static_cast<std::size_t>(length);
  }
  return bytes;
}

File create_file(const std::filesystem::path& path) {
  const auto file = std::make_shared<const std::string>(path.string());
  const PropertyList access = file_access(file);
  return {checked(file, "create the file",
                  [&] { return H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()); }),
          file};
}

File open_file(const std::filesystem::path& path, Access mode) {
  const auto file = std::make_shared<const std::string>(path.string());
  const PropertyList access = file_access(file);
  const unsigned flags = mode == Access::read ? H5F_ACC_RDONLY : H5F_ACC_RDWR;
  return {checked(file, "open the file", [&] { return H5Fopen(path.c_str(), flags, access.id()); }),
          file};
}

void flush(const File& file) {
  checked(file.file(), "write the file", [&] { return H5Fflush(file.id(), H5F_SCOPE_LOCAL); });
}

void close(File file) {
  const FileName name = file.file();
  const hid_t id = file.release();
  checked(name, "close the file", [&] { return H5Fclose(id); });
}

Group create_group(const Location& parent, const std::string& name) {
  const FileName& file = parent.file();
  const PropertyList creation = property_list(file, H5P_GROUP_CREATE);
  checked(file, "set the order of " + name, [&] {
    return H5Pset_link_creation_order(creation.id(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  });
  return {checked(file, "create group " + name,
                  [&] {
                    return H5Gcreate2(parent.id(), name.c_str(), H5P_DEFAULT, creation.id(),
                                      H5P_DEFAULT);
                  }),
          file};
}

Group open_group(const Location& parent, const std::string& name) {
  return {checked(parent.file(), "open group " + name,
                  [&] { return H5Gopen2(parent.id(), name.c_str(), H5P_DEFAULT); }),
          parent.file()};
}

bool exists(const Location& parent, const std::string& name) {
  return checked(parent.file(), "look for " + name,
                 [&] { return H5Lexists(parent.id(), name.c_str(), H5P_DEFAULT); }) > 0;
}

void remove(const Location& parent, const std::string& name) {
  checked(parent.file(), "delete " + name,
          [&] { return H5Ldelete(parent.id(), name.c_str(), H5P_DEFAULT); });
}

Dataset create_dataset(const Location& parent, const std::string& name, Type type,
                       const Layout& layout) {
  const FileName& file = parent.file();
  std::vector<hsize_t> limit = layout.shape;
  for (std::size_t dimension = 0; dimension < limit.size(); ++dimension) {
    if (!layout.extendible.empty() && layout.extendible[dimension]) {
      limit[dimension] = H5S_UNLIMITED;
    }
  }
  const Dataspace space = simple_space(file, layout.shape, limit);
  const PropertyList creation = dataset_creation(file, type, layout);
  const PropertyList access = chunk_cache(file, cache_bytes(type, layout.chunk));
  const Datatype strings = type == Type::string ? string_type(file) : Datatype();
  const hid_t stored = type == Type::string ? strings.id() : file_type(type);
  return {checked(file, "create dataset " + name,
                  [&] {
                    return H5Dcreate2(parent.id(), name.c_str(), stored, space.id(), H5P_DEFAULT,
                                      creation.id(), access.id());
                  }),
          file};
}

Dataset open_dataset(const Location& parent, const std::string& name, std::size_t cache_bytes) {
  const FileName& file = parent.file();
  const PropertyList access = chunk_cache(file, cache_bytes);
  return {checked(file, "open dataset " + name,
                  [&] { return H5Dopen2(parent.id(), name.c_str(), access.id()); }),
          file};
}

std::vector<hsize_t> shape(const Dataset& dataset) {
  const FileName& file = dataset.file();
  const Dataspace space(
      checked(file, "get a dataspace", [&] { return H5Dget_space(dataset.id()); }), file);
  const int rank =
      checked(file, "get a shape", [&] { return H5Sget_simple_extent_ndims(space.id()); });
  std::vector<hsize_t> lengths(static_cast<std::size_t>(rank));
  checked(file, "get a shape",
          [&] { return H5Sget_simple_extent_dims(space.id(), lengths.data(), nullptr); });
  return lengths;
}

void set_shape(const Dataset& dataset, std::span<const hsize_t> shape) {
  checked(dataset.file(), "extend a dataset",
          [&] { return H5Dset_extent(dataset.id(), shape.data()); });
}

void write(const Dataset& dataset, Type type, std::span<const hsize_t> start,
           std::span<const hsize_t> count, const void* data) {
  const FileName& file = dataset.file();
  const Dataspace target = selected(dataset, start, count);
  const Dataspace memory = simple_space(file, count, {});
  checked(file, "write rows", [&] {
    return H5Dwrite(dataset.id(), memory_type(type), memory.id(), target.id(), H5P_DEFAULT, data);
  });
}

void read(const Dataset& dataset, Type type, std::span<const hsize_t> start,
          std::span<const hsize_t> count, void* data) {
  const FileName& file = dataset.file();
  const Dataspace source = selected(dataset, start, count);
  require_stored_as(dataset, type);
  require_whole_chunks(dataset, start, count);
  const Dataspace memory = simple_space(file, count, {});
  checked(file, "read rows", [&] {
    return H5Dread(dataset.id(), memory_type(type), memory.id(), source.id(), H5P_DEFAULT, data);
  });
}

void write_strings(const Dataset& dataset, std::span<const std::string> values) {
  const std::array<hsize_t, 1> length{values.size()};
  set_shape(dataset, length);
  if (values.empty()) {
    return;
  }
  const Datatype type = string_type(dataset.file());
  const std::vector<const char*> data = pointers(values);
  checked(dataset.file(), "write strings", [&] {
    return H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, data.data());
  });
}

std::vector<std::string> read_strings(const Dataset& dataset) {
  const std::vector<hsize_t> lengths = shape(dataset);
  if (lengths.size() != 1) {
    throw RunError(*dataset.file(), "texts have another number of dimensions than they must have",
                   "the file is damaged; restore it from a copy");
  }
  const auto count = static_cast<std::size_t>(lengths[0]);
  require_whole_chunks(dataset, std::array<hsize_t, 1>{0}, lengths);
  require_texts_within(dataset.file(), dataset.id(), count, [&](hid_t type, void* data) {
    return H5Dread(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  });
  ReadStrings strings(count);
  if (count > 0) {
    const Datatype type = string_type(dataset.file());
    checked(dataset.file(), "read strings", [&] {
      return H5Dread(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, strings.data());
    });
  }
  return strings.take();
}

}  // namespace gridcast::store::hdf5
