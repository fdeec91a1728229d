#include "launch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "gridcast/store/csv.h"
#include "gridcast/store/reader.h"

namespace sweep_test {
namespace {

/// State of the process or thread with this folder in /proc (proc(5)); 0 if there is none.
char state_of(const std::filesystem::path& folder) {
  const std::string text = read_text(folder / "stat");
  // It follows the name in parentheses.
  const std::size_t name_end = text.rfind(") ");
  return name_end == std::string::npos ? '\0' : text[name_end + 2];
}

}  // namespace

std::vector<std::string> mpirun(int ranks, const std::vector<std::string>& program,
                                const std::vector<std::string>& options) {
  std::vector<std::string> command{MPIEXEC, "--oversubscribe", "-n", std::to_string(ranks)};
  if (::geteuid() == 0) {
    command.insert(command.begin() + 1, "--allow-run-as-root");
  }
  command.insert(command.begin() + 1, options.begin(), options.end());
  command.insert(command.end(), program.begin(), program.end());
  return command;
}

void wait_until_gone(int pid) {
  const std::filesystem::path process = "/proc/" + std::to_string(pid);
  for (char state = '?'; state != 'Z' && state != 'X' && state != '\0';) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    state = state_of(process);
  }
}

void stop_and_wait(int pid) {
  const std::filesystem::path threads = "/proc/" + std::to_string(pid) + "/task";
  ::kill(pid, SIGSTOP);
  for (const auto& thread : std::filesystem::directory_iterator(threads)) {
    while (state_of(thread.path()) != 'T') {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

bool has_journal(const std::filesystem::path& store, std::uintmax_t bytes) {
  std::error_code missing;
  const std::uintmax_t size = std::filesystem::file_size(store.string() + ".journal", missing);
  return !missing && size >= bytes;
}

int read_number(const std::filesystem::path& path) { return std::stoi(read_text(path)); }

Values read_values(const std::string& text) {
  Values values;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals != std::string::npos) {
      values[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  return values;
}

Values farm(int ranks, std::vector<std::string> arguments, const std::vector<std::string>& options,
            int expected_code) {
  const ScratchDirectory scratch;
  arguments.insert(arguments.begin(), {FARM_PROGRAM, "board=" + (scratch / "board").string()});
  const Ended ended = run(mpirun(ranks, arguments, options));
  INFO(ended.output << ended.errors);
  CHECK(ended.exit_code == expected_code);
  return read_values(ended.output);
}

std::string exported(const std::filesystem::path& store) {
  std::ostringstream csv;
  gridcast::store::write_csv(csv, gridcast::store::read_store(store).table);
  return csv.str();
}

}  // namespace sweep_test
