#include "gridcast/base/line_reader.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "gridcast/base/error.h"

namespace gridcast {
namespace {
constexpr std::size_t longest_line = std::size_t{1} << 20U;
}

LineReader::LineReader(ByteSource& source, const std::string& name)
    : source_(source), name_(name), buffer_(2 * longest_line) {}

const char* LineReader::find_newline(const char* begin, std::size_t size) noexcept {
  return static_cast<const char*>(std::memchr(begin, '\n', size));
}

std::optional<std::string_view> LineReader::next_block() {
  while (!at_end_) {
    const std::size_t rest = filled_ - position_;
    if (rest > longest_line) {
      throw InputError(name_, line_ + 1, "a line of more than a megabyte",
                       "expected the text of a trace (.ptr)");
    }
    std::copy_n(buffer_.data() + position_, rest, buffer_.data());
    position_ = 0;
    filled_ = rest;
    const std::size_t count = source_.read(std::span(buffer_).subspan(rest));
    at_end_ = count == 0;
    filled_ += count;
    const char* const fresh = buffer_.data() + rest;
    if (const char* const end = find_newline(fresh, count)) {
      ++line_;
      position_ = static_cast<std::size_t>(end - buffer_.data()) + 1;
      return without_return({buffer_.data(), position_ - 1});
    }
  }
  if (position_ == filled_) {
    return std::nullopt;
  }
  ++line_;
  const std::string_view line(buffer_.data() + position_, filled_ - position_);
  position_ = filled_;
  return without_return(line);
}

}  // namespace gridcast
