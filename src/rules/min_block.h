#pragma once
/// --min-block: how long blocks must be along the dimensions that a grid cuts and across which an
/// array's edges are exchanged (docs/search.md, "Questions of a batch queue").

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/rules/grid_mapping.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// What is asked of blocks.
struct MinBlock {
  bool edge = false;  ///< as long as the widest edge that is sent from them
  /// Otherwise so many elements: one number, or one per dimension of the grid (0 beyond them).
  std::vector<std::int64_t> lengths{};

  /// Reads "edge", "3" or "4,2". Throws InputError.
  static MinBlock parse(std::string_view text);

  /// As parse() reads it.
  [[nodiscard]] std::string text() const;

  /// Whether some block may be too short.
  [[nodiscard]] bool any() const noexcept;
};

/// Whether the blocks of a program on a machine are as long as asked. The shortest block of an
/// array that holds something counts.
class BlockLimit {
public:
  /// `cluster` must outlive the limit.
  BlockLimit(const Script& script, const machine::Cluster& cluster, const ModelOptions& options,
             MinBlock min);
  BlockLimit(const BlockLimit&) = delete;
  BlockLimit& operator=(const BlockLimit&) = delete;
  ~BlockLimit() = default;

  /// Whether all blocks of a grid are long enough; where the placement is searched and decides, in
  /// all placements. Throws InputError if the cluster has fewer processors than the grid.
  [[nodiscard]] bool admits(const machine::Grid& grid);

  /// Where each dimension of a grid decides for itself: the extents up to `most` that it may have,
  /// ascending, per dimension; none of a dimension: all. Nothing where blocks follow the weights of
  /// processors or elements, or arrays lie on parts of the grid.
  [[nodiscard]] std::optional<std::vector<std::vector<std::int64_t>>> extents(std::int64_t most);

private:
  /// An array's dimension with its widest edge.
  struct Edge {
    PlacementId placement = {};
    int dim = 0;
    std::int64_t width = 0;
  };
  /// A dimension of an array that a dimension of the grid cuts.
  struct Cut {
    std::int64_t elements = 0;  ///< of the template
    std::int64_t multiplier = 1;
    mapping::BlockRule blocks = mapping::BlockRule::ceil;
    mapping::AxisRule rule;
    std::int64_t extent = 0;  ///< of the array
    std::int64_t wanted = 0;
  };

  [[nodiscard]] std::int64_t wanted(const Edge& edge, std::size_t grid_dim) const;
  [[nodiscard]] bool separable() const;
  [[nodiscard]] std::vector<Cut> cuts(std::size_t grid_dim) const;
  [[nodiscard]] bool is_long_enough(const Cut& cut, std::int64_t coordinates) const;
  [[nodiscard]] bool admits_on(const machine::Grid& grid, const machine::ProcessorSystem& system);

  Script script_;
  const machine::Cluster* cluster_;
  ModelOptions options_;
  MinBlock min_;
  std::vector<Edge> edges_;
  GridMapping mapping_;
  machine::ProcessorSystem system_;  ///< of the largest grid so far
};

}  // namespace gridcast::model
