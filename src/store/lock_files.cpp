#include "lock_files.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

#include "files.h"
#include "lock_owner.h"

namespace gridcast::store {
namespace {

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// Whether only this machine has the file system: then no lock on it is held elsewhere. Numbers of
/// statfs(2).
bool is_on_this_machine(int descriptor) {
  constexpr std::array<std::uint32_t, 8> kinds{
      0xEF53U,      // ext2, ext3, ext4
      0x58465342U,  // xfs
      0x9123683EU,  // btrfs
      0x01021994U,  // tmpfs
      0x794C7630U,  // overlay
      0xF2F52010U,  // f2fs
      0x2FC12FC1U,  // zfs
      0x858458F6U,  // ramfs
  };
  struct statfs facts {};
  return ::fstatfs(descriptor, &facts) == 0 &&
         std::find(kinds.begin(), kinds.end(), static_cast<std::uint32_t>(facts.f_type)) !=
             kinds.end();
}

/// In the names of claims on a lock without a token.
constexpr std::string_view no_token = "none";

std::string claim_prefix(const std::filesystem::path& lock, const LockOwner& seen) {
  return lock.string() + "." + (seen.token.empty() ? std::string(no_token) : seen.token) + ".claim";
}

/// Whether the lock is still the one that was seen.
bool is_unchanged(const std::filesystem::path& lock, const LockOwner& seen) {
  const std::optional<LockOwner> now = read_lock_file(lock);
  return now && *now == seen;
}

enum class Claim : std::uint8_t { mine, of_other, none };

/// One claim after the other is tried: a claim of a process that has ended stays, and the next one
/// counts. Thus the living process with a claim is the only one.
Claim claim(const std::string& prefix, const LockOwner& me, int& number) {
  constexpr int most_claims = 1000;
  for (number = 1; number <= most_claims; ++number) {
    const std::filesystem::path name = prefix + std::to_string(number);
    const std::filesystem::path mine = prefix + "." + me.token;
    write_new(mine, lock_text(me));
    if (place(mine, name, lock_text(me)) == Placed::done) {
      return Claim::mine;
    }
    const std::optional<LockOwner> other = read_lock_file(name);
    if (!other) {
      return Claim::none;  // the lock has been taken over meanwhile, its claims are gone
    }
    if (!is_stale(*other, me, KernelView::nothing)) {
      return Claim::of_other;
    }
  }
  return Claim::of_other;
}

/// Whether `name`, what follows "LOCK.", was given by own_file or is that of a claim.
bool is_own_name(std::string_view name) {
  const std::string_view token = name.substr(0, std::min(name.find('.'), name.size()));
  const std::string_view rest = name.substr(token.size());
  const bool random = token.size() == random_token_length &&
                      token.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return (random && rest == ".new") ||
         ((random || token == no_token) && rest.starts_with(".claim"));
}

/// Files in the directory of `lock` that only those who take it make.
std::vector<std::filesystem::path> files_beside(const std::filesystem::path& lock) {
  const std::string prefix = lock.filename().string() + ".";
  std::vector<std::filesystem::path> names;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(lock.parent_path(), failed), end;
       !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(prefix) && is_own_name(std::string_view(name).substr(prefix.size()))) {
      names.push_back(at->path());
    }
  }
  return names;
}

/// Whether the file was left by a process that has ended.
bool is_left(const std::filesystem::path& path, const LockOwner& me) {
  const Descriptor file(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    return false;
  }
  const LockOwner owner = read_lock_text(file.get(), path);
  const KernelView view = view_kernel_lock(file.get());
  // Without the kernel's word a text that is not whole may be one that is being written.
  return (owner.whole || view == KernelView::free_on_all) && is_stale(owner, me, view);
}

}  // namespace

KernelLock take_kernel_lock(int descriptor) {
  struct flock lock = whole_file();
  if (::fcntl(descriptor, F_OFD_SETLK, &lock) == 0) {
    return KernelLock::taken;
  }
  return errno == EAGAIN || errno == EACCES ? KernelLock::held_by_other : KernelLock::unsupported;
}

KernelView view_kernel_lock(int descriptor) {
  struct flock lock = whole_file();
  if (::fcntl(descriptor, F_OFD_GETLK, &lock) != 0) {
    return KernelView::nothing;
  }
  if (lock.l_type != F_UNLCK) {
    return KernelView::held;
  }
  return is_on_this_machine(descriptor) ? KernelView::free_on_all : KernelView::free;
}

bool is_named(int descriptor, const std::filesystem::path& path) {
  const std::optional<FileIdentity> open = identity_of(descriptor);
  return open && open == identity_of(path);
}

std::filesystem::path own_file(const std::filesystem::path& lock, const LockOwner& me) {
  return lock.string() + "." + me.token + ".new";
}

void write_new(const std::filesystem::path& path, const std::string& text) {
  const Descriptor file(create_anew(path));
  write_all(file.get(), path, std::as_bytes(std::span(text)));
}

Placed place(const std::filesystem::path& mine, const std::filesystem::path& name,
             const std::string& text) {
  if (::link(mine.c_str(), name.c_str()) == 0) {
    remove_quietly(mine);
    return Placed::done;
  }
  int number = errno;
  if (number == EEXIST) {
    // A network file system may have done it and lost its answer.
    struct stat status {};
    const bool linked = ::lstat(mine.c_str(), &status) == 0 && status.st_nlink == 2;
    remove_quietly(mine);
    return linked ? Placed::done : Placed::exists;
  }
  if (number == ENOENT) {
    return Placed::gone;
  }
  if (::renameat2(AT_FDCWD, mine.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) == 0) {
    return Placed::done;
  }
  number = errno;
  remove_quietly(mine);
  if (number == EEXIST) {
    return Placed::exists_in_part;
  }
  const Descriptor file(
      ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (file.get() < 0) {
    if (errno == EEXIST) {
      return Placed::exists_in_part;
    }
    throw RunError(name.string(), "cannot create the lock file: " + reason_of(errno),
                   remedy_of(errno, "allow writing in that directory"));
  }
  write_all(file.get(), name, std::as_bytes(std::span(text)));
  return Placed::done;
}

bool replace_lock(const std::filesystem::path& lock, const LockOwner& seen, const LockOwner& me) {
  const std::string prefix = claim_prefix(lock, seen);
  int number = 0;
  if (claim(prefix, me, number) != Claim::mine) {
    return false;
  }
  const std::filesystem::path mine = own_file(lock, me);
  // From here on nobody else replaces this lock; whether it was replaced before shows now.
  bool replaced = is_unchanged(lock, seen);
  if (replaced) {
    write_new(mine, lock_text(me));
    replaced = ::rename(mine.c_str(), lock.c_str()) == 0;
    for (int i = 1; i < number; ++i) {
      remove_quietly(prefix + std::to_string(i));
    }
  }
  remove_quietly(prefix + std::to_string(number));
  return replaced;
}

void remove_leftovers(const std::filesystem::path& lock, const LockOwner& me) {
  for (const std::filesystem::path& file : files_beside(lock)) {
    try {
      if (is_left(file, me)) {
        remove_quietly(file);
      }
    } catch (const RunError&) {
      // Somebody else's file; it is in nobody's way.
    }
  }
}

}  // namespace gridcast::store
