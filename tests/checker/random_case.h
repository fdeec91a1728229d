#pragma once
/// Random programs, machines, grids and options, each from one number.

#include <cstdint>
#include <string>
#include <vector>

namespace gridcast::checker {

/// Everything that a prediction depends on.
struct Case {
  std::vector<std::string> calls;  ///< text of each call, call_ line to results
  std::string preamble;            ///< of the trace
  std::string machine;             ///< .par
  std::vector<int> grid;
  bool skip_startup = false;
  bool balanced_blocks = false;
  bool processor_weights = true;
  bool first_contiguous = false;
  bool library_costs = true;
  std::vector<int> block;  ///< of processors that follow each other in the machine; empty: by row
  bool by_column = false;
  bool reference_alone = false;  ///< the fast engine is not asked
  bool free = false;             ///< processes wait for messages only
  std::string reduction = "linear";

  /// As the option says it.
  [[nodiscard]] std::string placement() const;
  /// The whole trace.
  [[nodiscard]] std::string trace() const;
  /// What is needed to see a case again.
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] Case random_case(std::uint64_t seed);

/// With arrays, loops and sections eight times as long.
[[nodiscard]] Case random_long_case(std::uint64_t seed);

/// The same program on the same machine by free processes, with limits for its messages.
[[nodiscard]] Case random_free_case(std::uint64_t seed);

/// A random machine and grid with options for a given trace.
[[nodiscard]] Case random_case_of(const std::string& trace, std::uint64_t seed);

}  // namespace gridcast::checker
