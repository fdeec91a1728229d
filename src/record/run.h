#pragma once
/// Recording a run: the recorder's library is loaded into the ranks only, the program is as it
/// would be without.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/record/recording.h"

namespace gridcast::record {

/// Whose handles a recorder knows.
enum class MpiLibrary : std::uint8_t { openmpi, mpich };

/// That of the launcher: mpich for mpiexec.hydra, whatever its name is in the PATH.
[[nodiscard]] MpiLibrary mpi_of(const std::vector<std::string>& command);

/// The recorder's library beside the program that runs, or where both are installed. Throws
/// RunError if it is not there.
[[nodiscard]] std::filesystem::path recorder_library(MpiLibrary mpi);

/// The user's command with what sets the environment of the ranks put in: `-x` for mpirun of Open
/// MPI, `-genv` for that of MPICH, `--export` for srun, otherwise `env` in front of a program that
/// is one process. `folder` and `library` are absolute.
[[nodiscard]] std::vector<std::string> recorded_command(const std::vector<std::string>& command,
                                                        const std::filesystem::path& library,
                                                        const std::filesystem::path& folder,
                                                        std::uint64_t run);

/// Makes the folder, which must be new or empty, and writes the manifest; gives the run its number.
/// Throws InputError.
void begin_run(const std::filesystem::path& folder, Manifest& manifest);

/// Runs the command with the streams of this process, standard output into the file `output` unless
/// that is empty, and returns its exit code, 128 + signal if a signal ended it. Ctrl-C reaches the
/// command, which decides; this process waits for it. Throws InputError if it cannot be started.
int run_command(const std::vector<std::string>& command, const std::filesystem::path& output = {});

/// Notes how the run ended.
void end_run(const std::filesystem::path& folder, Manifest& manifest, int exit_code);

/// begin_run(); returns the recorded_command() of the manifest. `mpi`: without it mpi_of() the
/// command.
[[nodiscard]] std::vector<std::string> prepare_run(const std::filesystem::path& folder,
                                                   Manifest& manifest,
                                                   std::optional<MpiLibrary> mpi = std::nullopt);

/// Removes the files of a recording, if there is one, and nothing else.
void remove_recording(const std::filesystem::path& folder);

/// The name of the file in a recording's folder for what the program writes to standard output.
inline constexpr std::string_view output_name = "output.txt";

}  // namespace gridcast::record
