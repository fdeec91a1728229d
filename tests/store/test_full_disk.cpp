#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>

#include "gridcast/base/error.h"
#include "gridcast/store/writer.h"
#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

constexpr std::int64_t many_rows = 40'000;

StoreSetup disk_setup() {
  StoreSetup setup = sample_setup();
  setup.chunk_rows = 512;
  return setup;
}

/// Fills a store until it fails; true if that is a RunError on one line that names the store.
bool fails_well(const std::filesystem::path& path, const char* reason) {
  const std::string message = message_of<RunError>([&] {
    StoreWriter writer = StoreWriter::create(path, disk_setup());
    for (std::int64_t i = 0; i < many_rows; ++i) {
      writer.append(sample_row(i));
      if (i % 100 == 0) {
        writer.flush();
      }
    }
    writer.finish(std::nullopt);
  });
  return message.starts_with(path.string()) && message.find(reason) != std::string::npos &&
         message.find('\n') == std::string::npos;
}

/// Runs `task` in a process of its own, whose limits and exit handlers are its own too. True if it
/// returned true and the process ended with exit code 0, that is without trouble in HDF5's exit
/// handler.
bool passes_in_child(const std::function<bool()>& task) {
  const pid_t child = fork();
  if (child == 0) {
    bool passed = false;
    try {
      passed = task();
    } catch (const std::exception& error) {
      fprintf(stderr, "%s\n", error.what());
    }
    std::exit(passed ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void require_readable_and_resumable(const std::filesystem::path& path) {
  const ScriptResult result = run_script("check_store.py", {"open", path.string()});
  INFO(result.output);
  REQUIRE(result.exit_code == 0);
  const auto rows = static_cast<std::int64_t>(read_store(path).table.rows.size());
  REQUIRE(rows > 0);
  REQUIRE(rows < many_rows);
  REQUIRE(csv_of(read_store(path).table) == expected_csv(rows));
}

/// A file system of limited size; needs the rights to mount.
class SmallDisk {
public:
  SmallDisk(const std::filesystem::path& directory, const std::string& size)
      : directory_(directory) {
    std::filesystem::create_directory(directory);
    const std::string options = "size=" + size;
    mounted_ = mount("tmpfs", directory.c_str(), "tmpfs", 0, options.c_str()) == 0;
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) {
      umount2(directory_.c_str(), MNT_DETACH);
    }
  }
  [[nodiscard]] bool mounted() const noexcept { return mounted_; }
  void grow(const std::string& size) const {
    const std::string options = "size=" + size;
    REQUIRE(mount("tmpfs", directory_.c_str(), "tmpfs", MS_REMOUNT, options.c_str()) == 0);
  }

private:
  std::filesystem::path directory_;
  bool mounted_ = false;
};

}  // namespace

TEST_CASE("a limit on the size of files ends a run with an error and a readable store") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  const bool passed = passes_in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1'500'000, 1'500'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    return fails_well(path, "File too large");
  });
  REQUIRE(passed);
  require_readable_and_resumable(path);
}

TEST_CASE("a full disk ends a run with an error, and with more room it goes on") {
  const TemporaryDirectory directory;
  const SmallDisk disk(directory / "disk", "6m");
  if (!disk.mounted()) {
    WARN("skipped: mounting a small file system needs the rights of root");
    return;
  }
  const auto path = directory / "disk" / "S.h5";
  REQUIRE(passes_in_child([&] { return fails_well(path, "No space left on device"); }));
  require_readable_and_resumable(path);

  disk.grow("100m");
  StoreWriter writer = StoreWriter::resume(path, disk_setup());
  for (std::int64_t i = writer.rows(); i < many_rows; ++i) {
    writer.append(sample_row(i));
  }
  writer.finish(std::nullopt);
  REQUIRE(csv_of(read_store(path).table) == expected_csv(many_rows));
}

TEST_CASE("a disk that is full from the beginning leaves nothing behind") {
  const TemporaryDirectory directory;
  const SmallDisk disk(directory / "disk", "128k");
  if (!disk.mounted()) {
    WARN("skipped: mounting a small file system needs the rights of root");
    return;
  }
  REQUIRE(passes_in_child(
      [&] { return fails_well(directory / "disk" / "S.h5", "No space left on device"); }));
  REQUIRE(names_in(directory / "disk").empty());
}
