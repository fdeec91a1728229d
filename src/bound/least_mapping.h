#pragma once
/// Internal: the placements of a script on the grids of a box: the least that holds for all of them
/// (docs/search.md, "Blocks").

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gridcast/machine/grid_box.h"
#include "gridcast/mapping/axis_cut.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"
#include "least_cut.h"

namespace gridcast::model {

/// A dimension as an index.
[[nodiscard]] constexpr std::size_t in(int dim) noexcept { return static_cast<std::size_t>(dim); }

/// A processor of the root grid.
using GridCoordinates = std::array<std::int64_t, machine::max_grid_rank>;

/// A placement on a single grid: what each coordinate holds of it.
struct ExactLayout {
  std::array<mapping::AxisCut, machine::max_grid_rank> cuts;
  std::array<mapping::BlockCut, machine::max_grid_rank> blocks;
};

/// A processor system on the grids of a box: at least and at most so many coordinates.
struct LeastView {
  int rank = 1;
  std::array<std::int64_t, machine::max_grid_rank> first{1, 1, 1, 1};
  std::array<std::int64_t, machine::max_grid_rank> last{1, 1, 1, 1};
  double least = 1.0, most = 1.0;  ///< processors
};

/// A placement on the grids of a box.
struct LeastLayout {
  ViewId view = root_view;
  bool product = true;  ///< no two dimensions of the processor system cut the same dimension
  bool split = false;   ///< not fully replicated on any grid
  std::array<LeastCut, machine::max_grid_rank> cuts;
  std::span<const std::int64_t> extents;
  double elements = 1.0;

  /// Coordinates along a dimension that hold something, at least.
  [[nodiscard]] double holders(int dim) const noexcept { return cuts[in(dim)].holders; }
};

/// How many times as long an operation takes in blocks of other shapes, at most.
[[nodiscard]] double most_factor(const Script& script, const Op& op);

class LeastMapping {
public:
  LeastMapping(const Script& script, const ModelOptions& options);

  /// From now on about the grids of this box of at most `most` processors; no
  /// processor is faster than another by more than this factor.
  void reset(const machine::GridBox& box, std::int64_t most, double spread);

  [[nodiscard]] const Script& script() const noexcept { return *script_; }
  [[nodiscard]] const machine::GridBox& box() const noexcept { return box_; }
  [[nodiscard]] const LeastView& view(std::uint32_t id) const noexcept { return views_[id]; }
  [[nodiscard]] const LeastLayout& layout(PlacementId placement);
  /// The same of a box of one grid; null if it has several, or if blocks follow weights.
  [[nodiscard]] const ExactLayout* exact(PlacementId placement);
  /// A processor of a single grid with neighbours on all sides, where there are enough, and with a
  /// longest block of the largest placement along each dimension, if one is not far from the
  /// middle.
  [[nodiscard]] const GridCoordinates& middle() const noexcept { return middle_; }
  /// The number of a processor of a single grid.
  [[nodiscard]] std::int64_t number_of(const GridCoordinates& at) const noexcept;
  /// What a processor of a single grid has of a placement, per dimension of that; `known` false: it
  /// is not known.
  struct Block {
    bool known = false;
    std::array<mapping::IndexRange, mapping::max_rank> ranges{};
  };
  [[nodiscard]] Block block_of(PlacementId placement, const GridCoordinates& processor);
  /// The processor of that number.
  [[nodiscard]] GridCoordinates coordinates_of(std::int64_t number) const noexcept;
  /// How much of the time of a loop, or of a portion of it, each of some processors of a single
  /// grid has at least, but for its performance; 0 if that is not known. Of each dimension of the
  /// loop the shortest part that one of them has counts.
  [[nodiscard]] double share_of(PlacementId placement, PortionId portion,
                                std::span<const GridCoordinates> processors);
  /// The processors along the edges of a single grid that begin at processor 0: if no two of its
  /// dimensions cut the same dimension, all parts of a dimension that there are.
  [[nodiscard]] std::span<const GridCoordinates> edges();
  /// Whether two placements of an array are cut alike along this dimension on every grid.
  [[nodiscard]] bool cut_alike(PlacementId a, PlacementId b, int dim) const;
  /// How a placement lies over the template dimension that this dimension of its system cuts; null
  /// if it cuts none.
  [[nodiscard]] const mapping::AxisRule* rule(PlacementId placement, int dim) const;
  /// So many neighbouring coordinates of this dimension, which it cuts, hold so much of a placement
  /// at most.
  [[nodiscard]] double most_of(PlacementId placement, int dim, double coordinates) const;

private:
  void look_at(LeastView& view, const ViewSpec& spec);
  void lay_out(LeastLayout& layout, const PlacementSpec& spec);
  [[nodiscard]] CutRange range(const TargetSpec& target, int dim, std::int64_t axis,
                               const LeastView& view) const;

  const Script* script_;
  ModelOptions options_;
  machine::GridBox box_;
  double most_ = 1.0;
  double spread_ = 1.0;
  std::vector<LeastView> views_;
  void choose_middle();

  std::vector<std::optional<LeastLayout>> layouts_;  // that were asked for
  std::vector<std::unique_ptr<ExactLayout>> exact_;  // likewise
  GridCoordinates middle_{};
  std::vector<GridCoordinates> edges_;
};

}  // namespace gridcast::model
