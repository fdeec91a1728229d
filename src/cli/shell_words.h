#pragma once
/// Words as a shell reads them.

#include <span>
#include <string>
#include <vector>

namespace gridcast::cli {

/// One line that a shell splits into the same words; quotes only where they are needed.
[[nodiscard]] std::string shell_line(std::span<const std::string> words);

/// The words of a line as a shell has them: quotes, variables, names of files with wildcards; no
/// other commands. `option` is where it stands. Throws InputError.
[[nodiscard]] std::vector<std::string> shell_split(const std::string& option,
                                                   const std::string& line);

}  // namespace gridcast::cli
