/// What a file may consist of, before anything in it is read.

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "gridcast/base/printable.h"
#include "gridcast/store/hdf5.h"
#include "hdf5_calls.h"

namespace gridcast::store::hdf5 {
namespace {

constexpr hsize_t largest_chunk_bytes = hsize_t{1} << 26U;
constexpr int most_dimensions = 2;

[[noreturn]] void refuse_contents(const FileName& file, const std::string& name,
                                  const std::string& what) {
  throw RunError(*file, printable(name) + " " + what,
                 "no store of gridcast has that; restore it from a copy");
}

hsize_t size_of_file(const FileName& file, hid_t object) {
  const File own(checked(file, "find the file", [&] { return H5Iget_file_id(object); }), file);
  hsize_t size = 0;
  checked(file, "get the file's size", [&] { return H5Fget_filesize(own.id(), &size); });
  return size;
}

/// Product of lengths, the largest number if it is larger.
hsize_t volume(std::span<const hsize_t> lengths, hsize_t unit) {
  hsize_t product = unit;
  for (const hsize_t length : lengths) {
    if (length != 0 && product > std::numeric_limits<hsize_t>::max() / length) {
      return std::numeric_limits<hsize_t>::max();
    }
    product *= length;
  }
  return product;
}

struct LinkName {
  std::string name;
  H5L_type_t kind = H5L_TYPE_ERROR;
};

herr_t note_link(hid_t, const char* name, const H5L_info_t* about, void* names) {
  static_cast<std::vector<LinkName>*>(names)->push_back({name, about->type});
  return 0;
}

/// Looks at everything in a file, group by group.
class Contents {
public:
  Contents(const hdf5::File& file, std::initializer_list<std::string_view> groups)
      : root_(file),
        groups_(groups),
        name_(file.file()),
        file_bytes_(size_of_file(name_, file.id())) {}

  void require_own() {
    inspect_group(root_.id(), "/", true);
    if (stored_ > file_bytes_) {
      refuse_contents(name_, "the file", "says that it stores more than it is large");
    }
  }

private:
  void inspect_group(hid_t group, const std::string& path, bool is_root) {
    std::vector<LinkName> links;
    hsize_t begin = 0;
    checked(name_, "list " + printable(path), [&] {
      return H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, &begin, note_link, &links);
    });
    for (const LinkName& link : links) {
      if (is_root && groups_.size() > 0 && std::ranges::count(groups_, link.name) == 0) {
        continue;
      }
      const std::string place = path + link.name;
      if (link.kind != H5L_TYPE_HARD) {
        refuse_contents(name_, place, "is a link to another place or file");
      }
      inspect_object(group, link.name, place, is_root);
    }
  }

  void inspect_object(hid_t group, const std::string& name, const std::string& place,
                      bool may_be_group) {
    H5O_info_t about{};
    checked(name_, "inspect " + printable(place), [&] {
      return H5Oget_info_by_name2(group, name.c_str(), &about, H5O_INFO_BASIC, H5P_DEFAULT);
    });
    if (about.rc != 1) {
      refuse_contents(name_, place, "has several names");
    }
    if (about.type == H5O_TYPE_DATASET) {
      inspect_dataset(Dataset(checked(name_, "open " + printable(place),
                                      [&] { return H5Dopen2(group, name.c_str(), H5P_DEFAULT); }),
                              name_),
                      place);
    } else if (about.type == H5O_TYPE_GROUP && may_be_group) {
      const Group inner(checked(name_, "open " + printable(place),
                                [&] { return H5Gopen2(group, name.c_str(), H5P_DEFAULT); }),
                        name_);
      inspect_group(inner.id(), place + "/", false);
    } else {
      refuse_contents(name_, place, "is neither a dataset nor a group of datasets");
    }
  }

  void inspect_dataset(const Dataset& dataset, const std::string& place) {
    const Dataspace space(
        checked(name_, "get a dataspace", [&] { return H5Dget_space(dataset.id()); }), name_);
    const int rank = H5Sget_simple_extent_ndims(space.id());
    if (H5Sget_simple_extent_type(space.id()) != H5S_SIMPLE || rank < 1 || rank > most_dimensions) {
      refuse_contents(name_, place, "is neither a list nor a table");
    }
    const Datatype type(checked(name_, "get a type", [&] { return H5Dget_type(dataset.id()); }),
                        name_);
    const bool texts = H5Tis_variable_str(type.id()) > 0;
    const H5T_class_t kind = H5Tget_class(type.id());
    const std::size_t value_bytes = H5Tget_size(type.id());
    if (!texts && ((kind != H5T_INTEGER && kind != H5T_FLOAT) || value_bytes > 8)) {
      refuse_contents(name_, place, "holds neither numbers nor texts");
    }
    const PropertyList creation(
        checked(name_, "get properties", [&] { return H5Dget_create_plist(dataset.id()); }), name_);
    require_own_storage(creation, place, texts);
    // A text is a reference of 16 bytes in the file.
    inspect_storage(dataset, space, creation, place, texts ? 16 : value_bytes);
  }

  void require_own_storage(const PropertyList& creation, const std::string& place, bool texts) {
    const H5D_layout_t layout = H5Pget_layout(creation.id());
    if (H5Pget_external_count(creation.id()) != 0 || layout == H5D_VIRTUAL ||
        (layout != H5D_CHUNKED && layout != H5D_CONTIGUOUS && layout != H5D_COMPACT)) {
      refuse_contents(name_, place, "has its values in another file");
    }
    const int filters = H5Pget_nfilters(creation.id());
    for (int i = 0; i < filters; ++i) {
      unsigned flags = 0;
      std::size_t values = 0;
      const H5Z_filter_t filter = H5Pget_filter2(creation.id(), static_cast<unsigned>(i), &flags,
                                                 &values, nullptr, 0, nullptr, nullptr);
      const bool known = filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_DEFLATE ||
                         filter == H5Z_FILTER_FLETCHER32;
      if (!known || texts || filters > 3) {
        refuse_contents(name_, place, "has a filter that the store does not use");
      }
    }
  }

  void inspect_storage(const Dataset& dataset, const Dataspace& space, const PropertyList& creation,
                       const std::string& place, hsize_t value_bytes) {
    const std::vector<hsize_t> lengths = shape(dataset);
    const hsize_t bytes = volume(lengths, value_bytes);
    const hsize_t stored = H5Dget_storage_size(dataset.id());
    stored_ += std::min(stored, file_bytes_ + 1);
    if (H5Pget_layout(creation.id()) != H5D_CHUNKED) {
      const haddr_t begin = H5Dget_offset(dataset.id());
      const bool compact = H5Pget_layout(creation.id()) == H5D_COMPACT;
      if (bytes > file_bytes_ ||
          (bytes > 0 && !compact && (begin == HADDR_UNDEF || begin > file_bytes_ - bytes))) {
        refuse_contents(name_, place, "is longer than the file");
      }
      return;
    }
    std::array<hsize_t, most_dimensions> chunk{1, 1};
    const int rank = H5Pget_chunk(creation.id(), most_dimensions, chunk.data());
    const auto chunk_shape = std::span(chunk).first(lengths.size());
    hsize_t expected = 1;
    for (std::size_t dim = 0; dim < lengths.size(); ++dim) {
      const bool none = lengths[dim] == 0 || chunk[dim] == 0;
      const hsize_t count = none ? 0 : (lengths[dim] - 1) / chunk[dim] + 1;
      expected = volume(std::array<hsize_t, 1>{count}, expected);
    }
    hsize_t present = 0;
    checked(name_, "count the chunks of " + printable(place),
            [&] { return H5Dget_num_chunks(dataset.id(), space.id(), &present); });
    if (rank != static_cast<int>(lengths.size()) ||
        volume(chunk_shape, value_bytes) > largest_chunk_bytes) {
      refuse_contents(name_, place, "has impossible chunks");
    }
    // What is not compressed lies in the file as it is.
    const bool plain = H5Pget_nfilters(creation.id()) == 0;
    if (present != expected || stored > file_bytes_ ||
        (plain &&
         stored != volume(std::array<hsize_t, 1>{expected}, volume(chunk_shape, value_bytes)))) {
      refuse_contents(name_, place, "says that it has values that the file does not store");
    }
  }

  const hdf5::File& root_;
  std::initializer_list<std::string_view> groups_;  ///< to look at; empty: all
  FileName name_;
  hsize_t file_bytes_;
  hsize_t stored_ = 0;  ///< bytes of all datasets so far
};

/// How HDF5 stores a text of variable length: its length, and where it lies.
struct StoredText {
  std::uint32_t length;
  std::array<std::byte, 12> place;
};
static_assert(sizeof(StoredText) == 16);

/// Texts "converted" to StoredText stay as the file has them, so that nothing is allocated.
herr_t keep_as_stored(hid_t from, hid_t to, H5T_cdata_t* data, std::size_t, std::size_t,
                      std::size_t, void*, void*, hid_t) {
  if (data->command == H5T_CONV_INIT) {
    data->need_bkg = H5T_BKG_NO;
    return H5Tis_variable_str(from) > 0 && H5Tget_size(to) == sizeof(StoredText) ? 0 : -1;
  }
  return 0;
}

/// Lets HDF5 know keep_as_stored while it lives.
class RawTexts {
public:
  explicit RawTexts(const FileName& file)
      : text_(string_type(file)),
        raw_(checked(file, "make a type", [] { return H5Tcreate(H5T_OPAQUE, sizeof(StoredText)); }),
             file) {
    checked(file, "read texts as they are stored", [&] {
      return H5Tregister(H5T_PERS_SOFT, name, text_.id(), raw_.id(), keep_as_stored);
    });
  }
  RawTexts(const RawTexts&) = delete;
  RawTexts& operator=(const RawTexts&) = delete;
  ~RawTexts() {
    const QuietErrors quiet;
    H5Tunregister(H5T_PERS_SOFT, name, text_.id(), raw_.id(), keep_as_stored);
  }
  [[nodiscard]] hid_t type() const noexcept { return raw_.id(); }

private:
  static constexpr const char* name = "gridcast: texts as stored";
  Datatype text_;
  Datatype raw_;
};

}  // namespace

void require_own_contents(const File& file, std::initializer_list<std::string_view> groups) {
  const QuietErrors quiet;
  Contents(file, groups).require_own();
}

void require_texts_within(const FileName& file, hid_t object, std::size_t count,
                          const ReadTexts& read) {
  const hsize_t limit = size_of_file(file, object);
  if (count > limit / sizeof(StoredText)) {
    refuse_contents(file, "a list of texts", "is longer than the file");
  }
  if (count == 0) {
    return;
  }
  const RawTexts raw(file);
  std::vector<StoredText> texts(count);
  checked(file, "read texts", [&] { return read(raw.type(), texts.data()); });
  hsize_t bytes = 0;
  for (const StoredText& text : texts) {
    bytes += text.length;
  }
  if (bytes > limit) {
    refuse_contents(file, "a list of texts", "is longer than the file");
  }
}

}  // namespace gridcast::store::hdf5
