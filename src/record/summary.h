#pragma once
/// What a recording tells at a glance: calls per operation and site, and where sites are in the
/// source.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gridcast/record/recording.h"

namespace gridcast::record {

/// The calls of one operation from one site on one communicator.
struct CallSummary {
  std::int32_t operation = 0;
  std::int32_t site = -1;
  std::int32_t communicator = -1;
  std::uint64_t calls = 0;
  std::array<double, 2> bytes{0.0,
                              0.0};  ///< sums of what the arguments say: sent, or all; received
  double duration = 0.0;             ///< seconds within the calls
  double shortest = 0.0;             ///< seconds of the shortest call
  double gap = 0.0;                  ///< seconds between these calls and those before them
  double least_gap = 0.0;            ///< the shortest of these times
};

/// In the order of the first calls.
[[nodiscard]] std::vector<CallSummary> summarise(const RankRecording& rank);

/// Whether the file is the one that was recorded: of the same size and time. False if that is not
/// known.
[[nodiscard]] bool is_unchanged(const Module& module);

/// Where the sites of a recording are: file and line by addr2line(1) where the program has them and
/// was not changed since, else function, module and address. Of a library that has no lines also
/// those of the program that called it.
class SitePlaces {
public:
  /// The recording must outlive the places.
  explicit SitePlaces(const Recording& recording);

  /// "jacobi2d.c:36", "solve in libsolver.so+0x1a2f", "heat.c:21 through solve in
  /// libsolver.so+0x1a2f", "unknown".
  [[nodiscard]] std::string of(const RankRecording& rank, std::int32_t site) const;

private:
  /// File and line; empty: not known.
  [[nodiscard]] std::string line_of(const RankRecording& rank, const Site& site) const;

  std::map<std::pair<std::string, std::uint64_t>, std::string> lines_;  ///< by module and address
};

/// What is between the line of the program and the place in the library.
inline constexpr std::string_view through = " through ";

/// File and line of addresses in a module, by addr2line; empty texts where it does not know.
[[nodiscard]] std::vector<std::string> source_lines(const std::string& module,
                                                    const std::vector<std::uint64_t>& addresses);

}  // namespace gridcast::record
