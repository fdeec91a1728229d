#pragma once
/// File operations of the store that the standard library lacks or does not check. All throw
/// RunError with the reason of the operating system.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "gridcast/store/durability.h"

namespace gridcast::store {

/// Owns a file descriptor.
class Descriptor {
public:
  explicit Descriptor(int value) noexcept : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor();
  /// Hands it out; who takes it closes it.
  [[nodiscard]] int release() noexcept { return std::exchange(value_, -1); }
  [[nodiscard]] int get() const noexcept { return value_; }

private:
  int value_;
};

/// Opens with open(2), but no symbolic link: those of the store have been resolved, any other one
/// was planted; nor anything but a regular file, for which open(2) might wait. Mode of new files is
/// 0666 less umask.
[[nodiscard]] int open_descriptor(const std::filesystem::path& path, int flags);

/// Throws RunError unless a file that was opened is a regular one.
void require_regular(int descriptor, const std::filesystem::path& path);

/// Bytes of an open file; throws RunError.
[[nodiscard]] std::uint64_t size_of_file(int descriptor, const std::filesystem::path& path);

/// A new file for writing in the place of whatever has that name.
[[nodiscard]] int create_anew(const std::filesystem::path& path);

/// Writes all bytes.
void write_all(int descriptor, const std::filesystem::path& path, std::span<const std::byte> bytes);

/// Writes all bytes at an offset.
void write_at(int descriptor, const std::filesystem::path& path, std::uint64_t offset,
              std::span<const std::byte> bytes);

/// Reads up to `bytes.size()` bytes at an offset; how many there were.
std::size_t read_at(int descriptor, const std::filesystem::path& path, std::uint64_t offset,
                    std::span<std::byte> bytes);

/// Makes sure that the file can grow by `bytes` without meeting a full disk, a quota or a limit on
/// the size of files. HDF5 copes badly with those in the middle of an update, so they are looked
/// for before. File systems that cannot reserve are trusted.
void reserve_space(const std::filesystem::path& path, std::size_t bytes);

/// Copies a file to a new file `to`.
void copy_contents(const std::filesystem::path& from, const std::filesystem::path& to);

/// Waits until what was written to the file is on disk.
void sync_file(int descriptor, const std::filesystem::path& path);

/// Waits until what was created, renamed and deleted beside `path` is on disk.
void sync_directory_of(const std::filesystem::path& path);

/// Whether a step waits for the disk.
enum class Disk : std::uint8_t { wait, trust };
[[nodiscard]] constexpr Disk disk_of(Durability durability) noexcept {
  return durability == Durability::none ? Disk::trust : Disk::wait;
}

/// Puts a finished file in the place of `to` in one step. With `wait` it is on disk before it is
/// visible, and its name is on disk afterwards.
void publish_file(const std::filesystem::path& from, const std::filesystem::path& to, Disk disk);

/// Copies a file to a free name beside it, PATH.damaged or PATH.damaged.2 and so on, which is
/// returned.
std::filesystem::path keep_aside(const std::filesystem::path& path);

/// Which file a name or descriptor stands for.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  bool operator==(const FileIdentity&) const = default;
};
/// Empty if there is no such file.
[[nodiscard]] std::optional<FileIdentity> identity_of(const std::filesystem::path& path);
[[nodiscard]] std::optional<FileIdentity> identity_of(int descriptor);

/// Deletes a file if it is there; never throws.
void remove_quietly(const std::filesystem::path& path) noexcept;

/// "No space left on device" and the like.
[[nodiscard]] std::string reason_of(int error_number);

/// What helps against an error of the system, or `otherwise`.
[[nodiscard]] std::string remedy_of(int error_number, const char* otherwise);

}  // namespace gridcast::store
