#include "gridcast/farm/signals.h"

#include <atomic>

namespace gridcast::sweep {
namespace {

// A signal handler can only reach what is static.
std::atomic<int> signal_seen{0};
static_assert(std::atomic<int>::is_always_lock_free);

void note(int number) { signal_seen.store(number); }

}  // namespace

StopSignals::StopSignals(Reaction reaction) {
  signal_seen.store(0);
  struct sigaction action {};
  action.sa_handler = reaction == Reaction::ignore ? SIG_IGN : note;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], &action, &before_[i]);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], &before_[i], nullptr);
  }
}

int StopSignals::requested() const noexcept { return signal_seen.load(); }

}  // namespace gridcast::sweep
