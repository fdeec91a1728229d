#pragma once
/// Internal: what is in memory at the same time.

#include <cstdint>
#include <set>
#include <vector>

#include "gridcast/rules/script.h"

namespace gridcast::model {

/// Collects the sets of holdings that a run has at some moment.
class Moments {
public:
  /// Adds a moment, given by the holdings there are, in any order.
  void note(std::vector<std::uint32_t> holdings);

  /// Writes the moments that may be the fullest into the tables. Buffers that are nowhere larger
  /// than another one that the run has are taken for that one.
  void write(Script::Builder& tables) const;

private:
  std::set<std::vector<std::uint32_t>> moments_;
};

}  // namespace gridcast::model
