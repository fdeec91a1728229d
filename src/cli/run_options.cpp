#include "run_options.h"

#include <charconv>
#include <system_error>

namespace gridcast::cli {

std::optional<int> read_group_size(const std::string& text) {
  if (text == "auto") {
    return std::nullopt;
  }
  int size = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, size);
  if (error != std::errc() || rest != end || size < 0 || size == 1) {
    throw CLI::ValidationError("--group-size", "'" + text + "': expected auto, 0, or 2 or more");
  }
  return size;
}

}  // namespace gridcast::cli
