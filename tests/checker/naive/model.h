#pragma once
/// The naive model: from the text of a trace and of a machine to the characteristics of every
/// interval, element by element and processor by processor. Written from the rules alone; shares no
/// code with the product. For small programs and at most 64 processors.

#include <string>
#include <vector>

#include "ledger.h"

namespace gridcast::naive {

struct Options {
  bool skip_startup = false;
  bool first_contiguous = false;  ///< --contiguous=first
  bool library_costs = true;      ///< TCollective, TLoad, TPortion count
  bool by_column = false;         ///< --placement=column
  std::vector<int> block;         ///< --placement=blocked:AxB; empty: none
  BlockOptions blocks;
  bool free = false;  ///< --processes=free
  std::string reduction = "linear";
};

struct Result {
  std::vector<Interval> intervals;  ///< depth first, the whole program first
  std::vector<double> clocks;       ///< of free processes: when each is through
  std::string trace;                ///< what happened, call by call, if asked for
};

/// Predicts the run of `trace` (.ptr) on `machine` (.par) with a grid of this shape. Throws
/// std::runtime_error for what it does not understand.
[[nodiscard]] Result predict(const std::string& trace, const std::string& machine,
                             const std::vector<int>& grid, const Options& options,
                             bool explain = false);

}  // namespace gridcast::naive
