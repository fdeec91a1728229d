#include "gridcast/store/lock.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include "files.h"
#include "gridcast/error.h"

namespace gridcast::store {
namespace {

template <typename Number>
Number number_in(std::string_view text) {
  Number value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
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

/// State and start time of a process from /proc/PID/stat, fields 3 and 22 of proc(5).
struct ProcessFacts {
  char state = '?';
  std::uint64_t start_time = 0;
};

std::optional<ProcessFacts> facts_of(std::int64_t pid) {
  std::ifstream stream("/proc/" + std::to_string(pid) + "/stat");
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

bool process_runs(const LockOwner& owner) {
  if (kill(static_cast<pid_t>(owner.pid), 0) != 0 && errno == ESRCH) {
    return false;
  }
  const std::optional<ProcessFacts> facts = facts_of(owner.pid);
  if (!facts) {
    return true;
  }
  const bool ended = facts->state == 'Z' || facts->state == 'X';
  const bool other = owner.start_time != 0 && facts->start_time != owner.start_time;
  return !ended && !other;
}

std::string text_of(const LockOwner& owner) {
  return "host=" + owner.host + "\nboot=" + owner.boot + "\npid=" + std::to_string(owner.pid) +
         "\nstart_time=" + std::to_string(owner.start_time) + "\njob=" + owner.job +
         "\nrestart=" + std::to_string(owner.restart) + "\n";
}

std::optional<LockOwner> read_owner(const std::filesystem::path& path) {
  std::ifstream stream(path);
  if (!stream) {
    return std::nullopt;
  }
  LockOwner owner;
  for (std::string line; std::getline(stream, line);) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) {
      continue;
    }
    const std::string key = line.substr(0, equals);
    const std::string value = line.substr(equals + 1);
    if (key == "host") {
      owner.host = value;
    } else if (key == "boot") {
      owner.boot = value;
    } else if (key == "pid") {
      owner.pid = number_in<std::int64_t>(value);
    } else if (key == "start_time") {
      owner.start_time = number_in<std::uint64_t>(value);
    } else if (key == "job") {
      owner.job = value;
    } else if (key == "restart") {
      owner.restart = number_in<std::int64_t>(value);
    }
  }
  return owner;
}

/// A name beside the lock that no other process uses.
std::filesystem::path own_name(const std::filesystem::path& lock, const LockOwner& me,
                               const char* purpose) {
  return lock.string() + "." + me.host + "." + std::to_string(me.pid) + "." + purpose;
}

/// Makes `lock` appear with its contents in one step; false if it exists. link(2) does that on
/// every file system that has hard links, network ones too; elsewhere O_EXCL.
bool place(const std::filesystem::path& lock, const LockOwner& me) {
  const std::filesystem::path mine = own_name(lock, me, "new");
  const std::string text = text_of(me);
  const auto bytes = std::as_bytes(std::span(text));
  {
    const Descriptor file(open_descriptor(mine, O_WRONLY | O_CREAT | O_TRUNC));
    write_all(file.get(), mine, bytes);
  }
  const int result = ::link(mine.c_str(), lock.c_str());
  const int number = errno;
  remove_quietly(mine);
  if (result == 0) {
    return true;
  }
  if (number == EEXIST) {
    return false;
  }
  const int descriptor = ::open(lock.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    if (errno == EEXIST) {
      return false;
    }
    throw RunError(lock.string(), "cannot create the lock file: " + reason_of(errno),
                   "allow writing in that directory");
  }
  const Descriptor file(descriptor);
  write_all(file.get(), lock, bytes);
  return true;
}

/// Takes a stale lock away. Between reading it and renaming it another writer may have replaced it:
/// then what was renamed is a living lock, and it is put back.
void remove_stale(const std::filesystem::path& lock, const LockOwner& seen, const LockOwner& me) {
  const std::filesystem::path aside = own_name(lock, me, "stale");
  if (::rename(lock.c_str(), aside.c_str()) != 0) {
    return;
  }
  if (read_owner(aside) != seen) {
    static_cast<void>(::link(aside.c_str(), lock.c_str()));
  }
  remove_quietly(aside);
}

/// Whether `name`, what follows "LOCK.HOST.", is of a process that does not run any more.
bool is_leftover(std::string_view name) {
  const std::size_t dot = std::min(name.find('.'), name.size());
  const auto pid = number_in<pid_t>(name.substr(0, dot));
  const std::string_view purpose = name.substr(dot);
  return pid > 0 && (purpose == ".new" || purpose == ".stale") && ::kill(pid, 0) != 0 &&
         errno == ESRCH;
}

/// A process that was killed while it took the lock may have left a file of its own beside it.
void remove_leftovers(const std::filesystem::path& lock, const LockOwner& me) {
  const std::string prefix = lock.filename().string() + "." + me.host + ".";
  const std::filesystem::path folder = std::filesystem::absolute(lock).parent_path();
  std::vector<std::filesystem::path> left;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(prefix) && is_leftover(std::string_view(name).substr(prefix.size()))) {
      left.push_back(at->path());
    }
  }
  for (const std::filesystem::path& file : left) {
    remove_quietly(file);
  }
}

[[noreturn]] void refuse(const std::filesystem::path& lock, const LockOwner& owner) {
  std::string who = "process " + std::to_string(owner.pid) + " on " + owner.host;
  if (!owner.job.empty()) {
    who += ", job " + owner.job;
  }
  throw InputError(lock.string(), 0, "the store is being written by " + who,
                   "wait for it to end; if it is surely gone, delete this file");
}

}  // namespace

LockOwner current_owner() {
  LockOwner owner;
  owner.host = host_name();
  owner.boot = boot_identity();
  owner.pid = getpid();
  if (const std::optional<ProcessFacts> facts = facts_of(owner.pid)) {
    owner.start_time = facts->start_time;
  }
  owner.job = environment("SLURM_JOB_ID");
  owner.restart = number_in<std::int64_t>(environment("SLURM_RESTART_COUNT"));
  return owner;
}

bool is_stale(const LockOwner& owner, const LockOwner& me) {
  // A requeued job may start on another node; its earlier start is over by then.
  if (!me.job.empty() && owner.job == me.job && owner.restart < me.restart) {
    return true;
  }
  if (owner.host.empty() || owner.host != me.host) {
    return false;
  }
  if (!owner.boot.empty() && !me.boot.empty() && owner.boot != me.boot) {
    return true;
  }
  return !process_runs(owner);
}

std::filesystem::path lock_path(const std::filesystem::path& store) {
  return store.string() + ".lock";
}

std::optional<LockOwner> read_lock(const std::filesystem::path& store) {
  return read_owner(lock_path(store));
}

StoreLock::StoreLock(const std::filesystem::path& store) : path_(lock_path(store)) {
  const LockOwner me = current_owner();
  // One attempt would do; a second writer that removes the same stale lock may interfere.
  constexpr int attempts = 10;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    if (place(path_, me)) {
      remove_leftovers(path_, me);
      return;
    }
    const std::optional<LockOwner> owner = read_owner(path_);
    if (owner && !is_stale(*owner, me)) {
      refuse(path_, *owner);
    }
    if (owner) {
      remove_stale(path_, *owner, me);
    }
  }
  throw RunError(path_.string(), "cannot take the lock", "try again");
}

StoreLock::StoreLock(StoreLock&& other) noexcept : path_(std::exchange(other.path_, {})) {}

StoreLock::~StoreLock() {
  if (!path_.empty()) {
    remove_quietly(path_);
  }
}

}  // namespace gridcast::store
