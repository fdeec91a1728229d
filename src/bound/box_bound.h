#pragma once
/// Bounds of the predicted execution time and efficiency of all grids of a box, for the exact
/// search (docs/search.md, "Bounds of boxes").

#include <cstdint>
#include <memory>

#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid_box.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// Numbers that hold for every grid of a box, after rounding too.
struct BoxBounds {
  double time = 0.0;        ///< seconds; never above a predicted execution time
  double efficiency = 0.0;  ///< never below a predicted efficiency; may be more than 1 or infinite
};

/// True if a single grid has closer bounds than a box of it: free processes whose placement is
/// known.
[[nodiscard]] bool has_close_bounds(const ModelOptions& options) noexcept;

class FreeBoxWalk;
class BlockWork;

/// Bounds the predictions of one program on one machine. What it costs depends on the operations
/// of the program alone, with statements over blocks on the processes of a single grid, too. Not
/// for use by two threads at a time.
class BoxBound {
public:
  /// `script` and `cluster` must outlive the bound; `options` are those of the predictions.
  BoxBound(const Script& script, const machine::Cluster& cluster, const ModelOptions& options = {});
  ~BoxBound();
  BoxBound(BoxBound&&) noexcept;
  BoxBound& operator=(BoxBound&&) noexcept;

  /// For the grids of the box that have at most `most` processors, of which there is one. Throws
  /// InputError if the cluster has fewer, or for statements that have no value on a single grid.
  BoxBounds operator()(const machine::GridBox& box, std::int64_t most);
  /// For one grid, as close as can be: of free processes at a tenth of the cost of a prediction.
  BoxBounds operator()(const machine::Grid& grid);

private:
  class Walk;
  class Alone;

  BoxBounds clocks_of(const machine::GridBox& box, std::int64_t most);

  std::unique_ptr<Walk> walk_;         ///< of processes together
  std::unique_ptr<FreeBoxWalk> free_;  ///< of free ones
  std::unique_ptr<Alone> alone_;       ///< if has_close_bounds()
  std::unique_ptr<BlockWork> work_;    ///< if there are statements over blocks
};

}  // namespace gridcast::model
