#include "event_gate.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

namespace sweep_test {

EventGate::EventGate(const std::filesystem::path& path) {
  // Opened before there is a writer, which would wait for us otherwise.
  if (::mkfifo(path.c_str(), 0600) != 0 ||
      (pipe_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
    throw std::runtime_error("mkfifo " + path.string());
  }
  constexpr int least_bytes = 4096;
  ::fcntl(pipe_, F_SETPIPE_SZ, least_bytes);
}

EventGate::~EventGate() {
  static_cast<void>(text());
  ::close(pipe_);
}

/// Waits a little for bytes and takes at most so many.
EventGate::Got EventGate::read(std::size_t most) {
  std::array<char, 4096> buffer{};
  pollfd wait{pipe_, POLLIN, 0};
  constexpr int milliseconds = 50;
  ::poll(&wait, 1, milliseconds);
  const ssize_t count = ::read(pipe_, buffer.data(), std::min(most, buffer.size()));
  if (count > 0) {
    text_.append(buffer.data(), static_cast<std::size_t>(count));
    return Got::bytes;
  }
  return (wait.revents & POLLHUP) != 0 ? Got::end : Got::nothing;
}

bool EventGate::pass_until(const Running& sweep, const std::function<bool()>& condition) {
  do {
    // Slowly, so that the sweep does by the clock what it does while few events have passed.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::size_t line = text_.size();
    while (text_.find('\n', line) == std::string::npos) {
      const bool gone = sweep.has_ended();
      const Got got = read(1);
      if (got == Got::end || (got == Got::nothing && gone)) {
        return false;
      }
    }
  } while (!condition());
  return true;
}

void EventGate::open() {
  reader_ = std::thread([this] {
    for (;;) {
      const bool ended = ended_;
      const Got got = read(std::string::npos);
      if (got == Got::end || (got == Got::nothing && ended)) {
        return;
      }
    }
  });
}

const std::string& EventGate::text() {
  ended_ = true;
  if (reader_.joinable()) {
    reader_.join();
  }
  return text_;
}

}  // namespace sweep_test
