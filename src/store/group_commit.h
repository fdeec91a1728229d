#pragma once
/// Puts what was written on disk from time to time, on a thread of its own: many writes share one
/// wait for the disk, and the one who writes waits for none.

#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace gridcast::store {

class GroupCommit {
public:
  /// Waits for the disk; throws if that fails.
  using Sync = std::function<void()>;

  /// From the begin of one sync to that of the next at least `period` passes.
  explicit GroupCommit(std::chrono::milliseconds period);
  GroupCommit(const GroupCommit&) = delete;
  GroupCommit& operator=(const GroupCommit&) = delete;
  /// Waits for a sync that is under way and begins none.
  ~GroupCommit();

  /// From now on `sync` is called; what was written before needs none any more.
  void watch(Sync sync);

  /// Something was written: a sync begins within the period. Throws what an earlier sync threw: the
  /// kernel may have dropped what it could not write, so that trying again would only seem to work.
  void written();

private:
  void run();

  const std::chrono::milliseconds period_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Sync sync_;
  bool waiting_ = false;  ///< something was written since the last sync began
  bool ended_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  ///< last, it uses the others
};

}  // namespace gridcast::store
