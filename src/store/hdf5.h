#pragma once
/// A small layer over exactly the HDF5 C calls that the store needs. Each function wraps one step,
/// checks it and throws RunError with the file's name and HDF5's own message; handles close
/// themselves. HDF5's habit of printing errors is switched off only around each call and only for
/// the calling thread, so that a program that uses HDF5 for other things sees no change.
/// Nothing above this header calls HDF5 directly.

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gridcast::store::hdf5 {

/// Name of the file that a handle belongs to, for messages.
using FileName = std::shared_ptr<const std::string>;

/// For the beginning of a program: what HDF5 has open when the program ends is left as it is. HDF5
/// would write it once more, and crash where that cannot be done. Programs that use HDF5 for other
/// things may count on it.
void leave_open_at_exit() noexcept;

/// Calls `close` and discards its outcome and its messages: for destructors.
void close_quietly(herr_t (*close)(hid_t), hid_t id) noexcept;

/// Owns one HDF5 identifier; moves, does not copy.
template <herr_t (*Close)(hid_t)>
class Handle {
public:
  Handle() = default;
  Handle(hid_t id, FileName file) noexcept : id_(id), file_(std::move(file)) {}
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), file_(std::move(other.file_)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(file_, other.file_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) {
      close_quietly(Close, id_);
    }
  }

  [[nodiscard]] hid_t id() const noexcept { return id_; }
  [[nodiscard]] const FileName& file() const noexcept { return file_; }
  /// Gives the identifier up without closing it.
  [[nodiscard]] hid_t release() noexcept { return std::exchange(id_, H5I_INVALID_HID); }

private:
  hid_t id_ = H5I_INVALID_HID;
  FileName file_;
};

using File = Handle<H5Fclose>;
using Group = Handle<H5Gclose>;
using Dataset = Handle<H5Dclose>;
using Attribute = Handle<H5Aclose>;
using Dataspace = Handle<H5Sclose>;
using Datatype = Handle<H5Tclose>;
using PropertyList = Handle<H5Pclose>;

/// What attributes hang on and groups lie in: a file (its root), a group or a dataset.
class Location {
public:
  Location(const File& file) : id_(file.id()), file_(file.file()) {}
  Location(const Group& group) : id_(group.id()), file_(group.file()) {}
  Location(const Dataset& dataset) : id_(dataset.id()), file_(dataset.file()) {}
  [[nodiscard]] hid_t id() const noexcept { return id_; }
  [[nodiscard]] const FileName& file() const noexcept { return file_; }

private:
  hid_t id_;
  FileName file_;
};

/// Types of stored values. Files are little-endian; strings are of variable length, UTF-8.
enum class Type : std::uint8_t { int32, int64, float64, string };

/// Bytes of one value in memory; for strings those of a pointer.
[[nodiscard]] std::size_t size_of(Type type) noexcept;

// --- files ---------------------------------------------------------------------------------------
// HDF5's own file locking is off: it fails on some parallel file systems, and the store has its
// lock file and never changes a visible file in place.

/// Creates the file or empties an existing one.
[[nodiscard]] File create_file(const std::filesystem::path& path);
/// What an opened file is used for.
enum class Access : std::uint8_t { read, write };
[[nodiscard]] File open_file(const std::filesystem::path& path, Access access);
/// Throws RunError unless all that the file names lies in it, once, and is not more than it can
/// hold: hard links only, groups with datasets of numbers and texts, no external or virtual ones,
/// no filters but those of the store, every chunk stored, all sizes against that of the file. What
/// is read afterwards takes no other file and no more memory than the file's size allows (deflate:
/// at most 1032 times). With `groups`, of these groups of the root only.
void require_own_contents(const File& file, std::initializer_list<std::string_view> groups = {});
/// Hands everything to the operating system.
void flush(const File& file);
/// Closes with a check, which a destructor cannot do: a full disk may show only now.
void close(File file);

// --- groups and links ----------------------------------------------------------------------------
/// A group that remembers the order in which its members were made.
[[nodiscard]] Group create_group(const Location& parent, const std::string& name);
[[nodiscard]] Group open_group(const Location& parent, const std::string& name);
[[nodiscard]] bool exists(const Location& parent, const std::string& name);
/// Deletes a dataset or group.
void remove(const Location& parent, const std::string& name);

// --- datasets ------------------------------------------------------------------------------------
/// How a dataset is laid out: current shape, chunk shape; every dimension whose `extendible` is set
/// may grow without limit. Numbers get shuffle, deflate and fletcher32. Without chunks the values
/// lie in one piece as they are.
struct Layout {
  std::vector<hsize_t> shape;
  std::vector<hsize_t> chunk;
  std::vector<bool> extendible;
};
[[nodiscard]] Dataset create_dataset(const Location& parent, const std::string& name, Type type,
                                     const Layout& layout);
/// Room for two chunks. A chunk larger than the chunk cache is compressed anew by every write that
/// touches it; HDF5's default of 1 MiB per dataset is too much for many columns.
[[nodiscard]] std::size_t cache_bytes(Type type, std::span<const hsize_t> chunk) noexcept;
[[nodiscard]] Dataset open_dataset(const Location& parent, const std::string& name,
                                   std::size_t cache_bytes);
/// Current lengths of the dimensions.
[[nodiscard]] std::vector<hsize_t> shape(const Dataset& dataset);
void set_shape(const Dataset& dataset, std::span<const hsize_t> shape);
/// Writes or reads the box `start`, `count`; `data` is contiguous, in C order, native numbers.
void write(const Dataset& dataset, Type type, std::span<const hsize_t> start,
           std::span<const hsize_t> count, const void* data);
void read(const Dataset& dataset, Type type, std::span<const hsize_t> start,
          std::span<const hsize_t> count, void* data);
/// The whole of a one-dimensional dataset of strings; `write_strings` sets its length too.
void write_strings(const Dataset& dataset, std::span<const std::string> values);
[[nodiscard]] std::vector<std::string> read_strings(const Dataset& dataset);

// --- attributes (written anew if they exist) -----------------------------------------------------
void write_attribute(const Location& owner, const std::string& name, std::string_view value);
void write_attribute(const Location& owner, const std::string& name, std::int64_t value);
void write_attribute(const Location& owner, const std::string& name,
                     std::span<const std::int32_t> values);
void write_attribute(const Location& owner, const std::string& name,
                     std::span<const std::string> values);
[[nodiscard]] bool has_attribute(const Location& owner, const std::string& name);
[[nodiscard]] std::string read_string_attribute(const Location& owner, const std::string& name);
[[nodiscard]] std::int64_t read_integer_attribute(const Location& owner, const std::string& name);
[[nodiscard]] std::vector<std::string> read_strings_attribute(const Location& owner,
                                                              const std::string& name);

// --- dimension scales (H5DS) ---------------------------------------------------------------------
/// Makes the dataset a dimension scale called `name`.
void make_scale(const Dataset& dataset, const std::string& name);
/// Says that dimension `dimension` of the dataset is described by the scale.
void attach_scale(const Dataset& dataset, const Dataset& scale, unsigned dimension);

}  // namespace gridcast::store::hdf5
