#pragma once
/// Lines of a byte source, over one large buffer.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/base/byte_source.h"

namespace gridcast {

/// Hands out the lines of a source one after the other.
class LineReader {
public:
  /// `name` stands for the source in messages; both must outlive the reader.
  LineReader(ByteSource& source, const std::string& name);

  /// The next line without its end (`\n` or `\r\n`), valid until the next call; empty at the end.
  /// Throws InputError for a line that no trace can have (over a megabyte).
  [[nodiscard]] std::optional<std::string_view> next() {
    const char* const begin = buffer_.data() + position_;
    if (const char* const end = find_newline(begin, filled_ - position_)) {
      ++line_;
      position_ += static_cast<std::size_t>(end - begin) + 1;
      return without_return({begin, static_cast<std::size_t>(end - begin)});
    }
    return next_block();
  }

  /// Number of the line last returned, from 1.
  [[nodiscard]] std::size_t line() const noexcept { return line_; }

private:
  static const char* find_newline(const char* begin, std::size_t size) noexcept;
  static std::string_view without_return(std::string_view line) noexcept {
    if (!line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    return line;
  }
  std::optional<std::string_view> next_block();

  ByteSource& source_;
  const std::string& name_;
  std::vector<char> buffer_;
  std::size_t position_ = 0;
  std::size_t filled_ = 0;
  std::size_t line_ = 0;
  bool at_end_ = false;
};

}  // namespace gridcast
