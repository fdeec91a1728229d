#include "gridcast/record/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <system_error>

#include "gridcast/base/command.h"
#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"
#include "gridcast/base/program_file.h"

namespace gridcast::record {
namespace {

constexpr std::string_view manifest_name = "recording.toml";

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The file name of a command; behind links if that is MPICH's launcher.
std::string launcher_of(const std::string& command) {
  const std::filesystem::path name(command);
  std::vector<std::filesystem::path> places{name};
  if (!name.has_parent_path()) {
    const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe)
    std::istringstream folders(path == nullptr ? "" : path);
    places.clear();
    for (std::string folder; std::getline(folders, folder, ':');) {
      places.push_back(std::filesystem::path(folder) / name);
    }
  }
  std::error_code error;
  const auto found = std::ranges::find_if(
      places, [&](const auto& place) { return std::filesystem::exists(place, error); });
  const std::string target =
      found == places.end() ? "" : std::filesystem::canonical(*found, error).filename().string();
  return target == "mpiexec.hydra" ? target : name.filename().string();
}

void write_manifest(const std::filesystem::path& folder, const Manifest& manifest) {
  const std::filesystem::path file = folder / manifest_name;
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << manifest_text(manifest);
  stream.close();
  if (!stream) {
    throw RunError(printable(file.string()), "cannot be written",
                   "choose a folder with room for it");
  }
}

/// While it lives, Ctrl-C and Ctrl-\ end what is waited for and not this process.
class IgnoredKeys {
public:
  IgnoredKeys() : interrupt_(std::signal(SIGINT, SIG_IGN)), quit_(std::signal(SIGQUIT, SIG_IGN)) {}
  IgnoredKeys(const IgnoredKeys&) = delete;
  IgnoredKeys& operator=(const IgnoredKeys&) = delete;
  ~IgnoredKeys() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGQUIT, quit_);
  }

private:
  void (*interrupt_)(int);
  void (*quit_)(int);
};

}  // namespace

MpiLibrary mpi_of(const std::vector<std::string>& command) {
  return launcher_of(command.front()) == "mpiexec.hydra" ? MpiLibrary::mpich : MpiLibrary::openmpi;
}

std::filesystem::path recorder_library(MpiLibrary mpi) {
  const bool mpich = mpi == MpiLibrary::mpich;
  const std::string name = mpich ? "libgridcast-record-mpich.so" : "libgridcast-record.so";
  if (const auto library = library_of_program(name)) {
    return *library;
  }
  throw RunError(printable((program_file().parent_path() / name).string()), "is not there",
                 mpich ? "expected a gridcast that was built where MPICH's mpi.h is (Debian: "
                         "libmpich-dev)"
                       : "expected it beside the program or in ../lib/gridcast");
}

std::vector<std::string> recorded_command(const std::vector<std::string>& command,
                                          const std::filesystem::path& library,
                                          const std::filesystem::path& folder, std::uint64_t run) {
  const char* loaded = std::getenv("LD_PRELOAD");  // NOLINT(concurrency-mt-unsafe)
  const bool others = loaded != nullptr && *loaded != '\0';
  const std::array<std::string, 3> settings{
      "LD_PRELOAD=" + library.string() + (others ? ":" : "") + (others ? loaded : ""),
      "GRIDCAST_RECORD_DIR=" + folder.string(), fmt::format("GRIDCAST_RECORD_RUN={:016x}", run)};
  const std::string launcher = launcher_of(command.front());
  std::vector<std::string> words;
  if (launcher == "srun") {
    words = {command.front(), "--export=ALL"};
    for (const std::string& setting : settings) {
      if (setting.find(',') != std::string::npos) {
        throw InputError(printable(setting),
                         "srun takes no comma in a value; expected a folder without one");
      }
      words.back() += "," + setting;
    }
  } else if (launcher == "mpiexec.hydra") {
    words = {command.front()};
    for (const std::string& setting : settings) {
      const std::size_t equals = setting.find('=');
      words.insert(words.end(), {"-genv", setting.substr(0, equals), setting.substr(equals + 1)});
    }
  } else if (is_one_of(launcher, {"mpirun", "mpiexec", "orterun", "prterun", "mpirun.openmpi",
                                  "mpiexec.openmpi"})) {
    words = {command.front()};
    for (const std::string& setting : settings) {
      words.insert(words.end(), {"-x", setting});
    }
  } else {
    words = {"env"};
    words.insert(words.end(), settings.begin(), settings.end());
    words.push_back(command.front());
  }
  words.insert(words.end(), command.begin() + 1, command.end());
  return words;
}

void begin_run(const std::filesystem::path& folder, Manifest& manifest) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder, error)) {
    throw InputError(printable(folder.string()), 0, "cannot be made",
                     "expected the name of a new folder");
  }
  if (!std::filesystem::is_empty(folder, error)) {
    throw InputError(printable(folder.string()), 0, "is not empty",
                     "expected the name of a new folder for the run");
  }
  std::random_device random;
  manifest.run = std::uint64_t{random()} << 32U | random();
  write_manifest(folder, manifest);
}

int run_command(const std::vector<std::string>& command, const std::filesystem::path& output) {
  const IgnoredKeys ignored;
  try {
    if (output.empty()) {
      return run_to_end(command);
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(output.c_str(), "we"),
                                                               std::fclose);
    if (!file) {
      throw std::system_error(errno, std::generic_category());
    }
    return run_to_end(command, {.out = fileno(file.get())});
  } catch (const std::system_error& error) {
    throw InputError(printable(command.front()), 0, "cannot be started: " + error.code().message(),
                     "expected a command such as mpirun -n 4 ./app");
  }
}

void end_run(const std::filesystem::path& folder, Manifest& manifest, int exit_code) {
  manifest.exit_code = exit_code;
  write_manifest(folder, manifest);
}

std::vector<std::string> prepare_run(const std::filesystem::path& folder, Manifest& manifest,
                                     std::optional<MpiLibrary> mpi) {
  const std::filesystem::path library = recorder_library(mpi.value_or(mpi_of(manifest.command)));
  begin_run(folder, manifest);
  return recorded_command(manifest.command, library, std::filesystem::absolute(folder),
                          manifest.run);
}

void remove_recording(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / manifest_name)) {
    return;
  }
  // The manifest last: without it nobody knows what the others are.
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path& file = entry.path();
    if (file.extension() == ".gcr" || file.filename() == output_name) {
      files.push_back(file);
    }
  }
  files.push_back(folder / manifest_name);
  for (const std::filesystem::path& file : files) {
    std::filesystem::remove(file);
  }
}

}  // namespace gridcast::record
