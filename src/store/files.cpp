#include "files.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include "gridcast/error.h"

namespace gridcast::store {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what, int number) {
  throw RunError(path.string(), "cannot " + what + ": " + reason_of(number),
                 "make room or allow writing, then go on with --resume");
}

void require_limit(const std::filesystem::path& path, std::size_t size) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      size > limit.rlim_cur) {
    fail(path, "extend the file", EFBIG);
  }
}

}  // namespace

Descriptor::~Descriptor() {
  if (value_ >= 0) {
    ::close(value_);
  }
}

std::string reason_of(int error_number) {
  return std::error_code(error_number, std::generic_category()).message();
}

int open_descriptor(const std::filesystem::path& path, int flags) {
  constexpr mode_t mode = 0666;
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  if (descriptor < 0) {
    fail(path, "open the file", errno);
  }
  return descriptor;
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
  const Descriptor target(open_descriptor(to, O_WRONLY | O_CREAT | O_TRUNC));
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

void publish_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  {
    const Descriptor file(open_descriptor(from, O_WRONLY));
    struct stat status {};
    // Cuts off what reserve_space took too much.
    if (fstat(file.get(), &status) != 0 || ftruncate(file.get(), status.st_size) != 0 ||
        fdatasync(file.get()) != 0) {
      fail(from, "write the file", errno);
    }
  }
  if (::rename(from.c_str(), to.c_str()) != 0) {
    fail(to, "replace the file", errno);
  }
}

void remove_quietly(const std::filesystem::path& path) noexcept {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
}

}  // namespace gridcast::store
