#pragma once
/// Internal: a shorter script that stands for all iterations of sequential loops
/// (--extrapolate-iterations; docs/model.md §8). Both engines predict it like any other.

#include <string>
#include <vector>

#include "gridcast/rules/ledger.h"
#include "script_shortener.h"

namespace gridcast::model {

/// Whether nothing takes less than no time.
[[nodiscard]] bool possible(std::span<const Characteristics> intervals);

/// Loops are cut where an operation waits for all processors: there all clocks are equal. Of the
/// iterations from cut to cut a few are left, each in an interval of its own, behind those of the
/// program. What such an interval costs counts as often as there are iterations like it.
class ShortenedScript {
public:
  explicit ShortenedScript(const Script& script);

  [[nodiscard]] const Script& script() const noexcept { return script_; }

  /// Makes sums of all iterations, in the intervals of the program, which come first, of those of
  /// the shorter script. False if they may be too far off: a few iterations do not tell of all.
  bool expand(std::span<IntervalSums> intervals) const;
  /// The same of the times of all processors in each interval.
  void expand(std::span<std::vector<ProcessorTimes>> intervals) const;

  /// Sentences for the user. `in_full`: the last prediction had to simulate all iterations.
  [[nodiscard]] std::vector<std::string> notes(bool in_full) const;

private:
  std::size_t ops_;  // of the program
  Shortening shortening_;
  Script script_;
};

}  // namespace gridcast::model
