#pragma once
/// Starting programs from tests, and looking at what they leave.

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sweep_test {

using Values = std::map<std::string, std::string>;

inline const std::string source = GRIDCAST_SOURCE_DIR;
/// The shipped trace that most tests use.
inline const std::string jacobi = source + "/configs/examples/jacobi2d_10000x10.ptr.gz";
/// For mpirun: a killed rank does not end the others.
inline const std::vector<std::string> recovery{"--enable-recovery"};

/// A new directory, removed with its contents at the end.
class ScratchDirectory {
public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }

private:
  std::filesystem::path path_;
};

/// How a program ended.
struct Ended {
  int exit_code = -1;  ///< 128 + signal if it was ended by one
  std::string output;
  std::string errors;
};

/// A program that runs. Its output goes to files of a scratch directory.
class Running {
public:
  explicit Running(std::vector<std::string> command);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  void send(int signal) const;
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] Ended wait();

private:
  ScratchDirectory scratch_;
  pid_t pid_ = -1;
};

/// mpirun with `ranks` ranks; `options` for mpirun itself.
[[nodiscard]] std::vector<std::string> mpirun(int ranks, const std::vector<std::string>& program,
                                              const std::vector<std::string>& options = {});

[[nodiscard]] Ended run(const std::vector<std::string>& command);

[[nodiscard]] std::string read_text(const std::filesystem::path& path);

/// Waits until there is no such process any more; one that has ended and that nobody has waited for
/// does not count.
void wait_until_gone(int pid);

/// Stops the process with SIGSTOP; signals that are sent to it from now on stay pending.
void stop_and_wait(int pid);

/// Whether so many bytes are in the journal of the store, which rows follow each other in.
[[nodiscard]] bool has_journal(const std::filesystem::path& store, std::uintmax_t bytes);

/// The number in a file.
[[nodiscard]] int read_number(const std::filesystem::path& path);

/// "key=value" words of a line.
[[nodiscard]] Values read_values(const std::string& text);

/// What the farm program says; fails the test unless it ends with the expected code. `options` for
/// mpirun itself.
[[nodiscard]] Values farm(int ranks, std::vector<std::string> arguments,
                          const std::vector<std::string>& options = {}, int expected_code = 0);

/// The results table of a store as `gridcast export` prints it.
[[nodiscard]] std::string exported(const std::filesystem::path& store);

}  // namespace sweep_test
