#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "gridcast/error.h"
#include "gridcast/store/lock.h"
#include "gridcast/store/writer.h"
#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

void write_lock(const std::filesystem::path& store, const LockOwner& owner) {
  std::ofstream(lock_path(store)) << "host=" << owner.host << "\nboot=" << owner.boot
                                  << "\npid=" << owner.pid << "\nstart_time=" << owner.start_time
                                  << "\njob=" << owner.job << "\nrestart=" << owner.restart << '\n';
}

/// A process that has ended and that nobody has waited for yet is dead too.
pid_t ended_process() {
  const pid_t child = fork();
  if (child == 0) {
    _exit(0);
  }
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
  return child;
}

}  // namespace

TEST_CASE("a second writer is refused on one line that names the first") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  StoreWriter writer = StoreWriter::create(path, sample_setup());
  const std::string message =
      message_of<InputError>([&] { (void)StoreWriter::resume(path, sample_setup()); });
  REQUIRE_THAT(message, Catch::Contains("process " + std::to_string(getpid()) + " on "));
  REQUIRE(message.find('\n') == std::string::npos);
  REQUIRE(read_store(path).state == StoreState::running);
  writer.append(sample_row(0));
  writer.close();
  REQUIRE(read_store(path).state == StoreState::stopped);
  REQUIRE_FALSE(std::filesystem::exists(lock_path(path)));
}

TEST_CASE("a lock file tells who holds it") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  setenv("SLURM_JOB_ID", "4711", 1);
  {
    const StoreLock lock(path);
    const std::optional<LockOwner> owner = read_lock(path);
    REQUIRE(owner->pid == getpid());
    REQUIRE(owner->job == "4711");
    REQUIRE(owner->start_time > 0);
    REQUIRE(*owner == current_owner());
    REQUIRE_THAT(message_of<InputError>([&] { const StoreLock second(path); }),
                 Catch::Contains("job 4711"));
  }
  unsetenv("SLURM_JOB_ID");
  REQUIRE(names_in(directory.path()).empty());
}

TEST_CASE("locks of ended processes are replaced") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  LockOwner owner = current_owner();

  SECTION("the process ended") {
    owner.pid = ended_process();
    owner.start_time = 0;
    write_lock(path, owner);
    { const StoreLock lock(path); }
    waitpid(static_cast<pid_t>(owner.pid), nullptr, 0);
  }
  SECTION("its number belongs to a process that started at another time") {
    owner.start_time += 1;
    write_lock(path, owner);
    const StoreLock lock(path);
    REQUIRE(read_lock(path)->start_time == current_owner().start_time);
  }
  SECTION("the host was started anew") {
    owner.boot = "00000000-0000-0000-0000-000000000000";
    write_lock(path, owner);
    const StoreLock lock(path);
  }
  REQUIRE(names_in(directory.path()).empty());
}

TEST_CASE("the lock of another host counts as held, except by an earlier start of the same job") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  LockOwner other{"elsewhere", "b", 1, 2, "4711", 0};
  LockOwner me = current_owner();
  REQUIRE_FALSE(is_stale(other, me));
  me.job = "4711";
  REQUIRE_FALSE(is_stale(other, me));
  me.restart = 1;
  REQUIRE(is_stale(other, me));
  me.job = "4712";
  REQUIRE_FALSE(is_stale(other, me));
  write_lock(path, other);
  REQUIRE_THAT(message_of<InputError>([&] { const StoreLock lock(path); }),
               Catch::Contains("process 1 on elsewhere, job 4711"));
  REQUIRE(*read_lock(path) == other);
}

TEST_CASE("an empty lock file counts as held") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  std::ofstream(lock_path(path)).flush();
  REQUIRE_THROWS_AS(StoreLock(path), InputError);
}

TEST_CASE("what killed processes left beside a lock goes with the next writer") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  const pid_t ended = ended_process();
  waitpid(ended, nullptr, 0);
  const auto beside = [&](pid_t pid, const std::string& purpose) {
    const std::filesystem::path file = lock_path(path).string() + "." + current_owner().host + "." +
                                       std::to_string(pid) + "." + purpose;
    std::ofstream(file) << "pid=" << pid << '\n';
    return file;
  };
  const std::filesystem::path renamed = beside(ended, "stale");
  const std::filesystem::path placed = beside(ended, "new");
  const std::filesystem::path foreign = beside(ended, "notes");
  const std::filesystem::path living = beside(getppid(), "new");
  const StoreLock lock(path);
  CHECK_FALSE(std::filesystem::exists(renamed));
  CHECK_FALSE(std::filesystem::exists(placed));
  CHECK(std::filesystem::exists(foreign));
  CHECK(std::filesystem::exists(living));
}
