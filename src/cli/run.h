#pragma once
/// From exceptions to exit codes and one-line messages (docs/commands.md).

#include <functional>
#include <string>
#include <string_view>

namespace gridcast::cli {

/// Exit codes of all commands.
enum ExitCode : int {
  done = 0,
  failed = 1,        ///< while running: disk full, out of memory, a library call
  bad_input = 2,     ///< usage, file, option or grid
  stopped_early = 3  ///< runs on a store: in good order, --resume goes on
};

/// Whoever read standard output has gone: nothing is left to be done, and nothing to be said.
struct ReaderGone {};

/// Prints "gridcast: MESSAGE" as one line on stderr; of several ranks only the first prints.
void print_error(std::string_view message);

/// Runs a command; an exception becomes a message and an exit code.
[[nodiscard]] int run_guarded(const std::function<int()>& command);

/// Lets failing writes return errors instead of ending the process: a closed pipe, a limit on the
/// size of files.
void report_failed_writes();

}  // namespace gridcast::cli
