#pragma once
/// Signals that ask a sweep to stop early: SIGTERM, SIGINT, SIGUSR1 (batch systems send one of them
/// before they end a job).

#include <signal.h>

#include <array>

namespace gridcast::sweep {

/// While it exists, the signals are taken here instead of ending the process; afterwards the
/// earlier handlers are back. At most one at a time in a process.
class StopSignals {
public:
  /// What a signal does.
  enum class Reaction : bool {
    ignore,   ///< workers: rank 0 tells them when to stop
    request,  ///< rank 0: requested() becomes true
  };

  explicit StopSignals(Reaction reaction);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Number of the signal that came; 0 if none did.
  [[nodiscard]] int requested() const noexcept;

private:
  static constexpr std::array<int, 3> signals{SIGTERM, SIGINT, SIGUSR1};
  std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace gridcast::sweep
