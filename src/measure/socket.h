#pragma once
/// How fast a core of a socket is while all the others compute, too: they share the way to memory.

#include <span>
#include <string>
#include <vector>

#include "gridcast/measure/kernels.h"

namespace gridcast::measure {

/// The loops on one core alone, and on all cores of its socket at once by one thread on each.
struct SocketTimes {
  int cores = 1;                  ///< that computed at once: those that the job may use
  int of_socket = 1;              ///< cores of the socket
  std::vector<KernelTime> alone;  ///< on the first of the cores
  std::vector<KernelTime> busy;   ///< the same loops, in the same order
};

/// Seconds alone / seconds busy.
struct SocketRatios {
  std::vector<Speed> loops;
  double in_memory = 1.0;  ///< geometric mean of the loops through memory: `core` of a machine file
  double all = 1.0;        ///< geometric mean of all loops
};

/// Times the loops on the cores that have one of these processors and lie on the socket of this
/// thread. One core is timed once: it shares nothing. Throws RunError as cores_of_socket() and
/// time_kernels() do.
[[nodiscard]] SocketTimes time_socket(bool quick, std::span<const int> allowed);

/// Loop by loop. Precondition: a loop goes through memory.
[[nodiscard]] SocketRatios ratios_of(const SocketTimes& times);

/// Whether the job may not use all cores of the socket, and what that means for the ratios.
[[nodiscard]] bool is_partial(const SocketTimes& times);
[[nodiscard]] std::string partial_text(const SocketTimes& times);

/// Times and ratios for a terminal.
[[nodiscard]] std::string socket_text(const SocketTimes& times);

/// The performance of `core` for a machine file, with the ratios as a comment.
[[nodiscard]] std::string core_statement(const SocketTimes& times);

/// Times and ratios as a section of a page.
[[nodiscard]] std::string socket_section(const SocketTimes& times);

}  // namespace gridcast::measure
