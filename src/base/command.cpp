#include "gridcast/base/command.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

extern "C" char** environ;  // NOLINT: POSIX declares it so

namespace gridcast {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void fail(int error, const std::string& what) {
  throw std::system_error(error, std::generic_category(), what);
}

File temporary_file(std::string_view text) {
  File file(std::tmpfile(), std::fclose);
  const bool written =
      file &&
      (text.empty() || std::fwrite(text.data(), 1, text.size(), file.get()) == text.size()) &&
      std::fflush(file.get()) == 0;
  if (!written) {
    fail(errno, "temporary file");
  }
  std::rewind(file.get());
  return file;
}

std::string contents(const File& file) {
  std::rewind(file.get());
  std::string text;
  std::array<char, 65536> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    text.append(buffer.data(), count);
  }
  return text;
}

}  // namespace

int run_to_end(std::vector<std::string> words, const CommandStreams& streams) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;
  sigset_t keys;
  sigemptyset(&keys);
  sigaddset(&keys, SIGINT);
  sigaddset(&keys, SIGQUIT);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &keys);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  int standard = STDIN_FILENO;
  for (const int descriptor : {streams.in, streams.out, streams.error}) {
    if (descriptor >= 0) {
      posix_spawn_file_actions_adddup2(&files, descriptor, standard);
    }
    ++standard;
  }
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments.front(), &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    fail(error, words.front());
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  constexpr int signalled = 128;
  return WIFSIGNALED(status) ? signalled + WTERMSIG(status) : WEXITSTATUS(status);
}

CommandOutput output_of(std::vector<std::string> words, std::string_view input) {
  const File in = temporary_file(input);
  const File out = temporary_file({});
  const File error = temporary_file({});
  CommandOutput output;
  output.exit_code =
      run_to_end(std::move(words), {fileno(in.get()), fileno(out.get()), fileno(error.get())});
  output.out = contents(out);
  output.error = contents(error);
  return output;
}

}  // namespace gridcast
