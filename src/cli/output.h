#pragma once
/// Where results go: standard output ("-") or a file that appears in one step when it is complete.

#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

namespace gridcast::cli {

/// One result in the making. A file is written under a temporary name beside its place and renamed
/// by commit(); without commit() nothing stays. Devices and pipes are written directly.
class Output {
public:
  /// "-" is standard output. Throws InputError if the place cannot be written (directory missing,
  /// no permission), so that this shows before any work is done.
  explicit Output(const std::string& place);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output();

  [[nodiscard]] std::ostream& stream() noexcept { return *stream_; }

  /// Writes out all that the stream took and publishes the file. Throws RunError with place and
  /// reason (disk full), ReaderGone if standard output is a closed pipe.
  void commit();

private:
  class Buffer;

  void open_file();
  [[noreturn]] void fail(int error_number) const;

  std::string place_;
  std::filesystem::path target_;     ///< where the file appears; empty: written directly
  std::filesystem::path temporary_;  ///< exists until commit()
  std::unique_ptr<Buffer> buffer_;
  std::unique_ptr<std::ostream> stream_;
};

/// While it lives, what print() is given is kept instead of printed.
class CapturedText {
public:
  /// `stdout_taken`: nothing else may be written to standard output meanwhile.
  explicit CapturedText(bool stdout_taken);
  CapturedText(const CapturedText&) = delete;
  CapturedText& operator=(const CapturedText&) = delete;
  ~CapturedText();

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
  friend void print(std::string_view text);

  std::string text_;
};

/// True if the text that print() is given goes to a terminal.
[[nodiscard]] bool prints_to_terminal();

/// Writes text for people to standard output: whatever names it holds, nothing of it steers the
/// terminal. Errors as Output::commit().
void print(std::string_view text);

}  // namespace gridcast::cli
