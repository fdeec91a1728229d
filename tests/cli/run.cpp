#include "run.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <iterator>

namespace gridcast::cli::test {
namespace {

/// Replaces this (child) process by the program.
[[noreturn]] void become(std::vector<std::string> words, const Setting& setting,
                         const std::string& out, const std::string& err) {
  const int out_file = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err_file = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (out_file < 0 || err_file < 0 || dup2(out_file, 1) < 0 || dup2(err_file, 2) < 0) {
    _exit(120);
  }
  if (!setting.directory.empty() && chdir(setting.directory.c_str()) != 0) {
    _exit(121);
  }
  if (setting.file_limit > 0) {
    const auto bytes = static_cast<rlim_t>(setting.file_limit);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  if (setting.memory_limit > 0) {
    const auto bytes = static_cast<rlim_t>(setting.memory_limit);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
  }
  // What the test program inherited must not change what is tested.
  std::signal(SIGPIPE, SIG_DFL);
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  execv(arguments.front(), arguments.data());
  _exit(122);
}

}  // namespace

Run run(const std::vector<std::string>& words, const Setting& setting) {
  const TemporaryDirectory directory;
  const std::string out = setting.out_file.empty() ? directory / "out" : setting.out_file;
  const std::string err = directory / "err";
  const pid_t child = fork();
  if (child == 0) {
    become(words, setting, out, err);
  }
  REQUIRE(child > 0);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  Run result;
  constexpr int signal_base = 128;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : signal_base + WTERMSIG(status);
  if (setting.out_file.empty()) {
    result.out = file_text(out);
  }
  result.err = file_text(err);
  return result;
}

Run run_gridcast(std::vector<std::string> words, const Setting& setting) {
  words.insert(words.begin(), GRIDCAST_EXECUTABLE);
  return run(words, setting);
}

Run run_predictor(std::vector<std::string> words, const Setting& setting) {
  words.insert(words.begin(), PREDICTOR_EXECUTABLE);
  return run(words, setting);
}

bool failed_with(const Run& run, int exit_code, const std::vector<std::string>& texts) {
  UNSCOPED_INFO("exit code " << run.exit_code << ", stderr: " << run.err << "stdout: " << run.out);
  const bool one_line = std::count(run.err.begin(), run.err.end(), '\n') == 1 &&
                        run.err.ends_with('\n') && run.err.starts_with("gridcast: ");
  const bool all_texts = std::all_of(texts.begin(), texts.end(), [&run](const std::string& text) {
    return run.err.find(text) != std::string::npos;
  });
  return run.exit_code == exit_code && one_line && all_texts && run.out.empty();
}

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = std::filesystem::temp_directory_path() / "gridcast-cli-XXXXXX";
  REQUIRE(mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  REQUIRE(file.good());
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  INFO(path.string());
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> names_in(const std::filesystem::path& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string config(const std::string& name) {
  return std::string(GRIDCAST_SOURCE_DIR) + "/configs/" + name;
}

std::string example(const std::string& name) { return config("examples/" + name); }

std::string data(const std::string& name) {
  return std::string(GRIDCAST_SOURCE_DIR) + "/tests/data/" + name;
}

std::string trace_text(const std::string& calls) {
  return "RTS VERSION = 2889\n ProcCount=1;      PSRank=2;      PSSize= 1 1;\nVProcCount=0;\n"
         "ret_dvm_Init TIME=0.125 LINE=1 FILE=a.c\n" +
         calls + "Event_dvm_exit TIME=0.5 LINE=99 FILE=a.c\n";
}

std::string call(const std::string& name, const std::string& parameters,
                 const std::string& results) {
  return "call_" + name + " TIME=1.00000000 LINE=2 FILE=a.c\n" + parameters + "\nret_" + name +
         " TIME=0.25000000 LINE=2 FILE=a.c\n" + results + "\n";
}

}  // namespace gridcast::cli::test
