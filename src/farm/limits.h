#pragma once
/// How long ranks wait for each other.

namespace gridcast::sweep {

/// Limits of waiting, seconds; 0: none.
struct WatchLimits {
  double start = 60.0;  ///< --start-limit: of ranks that start and do not get on
  double peer = 120.0;  ///< --peer-limit: of a rank that gives no sign of life
};

}  // namespace gridcast::sweep
