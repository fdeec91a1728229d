#pragma once
/// A grid of processes.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gridcast {
inline namespace v1 {

/// The extents of a grid of processes, 1 to 4 of them, each 1 or more; a plain value.
struct Grid {
  std::vector<std::int32_t> extents{1};
  std::int32_t threads = 1;  ///< of each process, on as many processors of the machine

  /// Reads "4x2" or "4,2". Throws std::runtime_error.
  static Grid parse(std::string_view text);

  /// "4x2"; of processes of several threads "4x2 with 3 threads".
  [[nodiscard]] std::string text() const;

  bool operator==(const Grid&) const = default;
};

}  // namespace v1
}  // namespace gridcast
