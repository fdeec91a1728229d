#include "process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace support {
namespace {

// Exit codes of a child that did not become the program.
constexpr int no_output = 120;
constexpr int no_directory = 121;
constexpr int no_program = 127;

bool redirect(const std::string& path, int descriptor) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  return file >= 0 && ::dup2(file, descriptor) >= 0 && ::close(file) == 0;
}

void limit(int resource, long bytes) {
  if (bytes > 0) {
    const rlimit limits{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
    ::setrlimit(static_cast<__rlimit_resource>(resource), &limits);
  }
}

/// Replaces this (child) process by the program.
[[noreturn]] void become(std::vector<char*>& arguments, const Setting& setting,
                         const std::string& out, const std::string& err) {
  if (!redirect(out, STDOUT_FILENO) || !redirect(err, STDERR_FILENO)) {
    ::_exit(no_output);
  }
  if (!setting.directory.empty() && ::chdir(setting.directory.c_str()) != 0) {
    ::_exit(no_directory);
  }
  limit(RLIMIT_FSIZE, setting.file_limit);
  limit(RLIMIT_AS, setting.memory_limit);
  // What the test program inherited must not change what is tested.
  std::signal(SIGPIPE, SIG_DFL);
  ::execvp(arguments.front(), arguments.data());
  ::_exit(no_program);
}

}  // namespace

ScratchDirectory::ScratchDirectory() : ScratchDirectory(std::filesystem::temp_directory_path()) {}

ScratchDirectory::ScratchDirectory(const std::filesystem::path& parent) {
  std::string name = (parent / "gridcast-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error("no temporary directory " + name);
  }
  path_ = name;
}

ScratchDirectory::~ScratchDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path ScratchDirectory::file(const std::string& name,
                                             const std::string& text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
  return path_ / name;
}

Running::Running(std::vector<std::string> command, const Setting& setting)
    : own_output_(setting.out_file.empty()) {
  const std::string out = own_output_ ? (scratch_ / "out").string() : setting.out_file;
  const std::string err = scratch_ / "err";
  std::vector<char*> arguments;
  for (std::string& word : command) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    become(arguments, setting, out, err);
  }
  if (pid_ < 0) {
    throw std::runtime_error("no new process");
  }
}

Running::~Running() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

void Running::send(int signal) const { ::kill(pid_, signal); }

bool Running::has_ended() const {
  siginfo_t info{};
  ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return info.si_pid == pid_;
}

Ended Running::wait() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, own_output_ ? read_text(scratch_ / "out") : std::string(),
          read_text(scratch_ / "err")};
}

Ended run_program(const std::vector<std::string>& command, const Setting& setting) {
  return Running(command, setting).wait();
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace support
