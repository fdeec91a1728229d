#pragma once
/// A file of any size seen through a window in memory that follows the reader.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "files.h"

namespace gridcast::store {

class FileWindow {
public:
  /// Owns the descriptor; the path is for messages.
  FileWindow(std::filesystem::path path, int descriptor)
      : path_(std::move(path)), file_(descriptor) {}

  /// The bytes at `offset`: `size` of them, or fewer at the end of the file. Valid until the next
  /// call. Throws RunError if reading fails.
  [[nodiscard]] std::span<const std::byte> view(std::uint64_t offset, std::size_t size);

  /// As many bytes at `offset` as are in memory, at least `least` unless the file ends before.
  [[nodiscard]] std::span<const std::byte> rest(std::uint64_t offset, std::size_t least);

  /// Forgets what was read: a writer may have changed it.
  void refresh() noexcept { filled_ = 0; }

private:
  std::filesystem::path path_;
  Descriptor file_;
  std::vector<std::byte> buffer_;
  std::uint64_t start_ = 0;
  std::size_t filled_ = 0;
};

}  // namespace gridcast::store
