#pragma once
/// Waiting without burning a core: MPI's own waits spin.

#include <algorithm>
#include <chrono>
#include <thread>

namespace gridcast::sweep {

/// Sleeps longer and longer while nothing happens.
class Idle {
public:
  /// Something happened: the next wait is short again.
  void reset() noexcept { nap_ = shortest; }

  void wait() {
    std::this_thread::sleep_for(nap_);
    nap_ = std::min(2 * nap_, longest);
  }

private:
  static constexpr std::chrono::microseconds shortest{20};
  static constexpr std::chrono::microseconds longest{1000};
  std::chrono::microseconds nap_ = shortest;
};

/// Seconds of a clock that never goes back.
[[nodiscard]] inline double seconds_now() noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace gridcast::sweep
