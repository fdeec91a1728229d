#pragma once
/// Words as a shell reads them.

#include <span>
#include <string>

namespace gridcast::cli {

/// One line that a shell splits into the same words; quotes only where they are needed.
[[nodiscard]] std::string shell_line(std::span<const std::string> words);

}  // namespace gridcast::cli
