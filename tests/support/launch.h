#pragma once
/// Starting programs from tests, and looking at what they leave.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "process.h"

namespace sweep_test {

using Values = std::map<std::string, std::string>;

inline const std::string source = GRIDCAST_SOURCE_DIR;
/// The shipped trace that most tests use.
inline const std::string jacobi = source + "/configs/examples/jacobi2d_10000x10.ptr.gz";
/// For mpirun: a killed rank does not end the others.
inline const std::vector<std::string> recovery{"--enable-recovery"};

using support::Ended;
using support::read_text;
using support::Running;
using support::ScratchDirectory;

inline Ended run(const std::vector<std::string>& command) { return support::run_program(command); }

/// mpirun with `ranks` ranks; `options` for mpirun itself.
[[nodiscard]] std::vector<std::string> mpirun(int ranks, const std::vector<std::string>& program,
                                              const std::vector<std::string>& options = {});

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
