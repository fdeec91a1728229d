#pragma once
/// File operations of the store that the standard library lacks or does not check. All throw
/// RunError with the reason of the operating system.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace gridcast::store {

/// Owns a file descriptor.
class Descriptor {
public:
  explicit Descriptor(int value) noexcept : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  [[nodiscard]] int get() const noexcept { return value_; }

private:
  int value_;
};

/// Opens with open(2); mode of new files is 0666 less umask.
[[nodiscard]] int open_descriptor(const std::filesystem::path& path, int flags);

/// Writes all bytes.
void write_all(int descriptor, const std::filesystem::path& path, std::span<const std::byte> bytes);

/// Makes sure that the file can grow by `bytes` without meeting a full disk, a quota or a limit on
/// the size of files. HDF5 copes badly with those in the middle of an update, so they are looked
/// for before. File systems that cannot reserve are trusted.
void reserve_space(const std::filesystem::path& path, std::size_t bytes);

/// Copies a file over `to`.
void copy_contents(const std::filesystem::path& from, const std::filesystem::path& to);

/// Puts a finished file in the place of `to` in one step, on disk before it is visible.
void publish_file(const std::filesystem::path& from, const std::filesystem::path& to);

/// Deletes a file if it is there; never throws.
void remove_quietly(const std::filesystem::path& path) noexcept;

/// "No space left on device" and the like.
[[nodiscard]] std::string reason_of(int error_number);

}  // namespace gridcast::store
