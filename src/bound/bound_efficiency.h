#pragma once
/// Internal: an upper bound of the productive time (docs/search.md, "Efficiency").

#include <vector>

#include "bound_shape.h"

namespace gridcast::model {

class ProductiveBound {
public:
  ProductiveBound(const Script& script, const ModelOptions& options, BoundMachine& machine);

  /// Seconds on `grid`, which the machine covers; never below Characteristics::productive_time of
  /// the whole program.
  double most(const machine::Grid& grid);

private:
  struct Loop {
    std::uint32_t placement = none;
    double time = 0.0;
  };

  void collect(const Script& script);
  /// Seconds per second of the loop.
  double share(std::uint32_t placement);

  BoundMachine* machine_;
  BoundMapping mapping_;
  bool regular_ = true;  // no two dimensions of a processor system cut the same dimension
  double io_ = 0.0;      // seconds on the tracing machine: of processor 0
  double work_ = 0.0;    // everybody on the root grid does the same
  double rest_ = 0.0;    // done once by somebody
  std::size_t operations_ = 0;
  std::vector<Loop> loops_;  // on the root grid
};

}  // namespace gridcast::model
