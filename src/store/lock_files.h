#pragma once
/// Steps of taking a lock that the file system does in one piece.

#include <filesystem>
#include <optional>
#include <string>

#include "gridcast/store/lock.h"

namespace gridcast::store {

/// The lock of the kernel on an open file (open file description locks, fcntl(2)): it ends with the
/// last descriptor of that opening, so with the process at the latest.
enum class KernelLock : std::uint8_t { taken, held_by_other, unsupported };
[[nodiscard]] KernelLock take_kernel_lock(int descriptor);

/// The same without taking it.
[[nodiscard]] KernelView view_kernel_lock(int descriptor);

/// Whether the open file is the one of that name.
[[nodiscard]] bool is_named(int descriptor, const std::filesystem::path& path);

/// A new file of this process, which no other one uses: LOCK.TOKEN.new.
[[nodiscard]] std::filesystem::path own_file(const std::filesystem::path& lock,
                                             const LockOwner& me);

/// What became of an attempt to give a file its name.
enum class Placed : std::uint8_t {
  done,
  exists,          ///< and appeared with its text
  exists_in_part,  ///< its text may be just being written
  gone,            ///< the own file is not there any more
};

/// Gives the finished own file `mine` the name `name` if nobody has it, in one step: link(2), which
/// network file systems have too, else renameat2(2). `mine` is not there afterwards. With neither,
/// the text is written to a file that is created exclusively.
[[nodiscard]] Placed place(const std::filesystem::path& mine, const std::filesystem::path& name,
                           const std::string& text);

/// Puts the text into a new file `path`. Throws RunError.
void write_new(const std::filesystem::path& path, const std::string& text);

/// Takes a stale lock over by files alone: of any number of processes that have seen the lock
/// `seen` at most one replaces it. False if it was another one, or the lock is another one by now.
[[nodiscard]] bool replace_lock(const std::filesystem::path& lock, const LockOwner& seen,
                                const LockOwner& me);

/// Deletes what processes that were killed while they took the lock have left beside it.
void remove_leftovers(const std::filesystem::path& lock, const LockOwner& me);

}  // namespace gridcast::store
