#include "gridcast/store/lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <thread>
#include <utility>

#include "files.h"
#include "lock_files.h"
#include "lock_owner.h"

namespace gridcast::store {
namespace {

using Clock = std::chrono::steady_clock;

/// How long what another process is just doing to a lock file is waited for, and how often.
constexpr std::chrono::milliseconds short_pause{1};
constexpr int short_pauses = 200;
/// How often a predecessor is looked for.
constexpr std::chrono::milliseconds long_pause{100};

enum class Result : std::uint8_t { taken, again, held };

/// What an attempt to take a lock came to.
struct Attempt {
  Result result = Result::again;
  LockOwner holder{};         ///< if held
  Descriptor descriptor{-1};  ///< with the kernel's lock, if taken with it
};

/// Longer texts leave a rest, which readers ignore; it is cut off last.
void overwrite(int descriptor, const std::filesystem::path& path, const std::string& text) {
  if (::pwrite(descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ::ftruncate(descriptor, static_cast<off_t>(text.size())) != 0) {
    throw RunError(path.string(), "cannot write the lock file: " + reason_of(errno),
                   remedy_of(errno, "make room or allow writing"));
  }
}

/// For messages: the one who holds the kernel's lock may not yet have written its name.
LockOwner settled_holder(const std::filesystem::path& path, const LockOwner& me) {
  LockOwner holder;
  holder.whole = false;
  for (int i = 0; i < short_pauses && is_stale(holder, me, KernelView::nothing); ++i) {
    if (i > 0) {
      std::this_thread::sleep_for(short_pause);
    }
    if (const std::optional<LockOwner> read = read_lock_file(path)) {
      holder = *read;
    }
  }
  return holder;
}

/// A lock file that lies there, by the kernel's lock on it.
Attempt take_by_kernel(const std::filesystem::path& path, LockOwner& me) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    if (errno == ENOENT) {
      return {};
    }
    throw RunError(
        path.string(), "cannot open the lock file: " + reason_of(errno),
        remedy_of(errno, "make it a file that can be written; if no writer runs, delete it"));
  }
  const KernelLock kernel = take_kernel_lock(file.get());
  if (kernel == KernelLock::unsupported) {
    throw RunError(path.string(), "cannot be locked: " + reason_of(errno),
                   "the file system refuses what it allowed just before; try again");
  }
  if (kernel == KernelLock::held_by_other) {
    return {Result::held, settled_holder(path, me)};
  }
  // Whoever frees a lock deletes its file: then this is not the lock any more.
  if (!is_named(file.get(), path)) {
    return {};
  }
  const LockOwner seen = read_lock_text(file.get(), path);
  if (!is_stale(seen, me, view_kernel_lock(file.get()))) {
    return {Result::held, seen};
  }
  me.epoch = seen.epoch + 1;
  overwrite(file.get(), path, lock_text(me));
  return {Result::taken, {}, std::move(file)};
}

/// The text of a lock file that may be just being written.
std::optional<LockOwner> settled_text(const std::filesystem::path& path) {
  std::optional<LockOwner> seen = read_lock_file(path);
  for (int i = 0; i < short_pauses && seen && !seen->whole; ++i) {
    std::this_thread::sleep_for(short_pause);
    seen = read_lock_file(path);
  }
  return seen;
}

/// The same by the files alone.
Attempt take_by_file(const std::filesystem::path& path, Placed placed, LockOwner& me) {
  const std::optional<LockOwner> seen =
      placed == Placed::exists ? read_lock_file(path) : settled_text(path);
  if (!seen) {
    return {};
  }
  if (!is_stale(*seen, me, KernelView::nothing)) {
    return {Result::held, *seen};
  }
  me.epoch = seen->epoch + 1;
  if (replace_lock(path, *seen, me)) {
    return {Result::taken};
  }
  // Another process is doing it: its lock will show.
  std::this_thread::sleep_for(short_pause);
  return {};
}

/// One attempt: a new lock if there is none, else that of a writer that is gone.
Attempt attempt(const std::filesystem::path& path, LockMethod method, LockOwner& me) {
  me.token = random_token();
  me.epoch = 0;
  const std::filesystem::path mine = own_file(path, me);
  Descriptor file(create_anew(mine));
  // Before the name appears, so that it never names a file that is not locked.
  const KernelLock kernel =
      method == LockMethod::file ? KernelLock::unsupported : take_kernel_lock(file.get());
  if (kernel == KernelLock::held_by_other) {
    return {};  // a neighbour takes it for a leftover
  }
  me.kernel = kernel == KernelLock::taken;
  const std::string text = lock_text(me);
  write_all(file.get(), mine, std::as_bytes(std::span(text)));
  const Placed placed = place(mine, path, text);
  switch (placed) {
    case Placed::gone:
      return {};
    case Placed::exists:
    case Placed::exists_in_part:
      return me.kernel ? take_by_kernel(path, me) : take_by_file(path, placed, me);
    case Placed::done:
      break;
  }
  if (!me.kernel) {
    return {Result::taken};
  }
  // A file system without links makes a second file.
  if (!is_named(file.get(), path)) {
    return take_by_kernel(path, me);
  }
  return {Result::taken, {}, std::move(file)};
}

[[noreturn]] void refuse(const std::filesystem::path& lock, const LockOwner& holder,
                         const LockOwner& me) {
  const std::string what = "the store is being written by " + described(holder);
  if (is_predecessor(holder, me)) {
    throw PredecessorRuns(lock.string(), what + ", an earlier start of this job",
                          "go on with --resume when it has ended");
  }
  throw InputError(lock.string(), 0, what,
                   "wait for it to end; if it is surely gone, delete this file");
}

/// True if it is worth trying again.
bool wait_for(const LockOwner& holder, const LockOwner& me, const LockOptions& options,
              Clock::time_point begin, bool& told) {
  const bool stopped = options.stop && options.stop();
  if (!is_predecessor(holder, me) || stopped || Clock::now() - begin >= options.patience) {
    return false;
  }
  if (!told && options.waiting) {
    options.waiting("waiting for " + described(holder) + ", an earlier start of this job");
  }
  told = true;
  std::this_thread::sleep_for(long_pause);
  return true;
}

}  // namespace

std::filesystem::path lock_path(const std::filesystem::path& store) {
  return store.string() + ".lock";
}

std::optional<LockOwner> read_lock(const std::filesystem::path& store) {
  return read_lock_file(lock_path(store));
}

bool is_locked(const std::filesystem::path& store) {
  const std::filesystem::path path = lock_path(store);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    return false;
  }
  const LockOwner owner = read_lock_text(file.get(), path);
  return !is_stale(owner, current_owner(), view_kernel_lock(file.get()));
}

StoreLock::StoreLock(const std::filesystem::path& store, const LockOptions& options)
    : path_(lock_path(std::filesystem::absolute(store))), owner_(current_owner()) {
  const Clock::time_point begin = Clock::now();
  bool told = false;
  // Every failed attempt means that another process got on.
  constexpr int attempts = 10'000;
  for (int i = 0; i < attempts; ++i) {
    Attempt result = attempt(path_, options.method, owner_);
    if (result.result == Result::taken) {
      descriptor_ = result.descriptor.release();
      remove_leftovers(path_, owner_);
      return;
    }
    if (result.result == Result::held && !wait_for(result.holder, owner_, options, begin, told)) {
      refuse(path_, result.holder, owner_);
    }
  }
  throw RunError(path_.string(), "cannot take the lock", "try again");
}

StoreLock::StoreLock(StoreLock&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      owner_(std::move(other.owner_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

StoreLock::~StoreLock() {
  const Descriptor closed_at_the_end(descriptor_);
  try {
    if (!path_.empty() && is_held()) {
      remove_quietly(path_);
    }
  } catch (const std::exception&) {
    // What cannot be read stays; without its process it is stale.
  }
}

void StoreLock::raise_epoch(std::int64_t least) {
  if (owner_.epoch >= least) {
    return;
  }
  require_held();
  owner_.epoch = least;
  if (descriptor_ >= 0) {
    overwrite(descriptor_, path_, lock_text(owner_));
    return;
  }
  const std::filesystem::path mine = own_file(path_, owner_);
  write_new(mine, lock_text(owner_));
  std::filesystem::rename(mine, path_);
}

bool StoreLock::is_held() const {
  const std::optional<LockOwner> now = read_lock_file(path_);
  return now && now->token == owner_.token && now->epoch == owner_.epoch;
}

void StoreLock::require_held() const {
  const std::optional<LockOwner> now = read_lock_file(path_);
  if (now && now->token == owner_.token && now->epoch == owner_.epoch) {
    return;
  }
  const std::string by = now ? "was taken over by " + described(*now) : "is gone";
  throw RunError(path_.string(), "the lock of this writer " + by,
                 "this writer stops and writes nothing more; if no other one runs, go on with "
                 "--resume");
}

}  // namespace gridcast::store
