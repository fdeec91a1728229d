#pragma once
/// A measured machine: its .par file and its page.

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/measure/kernels.h"
#include "gridcast/measure/levels.h"
#include "gridcast/measure/link_fit.h"
#include "gridcast/measure/socket.h"

namespace gridcast::measure {

/// How networks are written.
enum class NetworkModel : std::uint8_t { ports, myrinet };

/// One network: what it connects, what was timed on it, what was fitted.
struct MeasuredLevel {
  Level level;
  LinkSamples samples;
  LinkFit fit;
};

/// All that was measured on the ranks of a job.
struct MeasuredMachine {
  std::string description;  ///< hosts and ranks, one line
  int ranks = 1;
  std::vector<MeasuredLevel> levels;  ///< outermost first
  std::vector<KernelTime> kernels;    ///< on one core
  std::optional<SocketTimes> socket;  ///< if it was timed, too
  bool uneven = false;                ///< nodes or sockets had different numbers of ranks
};

/// The machine as `predict` takes it, with an interval per number as a comment. `core` is as fast
/// as on a busy socket, if that was timed, else 1. Throws InputError if no network was measured.
[[nodiscard]] std::string machine_file(const MeasuredMachine& machine, NetworkModel model);

/// All figures as text for a terminal.
[[nodiscard]] std::string machine_text(const MeasuredMachine& machine);

/// A page with the times of every network, the lines they follow, and the table of kernels.
void write_machine_html(std::ostream& out, const MeasuredMachine& machine);

}  // namespace gridcast::measure
