#pragma once
/// How far the machine may change until another grid is the best, as `gridcast robust --store`
/// found it: the group /robust of docs/store.md.

#include <filesystem>
#include <string>
#include <vector>

namespace gridcast::store {

/// A number of the machine and the values for which the best grid stays the best.
struct RobustNumber {
  std::string name;    ///< as --set takes it
  double value = 0.0;  ///< that of the machine, in the units of the .par file
  double low = 0.0;    ///< least and greatest value at which the grid is the best
  double high = 0.0;
  std::string below;  ///< what is the best just below and above; empty: nothing else as far as
  std::string above;  ///< the number was followed
  bool operator==(const RobustNumber&) const = default;
};

/// By how many times start times may grow.
struct RobustLatency {
  std::string network;  ///< empty: of all networks together
  double share = 0.0;   ///< until the run takes so much longer; 0.01: 1 %
  double times = -1.0;  ///< negative: without limit
  bool operator==(const RobustLatency&) const = default;
};

/// The whole result. Grids are "8x4" or "8x4 placed by column".
struct Robustness {
  double reach = 1.0;      ///< numbers were followed to so many times, and the same part of, them
  double precision = 0.0;  ///< relative width of an edge
  std::string best;
  std::string runner_up;  ///< empty: there is only one grid
  double gap = 0.0;       ///< how much worse it is, in parts of the best
  std::vector<RobustNumber> numbers;
  std::vector<RobustLatency> latency;
  bool operator==(const Robustness&) const = default;
};

/// Puts the result into a store that nobody writes, in the place of an earlier one; rows and state
/// stay as they are. Throws InputError if there is no such store, a writer has it or its last run
/// was killed; RunError if it is damaged or cannot be written.
void add_robustness(const std::filesystem::path& path, const Robustness& found);

}  // namespace gridcast::store
