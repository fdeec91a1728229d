#pragma once
/// How often the processes of a farm do what must not wait.

namespace gridcast::sweep {

/// Results are sent at least this often, so that a kill costs little and a lease is renewed.
inline constexpr double send_seconds = 0.1;
/// Whether its master still runs is checked this often by whoever has one.
inline constexpr double watch_seconds = 0.5;
/// Rows wait in memory no longer than this: what a kill can cost.
inline constexpr double flush_seconds = 0.2;

}  // namespace gridcast::sweep
