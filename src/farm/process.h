#pragma once
/// Identity of a process and whether it still runs: a rank that was killed cannot say so itself.

#include <array>
#include <cstdint>

namespace gridcast::sweep {

/// A plain value that travels in an MPI message.
struct ProcessIdentity {
  std::array<char, 64> host{};  ///< name of the host, zero-terminated
  std::int64_t pid = 0;
  std::uint64_t start_time = 0;  ///< clock ticks since boot; tells processes with one pid apart
  /// Of the numbers of processes: of this start of the machine and this namespace; 0: not known.
  std::uint64_t space = 0;
};

/// This process.
[[nodiscard]] ProcessIdentity this_process();

/// Looks after one process of this host.
class ProcessWatch {
public:
  /// Watches nothing.
  ProcessWatch() = default;

  /// Watches `process` if it is visible from here: on the same host and in the same space of
  /// process numbers. It may be gone already.
  ProcessWatch(const ProcessIdentity& process, const ProcessIdentity& self);

  [[nodiscard]] bool watches() const noexcept { return watches_; }

  /// True if the process is certainly gone (or a zombie). False if nothing is watched.
  [[nodiscard]] bool is_gone() const;

  /// Ends the process if it is watched and still there. Returns whether it was watched.
  bool kill() const;

private:
  ProcessIdentity process_;
  bool watches_ = false;
};

}  // namespace gridcast::sweep
