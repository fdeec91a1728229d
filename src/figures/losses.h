#pragma once
/// Where the lost time of a prediction goes: every second of it has a place of the program and a
/// cause (docs/model.md, "Where lost time goes").

#include <cstdint>
#include <string>
#include <vector>

namespace gridcast::model {

/// Why time is lost.
enum class Cause : std::uint8_t {
  parallelism,  ///< several processors do the same
  imbalance,    ///< others have more to do here
  io,           ///< processor 0 reads or writes
  fill,         ///< a pipeline fills or empties
  edges,        ///< portions of a pipeline wait for edges
  latency,      ///< what messages cost whatever their length
  bandwidth,    ///< what their bytes cost
  contention,   ///< messages wait for others on their network
  overhead,     ///< the run-time library: costs of operations, packing
  waiting,      ///< for processors that something else kept: their messages, the end of the program
};
inline constexpr std::size_t cause_count = 10;

/// What is done at a place.
enum class Activity : std::uint8_t {
  computation,     ///< outside of loops
  loop,            ///< a parallel loop
  sweep,           ///< a loop with dependences, pipelined
  library,         ///< calls of the run-time library
  io,              ///< input, output and the broadcast of what was read
  reduction,       ///<
  shadow,          ///< exchange of shadow edges
  remote_access,   ///<
  redistribution,  ///<
  program,         ///< the program as a whole
};
inline constexpr std::size_t activity_count = 10;

/// "insufficient_parallelism", "imbalance", ... as in JSON.
[[nodiscard]] const char* name(Cause cause) noexcept;
/// "computation", "loop", ... as in JSON.
[[nodiscard]] const char* name(Activity activity) noexcept;

/// What free processes lose with the messages of one neighbour, or waiting for it.
struct NeighbourLoss {
  std::vector<int> from;  ///< its coordinates in the grid less their own: -1, 0 or 1 each
  double seconds = 0.0;   ///< sum over processes
};

/// Lost time of one place and cause.
struct Loss {
  std::string file;
  std::int64_t line = 0;
  Activity activity = Activity::program;
  Cause cause = Cause::waiting;
  std::string network;   ///< of latency, bandwidth, contention: its cluster; else empty
  double seconds = 0.0;  ///< sum over processors
  /// The same under each of Losses::alternatives.
  std::vector<double> instead;
  std::vector<NeighbourLoss> neighbours = {};  ///< parts of `seconds`, the largest first
};

/// The run if one thing were different, predicted.
struct Alternative {
  std::string change;           ///< "half of every start time", "grid 8x2"
  double execution_time = 0.0;  ///< seconds
  double total_time = 0.0;      ///< over all processors
  double lost_time = 0.0;
};

/// Where the lost time of a run went, by place and cause.
struct Losses {
  /// Largest first; their sum is the lost time. Empty if nothing is lost or `omitted` says why.
  std::vector<Loss> losses;
  std::vector<Alternative> alternatives;
  double lost_time = 0.0;  ///< of the run that was attributed
  std::string omitted;     ///< why nothing was worked out; empty if it was
};

}  // namespace gridcast::model
