#pragma once
/// Sockets, cores and processors of this host, and which of them a process may use (hwloc). A
/// processor is a hardware thread and has the number that the system gives it.

#include <span>
#include <vector>

namespace gridcast::measure {

/// Throws InputError if this gridcast was built without hwloc: everything else below would, too.
void require_topology();

/// The cores of one socket that may be used.
struct SocketCores {
  std::vector<int> processors;  ///< one of each core that may be used
  int of_socket = 0;            ///< cores of the socket, whether they may be used or not
};

/// Number of the socket this process runs on; 0 if that cannot be told.
[[nodiscard]] int socket_of_this_process();

/// Processors that the calling thread may run on, in rising order; none if that cannot be told.
[[nodiscard]] std::vector<int> allowed_processors();

/// The cores with one of these processors on the socket that the calling thread runs on (on that of
/// the first of them if it runs elsewhere). A host without sockets is one. Throws RunError if there
/// is no such core.
[[nodiscard]] SocketCores cores_of_socket(std::span<const int> allowed);

/// Binds the calling thread to a processor. Throws RunError if it cannot run there.
void bind_thread(int processor);

}  // namespace gridcast::measure
