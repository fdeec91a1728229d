#pragma once
/// The lock beside a store, S.h5.lock, which lets one writer in. Where the file system has locks
/// that the kernel releases with their holder, they decide; elsewhere the text of the file does.
/// The text also names the holder for users, and its epoch, by which a writer that lost the store
/// finds out. Who may take over a lock, and why two never do: docs/store.md.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "gridcast/base/error.h"

namespace gridcast::store {

/// Who holds a lock: the text of the lock file.
struct LockOwner {
  std::string host;
  std::string boot;  ///< identity of the host's boot; empty if unknown
  std::int64_t pid = 0;
  std::uint64_t start_time = 0;     ///< of the process, clock ticks since boot; 0 if unknown
  std::string job{};                ///< SLURM_JOB_ID; empty outside Slurm
  std::int64_t restart = 0;         ///< SLURM_RESTART_COUNT
  std::uint64_t pid_namespace = 0;  ///< in which `pid` counts; 0 if unknown
  std::int64_t epoch = 0;           ///< grows with every writer of the store
  std::string token{};              ///< random, another one for every lock
  bool kernel = false;              ///< the kernel's lock on the file is held, too
  bool whole = true;                ///< false: an empty or torn text, as a power cut leaves it
  bool operator==(const LockOwner&) const = default;
};

/// This process, without epoch and token.
[[nodiscard]] LockOwner current_owner();

/// What the kernel knows about a lock file.
enum class KernelView : std::uint8_t {
  nothing,      ///< the file system has no such locks
  free,         ///< not held, as far as this machine is told
  free_on_all,  ///< not held, and no other machine has this file system
  held,         ///< by a living process
};

/// True if the owner certainly writes no more: the kernel says so; or its text is torn; or, by the
/// text, its host was started anew, its process is gone or has another start time, or it was an
/// earlier start of the Slurm job `me` runs in, on another machine. Processes of other hosts and of
/// other process namespaces count as alive.
[[nodiscard]] bool is_stale(const LockOwner& owner, const LockOwner& me, KernelView view);

/// Path of the lock file of a store: S.h5.lock.
[[nodiscard]] std::filesystem::path lock_path(const std::filesystem::path& store);

/// Owner named in a lock file; empty if there is none.
[[nodiscard]] std::optional<LockOwner> read_lock(const std::filesystem::path& store);

/// Whether a writer holds the store. Changes nothing.
[[nodiscard]] bool is_locked(const std::filesystem::path& store);

/// Which kind of lock is taken.
enum class LockMethod : std::uint8_t {
  automatic,  ///< the kernel's where the file system has it
  file,       ///< by the file alone
};

/// How a lock is taken.
struct LockOptions {
  LockMethod method = LockMethod::automatic;
  /// How long to wait for an earlier start of the same Slurm job, which may still be ending.
  std::chrono::milliseconds patience{0};
  std::function<bool()> stop{};                       ///< asked while waiting; true ends it
  std::function<void(const std::string&)> waiting{};  ///< told once that the wait begins
};

/// An earlier start of the same Slurm job still writes: later there will be nothing in the way.
class PredecessorRuns : public RunError {
public:
  using RunError::RunError;
};

/// Holds the lock of one store until destroyed.
class StoreLock {
public:
  /// Takes the lock, replacing a stale one. Throws InputError if a living writer has it,
  /// PredecessorRuns if that is an earlier start of this job, RunError if the file cannot be made.
  explicit StoreLock(const std::filesystem::path& store, const LockOptions& options = {});
  StoreLock(StoreLock&& other) noexcept;
  StoreLock& operator=(StoreLock&&) = delete;
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;
  /// Deletes the file if it is still that of this lock.
  ~StoreLock();

  [[nodiscard]] const LockOwner& owner() const noexcept { return owner_; }

  /// Makes the epoch at least `least`; writes it into the file.
  void raise_epoch(std::int64_t least);

  /// Whether the file is still that of this lock.
  [[nodiscard]] bool is_held() const;

  /// Throws RunError if another writer has taken the lock away, or the file is gone.
  void require_held() const;

private:
  std::filesystem::path path_;
  LockOwner owner_;
  int descriptor_ = -1;  ///< that has the kernel's lock; -1 without
};

}  // namespace gridcast::store
