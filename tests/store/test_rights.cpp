#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "gridcast/base/error.h"
#include "gridcast/store/repair.h"
#include "gridcast/store/writer.h"
#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

/// As a user without rights, if the tests run as root.
class Nobody {
public:
  Nobody() {
    if (::geteuid() == 0) {
      constexpr uid_t nobody = 65534;
      was_root_ = ::seteuid(nobody) == 0;
    }
  }
  Nobody(const Nobody&) = delete;
  Nobody& operator=(const Nobody&) = delete;
  ~Nobody() {
    if (was_root_ && ::seteuid(0) != 0) {
      std::abort();
    }
  }

private:
  bool was_root_ = false;
};

/// No further file can be opened.
class NoMoreFiles {
public:
  NoMoreFiles() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;
  ~NoMoreFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
  rlimit before_{};
};

template <class Limit>
std::string complaint_about(const std::filesystem::path& path) {
  std::string message;
  const Limit limit;
  try {
    static_cast<void>(read_store(path));
  } catch (const RunError& error) {
    message = error.what();
  }
  return message;
}

}  // namespace

TEST_CASE("a store that cannot be opened is not called something else") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  StoreWriter::create(path, sample_setup()).close();
  SECTION("for want of rights") {
    std::filesystem::permissions(directory.path(), std::filesystem::perms::all);
    std::filesystem::permissions(path, std::filesystem::perms::none);
    CHECK(complaint_about<Nobody>(path) ==
          path.string() +
              ": cannot open the file: Permission denied (give this user the right to it)");
  }
  SECTION("for want of descriptors") {
    CHECK_THAT(complaint_about<NoMoreFiles>(path),
               Catch::Contains("Too many open files (allow more open files (ulimit -n))"));
  }
}
