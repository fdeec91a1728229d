#pragma once
/// Internal: a shorter script that stands for all iterations of sequential loops
/// (--extrapolate-iterations; docs/model.md §8). Both engines predict it like any other.

#include <string>
#include <vector>

#include "gridcast/predict/prediction.h"
#include "script_shortener.h"

namespace gridcast::model {

/// Loops are cut where an operation waits for all processors: there all clocks are equal. Of the
/// iterations from cut to cut a few are left, each in an interval of its own, behind those of the
/// program. What such an interval costs counts as often as there are iterations like it.
class ShortenedScript {
public:
  explicit ShortenedScript(const Script& script);

  [[nodiscard]] const Script& script() const noexcept { return script_; }

  /// Makes figures of all iterations, in the intervals of the program, of those of the shorter
  /// script. False if they may be too far off: a few iterations do not tell of all.
  bool expand(std::vector<Characteristics>& intervals) const;
  bool expand(std::vector<IntervalResult>& intervals) const;

  /// Sentences for the user. `in_full`: the last prediction had to simulate all iterations.
  [[nodiscard]] std::vector<std::string> notes(bool in_full) const;

private:
  template <class Figures>
  bool expand_all(std::vector<Figures>& intervals) const;

  std::size_t intervals_;  // of the program
  std::size_t ops_;        // of the program
  Shortening shortening_;
  Script script_;
};

}  // namespace gridcast::model
