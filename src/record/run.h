#pragma once
/// Recording a run: the recorder's library is loaded into the ranks only, the program is as it
/// would be without.

#include <filesystem>
#include <string>
#include <vector>

#include "gridcast/record/recording.h"

namespace gridcast::record {

/// libgridcast-record.so beside the program that runs, or where both are installed. Throws RunError
/// if it is not there.
[[nodiscard]] std::filesystem::path recorder_library();

/// The user's command with what sets the environment of the ranks put in: `-x` for mpirun of Open
/// MPI, `--export` for srun, otherwise `env` in front of a program that is one process. `folder`
/// and `library` are absolute.
[[nodiscard]] std::vector<std::string> recorded_command(const std::vector<std::string>& command,
                                                        const std::filesystem::path& library,
                                                        const std::filesystem::path& folder,
                                                        std::uint64_t run);

/// Makes the folder, which must be new or empty, and writes the manifest; gives the run its number.
/// Throws InputError.
void begin_run(const std::filesystem::path& folder, Manifest& manifest);

/// Runs the command with the streams of this process and returns its exit code, 128 + signal if a
/// signal ended it. Ctrl-C reaches the command, which decides; this process waits for it. Throws
/// InputError if it cannot be started.
int run_command(const std::vector<std::string>& command);

/// Notes how the run ended.
void end_run(const std::filesystem::path& folder, Manifest& manifest, int exit_code);

}  // namespace gridcast::record
