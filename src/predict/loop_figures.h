#pragma once
/// Internal: how much of the sequential loops a prediction left out, for the user.

#include <cstddef>
#include <string>
#include <vector>

namespace gridcast::model {

/// Counts of iterations whose calls repeat (--extrapolate-iterations).
struct LoopFigures {
  std::size_t loops = 0;           ///< of which iterations were left out
  std::size_t left_out = 0;        ///< iterations
  std::size_t left_out_ops = 0;    ///< their operations
  std::size_t few = 0;             ///< simulated in full: too few for a sample
  std::size_t unsynchronized = 0;  ///< simulated in full: nothing in them waits for all processors
  std::size_t uneven = 0;          ///< simulated in full: the sample left too large an error

  /// Sentences; `ops`: operations of the program.
  [[nodiscard]] std::vector<std::string> notes(std::size_t ops) const;
};

}  // namespace gridcast::model
