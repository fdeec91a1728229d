#pragma once
/// Holds a sweep where a test wants it: its events go through a pipe that the test reads line by
/// line. Rank 0 waits while the pipe is full, however fast or slow the machine is.

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "launch.h"

namespace sweep_test {

class EventGate {
public:
  /// Makes the pipe; to be given to the sweep as its file of events.
  explicit EventGate(const std::filesystem::path& path);
  ~EventGate();
  EventGate(const EventGate&) = delete;
  EventGate& operator=(const EventGate&) = delete;

  /// Lets events pass one by one until the condition holds after one of them. From then on the
  /// sweep gets only some 30 events further. False if it ended before.
  [[nodiscard]] bool pass_until(const Running& sweep, const std::function<bool()>& condition);

  /// From now on all events pass.
  void open();

  /// All events, when the sweep has ended.
  [[nodiscard]] const std::string& text();

private:
  enum class Got : std::uint8_t { bytes, nothing, end };
  [[nodiscard]] Got read(std::size_t most);

  int pipe_ = -1;
  std::string text_;
  std::atomic<bool> ended_{false};  ///< what is in the pipe is all
  std::thread reader_;
};

}  // namespace sweep_test
