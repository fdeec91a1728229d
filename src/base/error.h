#pragma once
/// Errors of gridcast. Every message has the form "PLACE: PROBLEM (WHAT WAS EXPECTED)" on one line,
/// so that a user can act on it without reading code.

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gridcast {

/// The user gave something that cannot be used: a bad file, option, grid or combination of them.
/// The command line turns it into exit code 2.
class InputError : public std::runtime_error {
public:
  /// `file` may be empty (no file involved) and `line` 0 (no single line is to blame).
  InputError(std::string file, std::size_t line, std::string problem, std::string remedy);

  /// Short form for errors without a file (usage).
  InputError(std::string problem, std::string remedy);

  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  [[nodiscard]] const std::string& remedy() const noexcept { return remedy_; }

private:
  std::string file_;
  std::size_t line_ = 0;
  std::string problem_;
  std::string remedy_;
};

/// Something failed while running although the input was right (disk full, a library call failed).
/// The command line turns it into exit code 1.
class RunError : public std::runtime_error {
public:
  /// `place` names the file or resource; `remedy` says what the user can do.
  RunError(std::string_view place, std::string_view problem, std::string_view remedy);
};

}  // namespace gridcast
