#include "gridcast/figures/losses.h"

#include <array>

namespace gridcast::model {

const char* name(Cause cause) noexcept {
  constexpr std::array<const char*, cause_count> names{"insufficient_parallelism",
                                                       "imbalance",
                                                       "io",
                                                       "pipeline_fill",
                                                       "pipeline_edges",
                                                       "latency",
                                                       "bandwidth",
                                                       "contention",
                                                       "overhead",
                                                       "waiting"};
  return names[static_cast<std::size_t>(cause)];
}

const char* name(Activity activity) noexcept {
  constexpr std::array<const char*, activity_count> names{
      "computation", "loop",   "pipelined_loop", "library",        "io",
      "reduction",   "shadow", "remote_access",  "redistribution", "program"};
  return names[static_cast<std::size_t>(activity)];
}

}  // namespace gridcast::model
