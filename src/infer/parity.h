#pragma once
/// Steps that only the processes of even or odd coordinates do: of programs in which every second
/// process sends first and the others receive first.

#include <cstddef>
#include <string>
#include <vector>

#include "gridcast/infer/steps.h"

namespace gridcast::infer {

/// All processes, or those for which a sum of coordinates is even, or odd.
struct Parity {
  std::vector<std::size_t> dimensions{};  ///< whose coordinates are added; none: all processes
  bool odd = false;

  [[nodiscard]] bool all() const noexcept { return dimensions.empty(); }
  [[nodiscard]] bool has(const Offset& at) const;
  /// That of the neighbours at an offset; around the end of a ring of an odd number of processes it
  /// is another one.
  [[nodiscard]] Parity of_neighbours(const Offset& offset) const;
  /// "even q1".
  [[nodiscard]] std::string text() const;
  /// 1 for these processes, 0 for others: "(2*floor(q1/2) == q1)".
  [[nodiscard]] std::string expression() const;

  friend bool operator==(const Parity&, const Parity&) = default;
};

/// The parities that all processes with the step have, simple ones first.
[[nodiscard]] std::vector<Parity> parities_of(const Runs& runs, const Step& step);

/// True if in a run several processes along a dimension have the step: others between them have
/// not.
[[nodiscard]] bool shows(const Runs& runs, const Step& step, const Parity& parity);

/// True if the ranks of all processes with the step, several, are even, or all are odd.
[[nodiscard]] bool by_rank(const Step& step);

}  // namespace gridcast::infer
