#pragma once
/// The lock file beside a store, which keeps two writers apart. It is plain text, so that a user
/// can see who holds it; HDF5's and the kernel's file locks are not used because parallel file
/// systems often refuse them.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace gridcast::store {

/// Who holds a lock.
struct LockOwner {
  std::string host;
  std::string boot;  ///< identity of the host's boot; empty if unknown
  std::int64_t pid = 0;
  std::uint64_t start_time = 0;  ///< of the process, clock ticks since boot; 0 if unknown
  std::string job;               ///< SLURM_JOB_ID; empty outside Slurm
  std::int64_t restart = 0;      ///< SLURM_RESTART_COUNT
  bool operator==(const LockOwner&) const = default;
};

/// This process.
[[nodiscard]] LockOwner current_owner();

/// True if the owner certainly runs no more: same host and it was rebooted, the process is gone or
/// its number belongs to another one now; or an earlier start of the Slurm job `me` runs in. A
/// process of another host counts as alive.
[[nodiscard]] bool is_stale(const LockOwner& owner, const LockOwner& me);

/// Path of the lock file of a store: S.h5.lock.
[[nodiscard]] std::filesystem::path lock_path(const std::filesystem::path& store);

/// Owner named in a lock file; empty if there is none. An unreadable file gives an owner with an
/// empty host, which counts as alive.
[[nodiscard]] std::optional<LockOwner> read_lock(const std::filesystem::path& store);

/// Holds the lock of one store until destroyed.
class StoreLock {
public:
  /// Takes the lock, replacing a stale one. Throws InputError if a living writer has it, RunError
  /// if the file cannot be made.
  explicit StoreLock(const std::filesystem::path& store);
  StoreLock(StoreLock&& other) noexcept;
  StoreLock& operator=(StoreLock&&) = delete;
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;
  ~StoreLock();

private:
  std::filesystem::path path_;
};

}  // namespace gridcast::store
