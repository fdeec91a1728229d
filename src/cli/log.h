#pragma once
/// Messages on standard error (spdlog).

namespace gridcast::cli {

/// Whether messages are coloured: on a terminal, unless NO_COLOR is set to something.
[[nodiscard]] bool coloured_messages();

/// Sends messages to stderr as "gridcast: warning: ...", in colour if coloured_messages(). `quiet`
/// leaves errors only; verbosity 1 adds debug messages, 2 and more everything. Ranks other than the
/// first print errors only.
void set_up_log(bool quiet, int verbosity);

}  // namespace gridcast::cli
