#include <catch2/catch.hpp>
#include <condition_variable>
#include <mutex>

#include "gridcast/base/error.h"
#include "store/group_commit.h"

using namespace gridcast;
using namespace gridcast::store;

namespace {

/// A disk whose syncs the test lets through one by one.
class SteppedDisk {
public:
  /// What the thread calls: waits until the test lets it go on.
  void sync() {
    std::unique_lock hold(mutex_);
    ++begun_;
    changed_.notify_all();
    changed_.wait(hold, [this] { return allowed_ > ended_; });
    ++ended_;
    changed_.notify_all();
    if (broken_) {
      throw RunError("disk", "broke", "buy another");
    }
  }
  void wait_for_begun(int count) {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [&] { return begun_ >= count; });
  }
  void let_end(int count) {
    std::unique_lock hold(mutex_);
    allowed_ = count;
    changed_.notify_all();
    changed_.wait(hold, [&] { return ended_ >= count; });
  }
  void break_it() {
    const std::lock_guard hold(mutex_);
    broken_ = true;
  }
  [[nodiscard]] int begun() {
    const std::lock_guard hold(mutex_);
    return begun_;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int begun_ = 0;
  int ended_ = 0;
  int allowed_ = 0;
  bool broken_ = false;
};

}  // namespace

TEST_CASE("writes during a sync wait for nothing and share the next one") {
  SteppedDisk disk;
  {
    GroupCommit commit(std::chrono::milliseconds(0));
    commit.watch([&] { disk.sync(); });
    commit.written();
    disk.wait_for_begun(1);
    for (int i = 0; i < 1000; ++i) {
      commit.written();  // returns although the disk does not answer
    }
    REQUIRE(disk.begun() == 1);
    disk.let_end(1);
    disk.wait_for_begun(2);
    disk.let_end(2);
  }
  REQUIRE(disk.begun() == 2);
}

TEST_CASE("what was written before a new file is watched needs no sync") {
  SteppedDisk first;
  SteppedDisk second;
  {
    GroupCommit commit(std::chrono::milliseconds(0));
    commit.watch([&] { first.sync(); });
    commit.written();
    first.wait_for_begun(1);
    commit.written();
    commit.watch([&] { second.sync(); });
    first.let_end(1);
    commit.written();
    second.wait_for_begun(1);
    second.let_end(1);
  }
  REQUIRE(first.begun() == 1);
  REQUIRE(second.begun() == 1);
}

TEST_CASE("a failed sync is reported and not tried again") {
  SteppedDisk disk;
  disk.break_it();
  GroupCommit commit(std::chrono::milliseconds(0));
  commit.watch([&] { disk.sync(); });
  commit.written();
  disk.wait_for_begun(1);
  disk.let_end(1);
  // The failure is known when the thread has noted it; until then more may be written.
  while (true) {
    try {
      commit.written();
    } catch (const RunError& error) {
      REQUIRE_THAT(error.what(), Catch::Contains("broke"));
      break;
    }
  }
  REQUIRE_THROWS_AS(commit.written(), RunError);
  REQUIRE(disk.begun() == 1);
}
