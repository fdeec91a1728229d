#include "files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include "gridcast/base/error.h"

namespace gridcast::store {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, int number) {
  throw RunError(path.string(), "cannot " + what + ": " + reason_of(number),
                 remedy_of(number, "see to the file system, then go on with --resume"));
}

void require_limit(const std::filesystem::path& path, std::size_t size) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      size > limit.rlim_cur) {
    fail(path, "extend the file", EFBIG);
  }
}

/// Some file systems and devices have nothing to wait for and say so.
bool cannot_sync(int number) noexcept { return number == EINVAL || number == ENOTSUP; }

}  // namespace

Descriptor::~Descriptor() {
  if (value_ >= 0) {
    ::close(value_);
  }
}

std::string reason_of(int error_number) {
  return std::error_code(error_number, std::generic_category()).message();
}

std::string remedy_of(int error_number, const char* otherwise) {
  switch (error_number) {
    case EACCES:
    case EPERM:
      return "give this user the right to it";
    case EROFS:
      return "choose a file system that can be written to";
    case EMFILE:
    case ENFILE:
      return "allow more open files (ulimit -n)";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return "make room, then go on with --resume";
    default:
      return otherwise;
  }
}

int open_descriptor(const std::filesystem::path& path, int flags) {
  constexpr mode_t mode = 0666;
  // Without O_NONBLOCK a pipe would be waited for; regular files do not know it.
  Descriptor file(
      ::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, mode));
  if (file.get() < 0 && errno == ELOOP) {
    throw RunError(path.string(), "is a symbolic link where a file of the store belongs",
                   "remove the link");
  }
  if (file.get() < 0) {
    fail(path, "open the file", errno);
  }
  require_regular(file.get(), path);
  return file.release();
}

void require_regular(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) {
    fail(path, "inspect the file", errno);
  }
  if (!S_ISREG(status.st_mode)) {
    throw RunError(path.string(),
                   std::string("is a ") +
                       (S_ISDIR(status.st_mode)    ? "directory"
                        : S_ISFIFO(status.st_mode) ? "pipe"
                        : S_ISSOCK(status.st_mode) ? "socket"
                                                   : "device") +
                       " where a file of the store belongs",
                   "remove it");
  }
}

std::uint64_t size_of_file(int descriptor, const std::filesystem::path& path) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) {
    fail(path, "inspect the file", errno);
  }
  return static_cast<std::uint64_t>(status.st_size);
}

int create_anew(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    fail(path, "replace the file", errno);
  }
  return open_descriptor(path, O_WRONLY | O_CREAT | O_EXCL);
}

void write_all(int descriptor, const std::filesystem::path& path,
               std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0) {
      if (errno == EINTR) {
        continue;
      }
      fail(path, "write the file", errno);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void write_at(int descriptor, const std::filesystem::path& path, std::uint64_t offset,
              std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno != EINTR) {
      fail(path, "write the file", errno);
    }
    const auto done = static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    bytes = bytes.subspan(done);
    offset += done;
  }
}

std::size_t read_at(int descriptor, const std::filesystem::path& path, std::uint64_t offset,
                    std::span<std::byte> bytes) {
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = ::pread(descriptor, bytes.data() + filled, bytes.size() - filled,
                                  static_cast<off_t>(offset + filled));
    if (count < 0 && errno != EINTR) {
      throw RunError(path.string(), "cannot read the file: " + reason_of(errno),
                     "its results are not lost: make it readable");
    }
    if (count == 0) {
      break;
    }
    filled += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
  }
  return filled;
}

void reserve_space(const std::filesystem::path& path, std::size_t bytes) {
  const Descriptor file(open_descriptor(path, O_WRONLY));
  struct stat status {};
  if (fstat(file.get(), &status) != 0) {
    fail(path, "inspect the file", errno);
  }
  require_limit(path, static_cast<std::size_t>(status.st_size) + bytes);
  int result = 0;
  do {
    result = fallocate(file.get(), FALLOC_FL_KEEP_SIZE, status.st_size, static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result != 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
    fail(path, "extend the file", errno);
  }
}

void copy_contents(const std::filesystem::path& from, const std::filesystem::path& to) {
  const Descriptor source(open_descriptor(from, O_RDONLY));
  const Descriptor target(create_anew(to));
  struct stat status {};
  if (fstat(source.get(), &status) != 0) {
    fail(from, "inspect the file", errno);
  }
  require_limit(to, static_cast<std::size_t>(status.st_size));
  constexpr std::size_t block = std::size_t{1} << 20U;
  std::vector<std::byte> buffer(block);
  while (true) {
    const ssize_t count = ::read(source.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      fail(from, "read the file", errno);
    }
    if (count == 0) {
      return;
    }
    write_all(target.get(), to, std::span(buffer).first(static_cast<std::size_t>(count)));
  }
}

void sync_file(int descriptor, const std::filesystem::path& path) {
  int result = 0;
  do {
    result = ::fdatasync(descriptor);
  } while (result != 0 && errno == EINTR);
  if (result != 0 && !cannot_sync(errno)) {
    fail(path, "put the file on disk", errno);
  }
}

void sync_directory_of(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0) {
    if (errno == EACCES) {
      return;  // may be written but not read; then there is no way to wait for it
    }
    fail(folder, "open the directory", errno);
  }
  int result = 0;
  do {
    result = ::fsync(directory.get());
  } while (result != 0 && errno == EINTR);
  if (result != 0 && !cannot_sync(errno)) {
    fail(folder, "put the directory on disk", errno);
  }
}

void publish_file(const std::filesystem::path& from, const std::filesystem::path& to, Disk disk) {
  {
    const Descriptor file(open_descriptor(from, O_WRONLY));
    struct stat status {};
    // Cuts off what reserve_space took too much.
    if (fstat(file.get(), &status) != 0 || ftruncate(file.get(), status.st_size) != 0) {
      fail(from, "write the file", errno);
    }
    if (disk == Disk::wait) {
      sync_file(file.get(), from);
    }
  }
  if (::rename(from.c_str(), to.c_str()) != 0) {
    fail(to, "replace the file", errno);
  }
  if (disk == Disk::wait) {
    sync_directory_of(to);
  }
}

std::filesystem::path keep_aside(const std::filesystem::path& path) {
  std::filesystem::path copy = path.string() + ".damaged";
  for (int number = 2; std::filesystem::exists(std::filesystem::symlink_status(copy)); ++number) {
    copy = path.string() + ".damaged." + std::to_string(number);
  }
  copy_contents(path, copy);
  return copy;
}

std::optional<FileIdentity> identity_of(const std::filesystem::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    return std::nullopt;
  }
  return FileIdentity{status.st_dev, status.st_ino};
}

std::optional<FileIdentity> identity_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    return std::nullopt;
  }
  return FileIdentity{status.st_dev, status.st_ino};
}

void remove_quietly(const std::filesystem::path& path) noexcept {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

}  // namespace gridcast::store
