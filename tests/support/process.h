#pragma once
/// A directory for the files of a test, and programs that a test starts.

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace support {

/// A new directory, removed with its contents at the end.
class ScratchDirectory {
public:
  ScratchDirectory();
  explicit ScratchDirectory(const std::filesystem::path& parent);
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }
  /// Writes a file there and returns its path.
  [[nodiscard]] std::filesystem::path file(const std::string& name, const std::string& text) const;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
  std::filesystem::path path_;
};

/// How a program is started.
struct Setting {
  std::filesystem::path directory;  ///< empty: the current one
  std::string out_file;             ///< where standard output goes instead of Ended::output
  long file_limit = 0;              ///< most bytes of a file (RLIMIT_FSIZE); 0: no limit
  long memory_limit = 0;            ///< most bytes of address space (RLIMIT_AS); 0: no limit
};

/// How it ended.
struct Ended {
  int exit_code = -1;  ///< 128 + signal if it was ended by one
  std::string output;  ///< standard output
  std::string errors;  ///< standard error
};

/// A program that runs. Its output goes to files of a scratch directory; it is killed at the end.
class Running {
public:
  explicit Running(std::vector<std::string> command, const Setting& setting = {});
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void send(int signal) const;
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] Ended wait();

private:
  ScratchDirectory scratch_;
  bool own_output_;
  pid_t pid_ = -1;
};

/// Starts a program and waits for its end.
[[nodiscard]] Ended run_program(const std::vector<std::string>& command,
                                const Setting& setting = {});

/// The bytes of a file; empty if there is none.
[[nodiscard]] std::string read_text(const std::filesystem::path& path);

}  // namespace support
