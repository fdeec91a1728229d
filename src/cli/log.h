#pragma once
/// Messages on standard error (spdlog).

namespace gridcast::cli {

/// Sends messages to stderr as "gridcast: warning: ...", in colour on a terminal. `quiet` leaves
/// errors only; verbosity 1 adds debug messages, 2 and more everything. Ranks other than the first
/// print errors only.
void set_up_log(bool quiet, int verbosity);

}  // namespace gridcast::cli
