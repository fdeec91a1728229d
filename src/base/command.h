#pragma once
/// Other programs that are run to their end.

#include <string>
#include <string_view>
#include <vector>

namespace gridcast {

/// Descriptors that a command has as its standard streams; -1: that of this process.
struct CommandStreams {
  int in = -1;
  int out = -1;
  int error = -1;
};

/// Runs a program of the PATH with its arguments and returns its exit code, 128 + signal if a
/// signal ended it. SIGINT and SIGQUIT reach it even where this process ignores them. Throws
/// std::system_error if it cannot be started.
int run_to_end(std::vector<std::string> words, const CommandStreams& streams = {});

/// How a command ended and what it wrote.
struct CommandOutput {
  int exit_code = 0;
  std::string out;
  std::string error;
};

/// The same with a text as standard input. Throws std::system_error also without room for
/// temporary files.
[[nodiscard]] CommandOutput output_of(std::vector<std::string> words, std::string_view input = {});

}  // namespace gridcast
