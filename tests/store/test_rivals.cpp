#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <functional>

#include "gridcast/base/error.h"
#include "rivals.h"
#include "sample.h"

using namespace gridcast;
using namespace gridcast::store;
using namespace gridcast::store::testing;

namespace {

void require_one_writer(int rounds, LockMethod method) {
  const TemporaryDirectory directory;
  constexpr int contenders = 6;
  const RivalCounts counts = contend(directory / "S.h5", rounds, contenders, method);
  CHECK(counts.rounds == rounds);
  CHECK(counts.doubles == 0);
  CHECK(counts.without == 0);
  CHECK(counts.errors == 0);
  CHECK(names_in(directory.path()).empty());
}

/// A process that runs `first` and then stays until it is killed.
class Neighbour {
public:
  explicit Neighbour(const std::function<void()>& first) {
    REQUIRE(pipe(ready_.data()) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      run(first);
    }
    close(ready_[1]);
    char word = 0;
    ended_ = read(ready_[0], &word, 1) != 1;
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  ~Neighbour() {
    end();
    close(ready_[0]);
  }
  /// It could not do what it was to do.
  [[nodiscard]] bool failed() const noexcept { return ended_; }
  void end() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
      pid_ = -1;
    }
  }

private:
  [[noreturn]] void run(const std::function<void()>& first) {
    close(ready_[0]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      first();
    } catch (const std::exception&) {
      _exit(1);
    }
    if (write(ready_[1], "r", 1) != 1) {
      _exit(1);
    }
    while (true) {
      pause();
    }
  }

  std::array<int, 2> ready_{};
  pid_t pid_ = -1;
  bool ended_ = false;
};

/// From here on children are in a process namespace of their own; false if that is not permitted.
bool enter_process_namespace() {
  return unshare(CLONE_NEWPID) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWPID) == 0;
}

/// Whether a child in a process namespace of its own gets the lock; -1: such are not permitted.
int taken_in_namespace(const std::filesystem::path& store, LockMethod method) {
  const pid_t outer = fork();
  if (outer == 0) {
    if (!enter_process_namespace()) {
      _exit(2);
    }
    const pid_t inner = fork();
    if (inner == 0) {
      try {
        { const StoreLock lock(store, {method}); }
        _exit(1);
      } catch (const InputError&) {
        _exit(0);
      }
    }
    int status = 0;
    waitpid(inner, &status, 0);
    _exit(WEXITSTATUS(status));
  }
  int status = 0;
  waitpid(outer, &status, 0);
  return WEXITSTATUS(status) == 2 ? -1 : WEXITSTATUS(status);
}

void become_start(int restart) {
  setenv("SLURM_JOB_ID", "4711", 1);
  setenv("SLURM_RESTART_COUNT", std::to_string(restart).c_str(), 1);
}

void leave_job() {
  unsetenv("SLURM_JOB_ID");
  unsetenv("SLURM_RESTART_COUNT");
}

}  // namespace

TEST_CASE(
    "of six processes that take over a stale lock at once one gets it, by the kernel's lock") {
  require_one_writer(2000, LockMethod::automatic);
}

TEST_CASE("of six processes that take over a stale lock at once one gets it, by the file") {
  require_one_writer(1000, LockMethod::file);
}

// The long form; run with the argument "[.contention]".
TEST_CASE("a hundred thousand contended takeovers", "[.contention]") {
  require_one_writer(50'000, LockMethod::automatic);
  require_one_writer(50'000, LockMethod::file);
}

TEST_CASE("a writer in another process namespace with the same host name is seen") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  const LockMethod method = GENERATE(LockMethod::automatic, LockMethod::file);
  {
    const StoreLock lock(path, {method});
    const int taken = taken_in_namespace(path, method);
    if (taken < 0) {
      WARN("this machine does not permit process namespaces: not tested");
      return;
    }
    REQUIRE(taken == 0);
  }
  REQUIRE(taken_in_namespace(path, method) == 1);
  // The other way round: the number of the writer inside is that of another process outside.
  Neighbour inside([&] {
    if (!enter_process_namespace()) {
      throw RunError("namespace", "not permitted", "");
    }
    std::array<int, 2> held{};
    if (pipe(held.data()) != 0) {
      throw RunError("pipe", "not made", "");
    }
    const pid_t inner = fork();
    if (inner == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody else would end it
      const StoreLock lock(path, {method});
      if (write(held[1], "h", 1) != 1) {
        _exit(1);
      }
      while (true) {
        pause();
      }
    }
    close(held[1]);
    char word = 0;
    if (read(held[0], &word, 1) != 1) {
      throw RunError("lock", "not taken", "");
    }
  });
  REQUIRE_FALSE(inside.failed());
  REQUIRE(is_locked(path));
  REQUIRE_THAT(message_of<InputError>([&] { const StoreLock lock(path, {method}); }),
               Catch::Contains("is being written by process"));
}

TEST_CASE("a killed writer of another process namespace is known to be gone by the kernel") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  {
    Neighbour writer([&] {
      static std::optional<StoreLock> lock;
      lock.emplace(path);
    });
    REQUIRE_FALSE(writer.failed());
    REQUIRE_THROWS_AS(StoreLock(path), InputError);
    // As if it had written from another namespace, where its number is that of a living process.
    const std::optional<LockOwner> owner = read_lock(path);
    REQUIRE(owner->kernel);
    writer.end();
  }
  REQUIRE_FALSE(is_locked(path));
  const StoreLock lock(path);
  REQUIRE(lock.is_held());
}

TEST_CASE("a living process keeps its lock when its job is started again on the same host") {
  const TemporaryDirectory directory;
  const auto path = directory / "S.h5";
  const LockMethod method = GENERATE(LockMethod::automatic, LockMethod::file);
  become_start(0);
  Neighbour predecessor([&] {
    static std::optional<StoreLock> lock;
    lock.emplace(path, LockOptions{method});
  });
  REQUIRE_FALSE(predecessor.failed());
  become_start(1);
  SECTION("without patience the newcomer goes away and may come again") {
    REQUIRE_THAT(
        message_of<PredecessorRuns>([&] { const StoreLock lock(path, LockOptions{method}); }),
        Catch::Contains("an earlier start of this job"));
  }
  SECTION("a patient newcomer gets the lock when the earlier start has ended") {
    LockOptions options{method, std::chrono::hours(1)};
    int waits = 0;
    options.waiting = [&](const std::string&) {
      ++waits;
      REQUIRE(is_locked(path));
      predecessor.end();
    };
    const StoreLock lock(path, options);
    REQUIRE(waits == 1);
    REQUIRE(lock.is_held());
    REQUIRE(read_lock(path)->restart == 1);
  }
  SECTION("a newcomer that is told to stop does not wait") {
    LockOptions options{method, std::chrono::hours(1)};
    bool stopped = false;
    options.waiting = [&](const std::string&) { stopped = true; };
    options.stop = [&] { return stopped; };
    REQUIRE_THROWS_AS(StoreLock(path, options), PredecessorRuns);
  }
  leave_job();
}
