#pragma once
/// Which work and which messages decide when a run of free processes ends (docs/model.md, "Critical
/// path").

#include <cstdint>
#include <string>
#include <vector>

#include "gridcast/figures/losses.h"

namespace gridcast::model {

/// What the time of a part of the path goes to.
enum class PathKind : std::uint8_t {
  work,        ///< the process computes
  overhead,    ///< it sends or receives
  latency,     ///< a message: what it costs whatever its length
  bandwidth,   ///< its bytes
  contention,  ///< it shares its network with others
};

/// "work", "overhead", ... as in JSON.
[[nodiscard]] const char* name(PathKind kind) noexcept;

/// What one place of the program has of the path.
struct PathPart {
  std::string file;
  std::int64_t line = 0;
  Activity activity = Activity::program;
  PathKind kind = PathKind::work;
  std::string network;       ///< of a message: its cluster; else empty
  double seconds = 0.0;      ///< of the run
  std::int64_t process = 0;  ///< the one with most of it; of a message: who waits for it
};

/// From the last process back to the begin: what it did, or the message that it waited for and what
/// the other process did before.
struct CriticalPath {
  std::vector<PathPart> parts;    ///< largest first; their sum is the execution time
  double execution_time = 0.0;    ///< seconds, with all iterations simulated
  std::int64_t last_process = 0;  ///< that ends last
  std::int64_t messages = 0;      ///< on the path
  std::string omitted;            ///< why it is not known; empty if it is
};

}  // namespace gridcast::model
