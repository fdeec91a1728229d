#pragma once
/// Where the text of a trace comes from: memory or a file, plain or gzip (told by its content).

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace gridcast {

/// A stream of bytes that can be read once.
class ByteSource {
public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Fills the front of `buffer` and returns the number of bytes; 0 at the end.
  virtual std::size_t read(std::span<char> buffer) = 0;
};

/// A source that knows the SHA-256 of the bytes that it has given: those of the text, so that a
/// file and its packed copy have the same.
class HashedSource : public ByteSource {
public:
  /// 64 hexadecimal digits; call at the end of the stream.
  [[nodiscard]] virtual std::string sha256() = 0;
};

/// Opens a file. `name` stands for it in messages. Throws InputError if it cannot be opened;
/// reading throws InputError for damaged gzip data and for a directory.
[[nodiscard]] std::unique_ptr<HashedSource> open_source(const std::filesystem::path& path,
                                                        const std::string& name);

/// Bytes in memory, plain or gzip; they must outlive the source.
[[nodiscard]] std::unique_ptr<HashedSource> open_source(std::string_view bytes,
                                                        const std::string& name);

}  // namespace gridcast
