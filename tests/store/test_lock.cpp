#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <optional>

#include "gridcast/base/error.h"
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
    REQUIRE(*owner == lock.owner());
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

TEST_CASE("what the text of a lock says about its writer") {
  const LockOwner me = [] {
    LockOwner owner = current_owner();
    owner.job = "4711";
    owner.restart = 1;
    return owner;
  }();
  LockOwner other{"elsewhere", "b", 1, 2, "4711", 1};
  const auto stale = [&](KernelView view) { return is_stale(other, me, view); };
  REQUIRE_FALSE(stale(KernelView::nothing));

  SECTION("an earlier start of the same job on another machine is over") {
    other.restart = 0;
    REQUIRE(stale(KernelView::nothing));
    REQUIRE(stale(KernelView::free));
    REQUIRE_FALSE(stale(KernelView::held));
    other.job = "4712";
    REQUIRE_FALSE(stale(KernelView::nothing));
  }
  SECTION("a living process keeps its lock, whichever start of the job it is") {
    other = current_owner();
    other.job = "4711";
    other.restart = 0;
    REQUIRE_FALSE(stale(KernelView::nothing));
  }
  SECTION("a number of another process namespace says nothing") {
    other = current_owner();
    other.pid = ended_process();
    waitpid(static_cast<pid_t>(other.pid), nullptr, 0);
    REQUIRE(stale(KernelView::nothing));
    other.pid_namespace += 1;
    REQUIRE_FALSE(stale(KernelView::nothing));
    other.kernel = true;
    REQUIRE(stale(KernelView::free));  // but the kernel knows all its processes
  }
  SECTION("another machine is only known to have let go if nobody else has the file system") {
    other.kernel = true;
    REQUIRE_FALSE(stale(KernelView::free));
    REQUIRE(stale(KernelView::free_on_all));
    other.kernel = false;
    REQUIRE_FALSE(stale(KernelView::free_on_all));
  }
  SECTION("a torn text is that of a crash, unless the kernel knows better") {
    other.whole = false;
    REQUIRE(stale(KernelView::nothing));
    REQUIRE_FALSE(stale(KernelView::held));
  }
}

TEST_CASE("the lock of a process on another host is respected") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  write_lock(path, {"elsewhere", "b", 1, 2, "4711", 0});
  const std::string before = contents(lock_path(path));
  const LockMethod method = GENERATE(LockMethod::automatic, LockMethod::file);
  REQUIRE_THAT(message_of<InputError>([&] { const StoreLock lock(path, {method}); }),
               Catch::Contains("process 1 on elsewhere, job 4711"));
  REQUIRE(contents(lock_path(path)) == before);
  REQUIRE(names_in(directory.path()) == std::vector<std::string>{"S.h5.lock"});
}

TEST_CASE("a lock file as a power cut leaves it is taken over") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  const LockMethod method = GENERATE(LockMethod::automatic, LockMethod::file);
  std::string text;
  {
    const StoreLock lock(path, {method});
    text = contents(lock_path(path));
  }
  const std::size_t length = GENERATE_COPY(std::size_t{0}, std::size_t{30}, text.size() / 2);
  std::ofstream(lock_path(path)) << text.substr(0, length);
  REQUIRE_FALSE(is_locked(path));
  {
    const StoreLock lock(path, {method});
    REQUIRE(lock.is_held());
    REQUIRE(read_lock(path)->pid == getpid());
    REQUIRE(is_locked(path));
  }
  std::ofstream(lock_path(path)) << std::string(text.size(), '\0');
  { const StoreLock lock(path, {method}); }
  REQUIRE(names_in(directory.path()).empty());
}

TEST_CASE("every lock has a larger epoch than the one it takes over") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  const LockMethod method = GENERATE(LockMethod::automatic, LockMethod::file);
  std::string left;
  {
    StoreLock lock(path, {method});
    lock.raise_epoch(41);
    left = contents(lock_path(path));
    REQUIRE(read_lock(path)->epoch == 41);
  }
  LockOwner owner = current_owner();
  const std::string number = "\npid=" + std::to_string(owner.pid) + "\n";
  const pid_t ended = ended_process();
  waitpid(ended, nullptr, 0);
  left.replace(left.find(number), number.size(), "\npid=" + std::to_string(ended) + "\n");
  std::ofstream(lock_path(path)) << left;
  const StoreLock lock(path, {method});
  REQUIRE(lock.owner().epoch == 42);
  REQUIRE(read_lock(path)->epoch == 42);
}

TEST_CASE("a lock file that is a link is not followed") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  std::ofstream(directory / "victim") << "precious";
  std::filesystem::create_symlink("victim", lock_path(path));
  REQUIRE_THROWS_AS(StoreLock(path), RunError);
  REQUIRE(contents(directory / "victim") == "precious");
  REQUIRE(std::filesystem::is_symlink(lock_path(path)));
}

TEST_CASE("what killed processes left beside a lock goes with the next writer") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  const pid_t ended = ended_process();
  waitpid(ended, nullptr, 0);
  std::string text;
  {
    const StoreLock lock(path, {LockMethod::file});
    text = contents(lock_path(path));
  }
  const auto beside = [&](pid_t pid, const std::string& name) {
    const std::filesystem::path file = lock_path(path).string() + "." + name;
    const std::string number = "\npid=" + std::to_string(getpid()) + "\n";
    std::string changed = text;
    changed.replace(changed.find(number), number.size(), "\npid=" + std::to_string(pid) + "\n");
    changed.replace(changed.find("\nstart_time="), 12, "\nstart_time=0\nold_time=");
    std::ofstream(file) << changed;
    return file;
  };
  const std::string token(32, 'a');
  const std::filesystem::path placed = beside(ended, token + ".new");
  const std::filesystem::path claim = beside(ended, token + ".claim1");
  const std::filesystem::path foreign = beside(ended, "notes");
  const std::filesystem::path living = beside(getppid(), std::string(32, 'b') + ".new");
  const StoreLock lock(path);
  CHECK_FALSE(std::filesystem::exists(claim));
  CHECK_FALSE(std::filesystem::exists(placed));
  CHECK(std::filesystem::exists(foreign));
  CHECK(std::filesystem::exists(living));
}
