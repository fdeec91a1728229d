#pragma once
/// Pages and JSON as files, and the Python programs that read them back.

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>

namespace gridcast::report::test {

/// Writes `name` in the folder of sample pages of the build and returns its path.
std::filesystem::path write_sample(const std::string& name,
                                   const std::function<void(std::ostream&)>& write);

/// True if tests/report/`script` run on `file` and `expectations` ends with exit code 0; its
/// messages go to stderr.
bool python_accepts(const std::string& script, const std::filesystem::path& file,
                    std::initializer_list<std::string_view> expectations = {});

/// Whether `part` stands somewhere in the text.
inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace gridcast::report::test
