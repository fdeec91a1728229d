#pragma once
/// Where the elements of an array, or the iterations of a loop, are (docs/model.md §3;
/// [Predictor2010 app. 3]: Block, LoopBlock). A layout never lists processors: it keeps, for each
/// dimension of the processor system, which dimension of the array it cuts and where. Iterations of
/// a loop are counted 0, 1, 2, ... in the order in which they run.

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/mapping/blocks.h"
#include "gridcast/mapping/index_range.h"
#include "gridcast/mapping/view.h"

namespace gridcast::mapping {

/// How one dimension of a template relates to the thing laid over it.
struct AxisRule {
  /// Which template indices belong to an element.
  enum class Kind : std::uint8_t {
    linear,      ///< template index = coefficient * i_dim + constant
    constant,    ///< the fixed template index `constant`
    replicated,  ///< the whole dimension
    bounded,     ///< replicated over {coefficient * j + constant : 0 <= j < bound}
  };
  Kind kind = Kind::replicated;
  std::int32_t dim = -1;
  std::int64_t coefficient = 0;
  std::int64_t constant = 0;
  std::int64_t bound = 0;

  friend auto operator<=>(const AxisRule&, const AxisRule&) = default;
};

/// Rules per template dimension of something that is laid over a pattern by `rules` (per pattern
/// dimension), where the pattern, of extents `pattern_extents`, is itself laid over the template by
/// `pattern_rules` (per template dimension).
[[nodiscard]] std::vector<AxisRule> compose(std::span<const AxisRule> rules,
                                            std::span<const AxisRule> pattern_rules,
                                            std::span<const std::int64_t> pattern_extents);

/// What replication over a template dimension of so many elements means where some processors hold
/// nothing of it: they hold nothing of the thing laid over it either (docs/model.md §3).
[[nodiscard]] AxisRule everywhere(std::int64_t elements) noexcept;

/// How a template is cut: per dimension of the processor system the template dimension (0-based, -1
/// = replicated) and the boundaries.
struct Distribution {
  /// What one dimension of the processor system cuts, and where.
  struct Dimension {
    int axis = -1;
    Boundaries boundaries;
  };
  std::vector<Dimension> dimensions;
};

/// The most dimensions of arrays, loops and templates.
inline constexpr int max_rank = 16;

/// Number of elements of something of this shape.
[[nodiscard]] double elements_of(std::span<const std::int64_t> extents) noexcept;

/// Which elements of an array, or iterations of a loop, each processor of a view has.
class Layout {
public:
  Layout() = default;

  /// Something of shape `extents` over a template distributed on `view`. `view` and `distribution`
  /// must outlive the layout.
  void assign(const ProcessorView& view, const Distribution& distribution,
              std::span<const AxisRule> rules, std::span<const std::int64_t> extents);

  /// Something that every processor of `view` holds in full.
  void assign_replicated(const ProcessorView& view, std::span<const std::int64_t> extents);

  [[nodiscard]] const ProcessorView& view() const noexcept { return *view_; }
  [[nodiscard]] int rank() const noexcept { return static_cast<int>(extents_.size()); }
  [[nodiscard]] std::span<const std::int64_t> extents() const noexcept { return extents_; }
  [[nodiscard]] std::int64_t extent(int dim) const noexcept {
    return extents_[static_cast<std::size_t>(dim)];
  }

  /// Number of elements (iterations) in all.
  [[nodiscard]] double elements() const noexcept { return elements_of(extents_); }

  /// Whether all that hold something of the template hold all of it: no dimension of the processor
  /// system cuts it, and none has it at a certain position.
  [[nodiscard]] bool fully_replicated() const noexcept { return fully_replicated_; }

  /// The dimension that dimension `view_dim` of the processor system cuts, or -1.
  [[nodiscard]] int split_dimension(int view_dim) const noexcept {
    return splits_[static_cast<std::size_t>(view_dim)].dim;
  }

  /// The dimension of the processor system that cuts `dim`, or -1.
  [[nodiscard]] int view_dimension(int dim) const noexcept;

  /// Whether coordinates and indices ascend together along a cutting dimension.
  [[nodiscard]] bool ascending(int view_dim) const noexcept {
    return splits_[static_cast<std::size_t>(view_dim)].ascending;
  }

  /// What coordinate `coordinate` of dimension `view_dim` holds of the dimension it cuts; for a
  /// dimension that only decides who holds it: [0,1) if present, else empty.
  [[nodiscard]] IndexRange range(int view_dim, std::int64_t coordinate) const noexcept;

  /// Whether dimension `view_dim` has the same elements on every coordinate that has any of the
  /// template.
  [[nodiscard]] bool replicated(int view_dim) const noexcept {
    return splits_[static_cast<std::size_t>(view_dim)].replicated;
  }

  /// Whether blocks are products over the dimensions of the processor system: no two cut the same
  /// dimension.
  [[nodiscard]] bool product() const noexcept { return product_; }

  /// Whether dimension `view_dim` decides who holds the whole (constant and bounded rules,
  /// replication over a template of which some hold nothing).
  [[nodiscard]] bool decides_presence(int view_dim) const noexcept {
    const Split& split = splits_[static_cast<std::size_t>(view_dim)];
    return split.active && split.dim < 0;
  }

  /// The block of the processor with these coordinates in view(); false if it holds nothing.
  bool block(std::span<const std::int64_t> coordinates,
             std::span<IndexRange> result) const noexcept;

  /// Elements held per local number of view().
  void counts(std::vector<double>& result) const;

  /// How many processors of view() hold the same block as any one that holds something.
  [[nodiscard]] double copies() const noexcept;

  /// Coordinates of a local number.
  void coordinates(std::size_t local, std::span<std::int64_t> result) const noexcept;

  /// First and last + 1 coordinate of `view_dim` whose part overlaps `range` (for a cutting
  /// dimension; contiguous because parts are ordered). Parts in between may be empty.
  [[nodiscard]] IndexRange coordinates_overlapping(int view_dim, IndexRange range) const noexcept;

  /// The coordinate of a presence-deciding dimension nearest to `coordinate` that holds something
  /// (ties: the lower); -1 if none does.
  [[nodiscard]] std::int64_t nearest_present(int view_dim, std::int64_t coordinate) const noexcept;

private:
  void count_one_by_one(std::vector<double>& result) const;

  /// What one dimension of the processor system does to the elements.
  struct Split {
    bool active = false;  ///< extent > 1, and not everybody holds everything
    bool replicated = true;
    bool ascending = true;
    int dim = -1;  ///< cut dimension; -1: decides presence
    AxisRule rule;
    std::int64_t positions = 0;                ///< of the cut dimension, if the rule is linear
    std::span<const std::int64_t> boundaries;  ///< of the template; those of all layouts over it

    [[nodiscard]] std::int64_t coordinates() const noexcept {
      return static_cast<std::int64_t>(boundaries.size()) - 1;
    }
    [[nodiscard]] IndexRange part(std::int64_t coordinate) const noexcept;
  };

  const ProcessorView* view_ = nullptr;
  std::vector<std::int64_t> extents_;
  std::vector<Split> splits_;
  bool fully_replicated_ = true;
  bool product_ = true;
};

}  // namespace gridcast::mapping
