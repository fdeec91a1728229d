#include "process.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>

namespace gridcast::sweep {
namespace {

/// Start time of a living process (field 22 of /proc/PID/stat, proc(5)); empty if there is no such
/// process, it is a zombie, or /proc is not there.
std::optional<std::uint64_t> start_time_of(std::int64_t pid) {
  std::ifstream stream("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(stream, text)) {
    return std::nullopt;
  }
  // The name of the program is in parentheses and may contain anything.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) {
    return std::nullopt;
  }
  std::istringstream fields(text.substr(name_end + 1));
  char state = '?';
  fields >> state;
  if (state == 'Z' || state == 'X') {
    return std::nullopt;
  }
  constexpr int fields_between = 18;  // fields 4 ... 21
  std::string skipped;
  for (int i = 0; i < fields_between; ++i) {
    fields >> skipped;
  }
  std::uint64_t start = 0;
  if (!(fields >> start)) {
    return std::nullopt;
  }
  return start;
}

/// A number that tells spaces of process numbers apart, also those of machines of one name.
std::uint64_t space_of_this_process() {
  std::ifstream stream("/proc/sys/kernel/random/boot_id");
  std::string boot;
  struct stat numbers {};
  if (!std::getline(stream, boot) || ::stat("/proc/self/ns/pid", &numbers) != 0) {
    return 0;
  }
  return std::hash<std::string>{}(boot + " " + std::to_string(numbers.st_ino));
}

}  // namespace

ProcessIdentity this_process() {
  ProcessIdentity self;
  // The last byte stays 0 whatever the length of the name.
  if (::gethostname(self.host.data(), self.host.size() - 1) != 0) {
    self.host.fill('\0');
  }
  self.pid = ::getpid();
  self.start_time = start_time_of(self.pid).value_or(0);
  self.space = space_of_this_process();
  return self;
}

ProcessWatch::ProcessWatch(const ProcessIdentity& process, const ProcessIdentity& self)
    : process_(process),
      watches_(process.host == self.host && process.start_time != 0 &&
               ((process.space != 0 && process.space == self.space) ||
                start_time_of(process.pid) == process.start_time)) {}

bool ProcessWatch::is_gone() const {
  return watches_ && start_time_of(process_.pid) != process_.start_time;
}

bool ProcessWatch::kill() const {
  if (watches_ && !is_gone()) {
    ::kill(static_cast<pid_t>(process_.pid), SIGKILL);
  }
  return watches_;
}

}  // namespace gridcast::sweep
