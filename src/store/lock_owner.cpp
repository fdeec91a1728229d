#include "lock_owner.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <vector>

#include "files.h"

namespace gridcast::store {
namespace {

template <typename Number>
Number number_in(std::string_view text) {
  Number value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return value == nullptr ? std::string() : std::string(value);
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data())
                                                        : std::string("unknown");
}

std::string boot_identity() {
  std::ifstream stream("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(stream, text);
  return text;
}

/// Every namespace has a number of its own on a machine, namespaces(7).
std::uint64_t process_namespace() {
  struct stat status {};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

/// State and start time of a process from /proc/PID/stat, fields 3 and 22 of proc(5).
struct ProcessFacts {
  char state = '?';
  std::uint64_t start_time = 0;
};

/// `process`: a number or "self".
std::optional<ProcessFacts> facts_of(const std::string& process) {
  std::ifstream stream("/proc/" + process + "/stat");
  std::string text;
  if (!std::getline(stream, text)) {
    return std::nullopt;
  }
  // The command's name in parentheses may hold blanks and parentheses itself.
  const std::size_t after_name = text.rfind(')');
  if (after_name == std::string::npos) {
    return std::nullopt;
  }
  std::istringstream rest(text.substr(after_name + 1));
  const std::vector<std::string> fields{std::istream_iterator<std::string>(rest), {}};
  constexpr std::size_t start_field = 19;
  if (fields.size() <= start_field) {
    return std::nullopt;
  }
  return ProcessFacts{fields[0][0], number_in<std::uint64_t>(fields[start_field])};
}

/// A process in a namespace of its own may see the /proc of another one.
bool proc_has_own_numbers() {
  std::error_code failed;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self", failed);
  return !failed && self == std::to_string(getpid());
}

bool process_runs(const LockOwner& owner) {
  if (kill(static_cast<pid_t>(owner.pid), 0) != 0 && errno == ESRCH) {
    return false;
  }
  const std::optional<ProcessFacts> facts =
      proc_has_own_numbers() ? facts_of(std::to_string(owner.pid)) : std::nullopt;
  if (!facts) {
    return true;
  }
  const bool ended = facts->state == 'Z' || facts->state == 'X';
  const bool other = owner.start_time != 0 && facts->start_time != owner.start_time;
  return !ended && !other;
}

/// Whether process numbers mean the same for both.
bool same_process_numbers(const LockOwner& a, const LockOwner& b) {
  if (a.pid_namespace != 0 && b.pid_namespace != 0) {
    return a.boot == b.boot && a.pid_namespace == b.pid_namespace;
  }
  return a.host == b.host;
}

constexpr std::string_view format = "2";

void set_field(LockOwner& owner, std::string_view key, std::string_view value) {
  if (key == "host") {
    owner.host = value;
  } else if (key == "boot") {
    owner.boot = value;
  } else if (key == "pid_namespace") {
    owner.pid_namespace = number_in<std::uint64_t>(value);
  } else if (key == "pid") {
    owner.pid = number_in<std::int64_t>(value);
  } else if (key == "start_time") {
    owner.start_time = number_in<std::uint64_t>(value);
  } else if (key == "job") {
    owner.job = value;
  } else if (key == "restart") {
    owner.restart = number_in<std::int64_t>(value);
  } else if (key == "epoch") {
    owner.epoch = number_in<std::int64_t>(value);
  } else if (key == "token") {
    owner.token = value;
  } else if (key == "kernel") {
    owner.kernel = value == "1";
  }
}

}  // namespace

LockOwner current_owner() {
  LockOwner owner;
  owner.host = host_name();
  owner.boot = boot_identity();
  owner.pid_namespace = process_namespace();
  owner.pid = getpid();
  if (const std::optional<ProcessFacts> facts = facts_of("self")) {
    owner.start_time = facts->start_time;
  }
  owner.job = environment("SLURM_JOB_ID");
  owner.restart = number_in<std::int64_t>(environment("SLURM_RESTART_COUNT"));
  return owner;
}

bool is_predecessor(const LockOwner& earlier, const LockOwner& later) {
  return !later.job.empty() && earlier.job == later.job && earlier.restart < later.restart;
}

bool is_stale(const LockOwner& owner, const LockOwner& me, KernelView view) {
  if (view == KernelView::held) {
    return false;
  }
  if (!owner.whole) {
    return true;
  }
  const bool same_boot = !owner.boot.empty() && owner.boot == me.boot;
  const bool told = view == KernelView::free_on_all || (view == KernelView::free && same_boot);
  if (owner.kernel && told) {
    return true;
  }
  const bool unknown_boot = owner.boot.empty() || me.boot.empty();
  if (same_boot || (unknown_boot && owner.host == me.host)) {
    return same_process_numbers(owner, me) && !process_runs(owner);
  }
  const bool started_anew = !unknown_boot && !owner.host.empty() && owner.host == me.host;
  // A requeued job may start on another node; its earlier start is over by then.
  return started_anew || is_predecessor(owner, me);
}

std::string lock_text(const LockOwner& owner) {
  return "format=" + std::string(format) + "\nhost=" + owner.host + "\nboot=" + owner.boot +
         "\npid_namespace=" + std::to_string(owner.pid_namespace) +
         "\npid=" + std::to_string(owner.pid) + "\nstart_time=" + std::to_string(owner.start_time) +
         "\njob=" + owner.job + "\nrestart=" + std::to_string(owner.restart) +
         "\nepoch=" + std::to_string(owner.epoch) + "\ntoken=" + owner.token +
         "\nkernel=" + (owner.kernel ? "1" : "0") + "\nend=1\n";
}

LockOwner parse_lock_text(std::string_view text) {
  LockOwner owner;
  bool ends = false;
  bool has_format = false;
  bool has_restart = false;
  // What follows the end is the rest of a longer text that was there before.
  while (!text.empty() && !ends) {
    const std::size_t length = text.find('\n');
    if (length == std::string_view::npos) {
      break;
    }
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(length + 1);
    const std::size_t equals = std::min(line.find('='), line.size());
    const std::string_view key = line.substr(0, equals);
    set_field(owner, key, line.substr(std::min(equals + 1, line.size())));
    has_format = has_format || key == "format";
    has_restart = has_restart || key == "restart";
    ends = key == "end";
  }
  // Earlier versions wrote neither a format nor an end; their last line was this one.
  owner.whole = ends || (!has_format && has_restart);
  return owner;
}

LockOwner read_lock_text(int descriptor, const std::filesystem::path& path) {
  // Far more than any text; a file that is longer was not written here.
  constexpr std::size_t most_bytes = 8192;
  std::string text(most_bytes, '\0');
  ssize_t count = 0;
  do {
    count = ::pread(descriptor, text.data(), text.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    throw RunError(path.string(), "cannot read the lock file: " + reason_of(errno),
                   "make it readable");
  }
  text.resize(static_cast<std::size_t>(count));
  return parse_lock_text(text);
}

std::optional<LockOwner> read_lock_file(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    if (errno == ENOENT) {
      return std::nullopt;
    }
    throw RunError(path.string(), "cannot open the lock file: " + reason_of(errno),
                   remedy_of(errno, "make it a readable file; if no writer runs, delete it"));
  }
  return read_lock_text(file.get(), path);
}

std::string random_token() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::random_device source;
  std::uniform_int_distribution<std::size_t> digit(0, digits.size() - 1);
  std::string text;
  for (std::size_t i = 0; i < random_token_length; ++i) {
    text.push_back(digits[digit(source)]);
  }
  return text;
}

std::string described(const LockOwner& owner) {
  if (!owner.whole) {
    return "another process";
  }
  std::string text = "process " + std::to_string(owner.pid) + " on " + owner.host;
  if (!owner.job.empty()) {
    text += ", job " + owner.job;
  }
  return text;
}

}  // namespace gridcast::store
