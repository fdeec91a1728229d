#pragma once
/// The placements of a script on one grid, worked out when first asked for.

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "gridcast/base/interruption.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/mapping/layout.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// How a target is cut if nothing has weights.
[[nodiscard]] inline mapping::BlockRule rule_of(const TargetSpec& target,
                                                const ModelOptions& options) noexcept {
  switch (target.cut) {
    case TargetSpec::Cut::ceil:
      return mapping::BlockRule::ceil;
    case TargetSpec::Cut::balanced:
      return mapping::BlockRule::balanced;
    case TargetSpec::Cut::first:
      return mapping::BlockRule::first;
    case TargetSpec::Cut::last:
      return mapping::BlockRule::last;
    default:
      return options.block_rule;
  }
}

/// A processor that holds something of a layout.
struct Holder {
  const mapping::Layout* layout = nullptr;
  std::size_t local = 0;
  std::array<std::int64_t, machine::max_grid_rank> at{};
  std::array<mapping::IndexRange, mapping::max_rank> ranges;

  [[nodiscard]] std::span<const mapping::IndexRange> block() const noexcept {
    return std::span(ranges).first(layout->extents().size());
  }
  /// Extents of the block, 0 beyond the dimensions of the layout.
  [[nodiscard]] std::array<std::int64_t, mapping::max_rank> sizes() const noexcept {
    std::array<std::int64_t, mapping::max_rank> result{};
    std::transform(block().begin(), block().end(), result.begin(),
                   [](const mapping::IndexRange& range) { return range.size(); });
    return result;
  }
  /// Its number in the grid.
  [[nodiscard]] std::uint32_t processor() const noexcept {
    return layout->view().processors()[local];
  }
};

/// Where arrays and iterations of a script are on one grid; each answer is kept until reset().
class GridMapping {
public:
  /// `script` and `system` must outlive this object; `system` has at least as many processors as
  /// any grid it is reset to. Long work on the grid counts its steps at `interruption`, if any.
  GridMapping(const Script& script, const ModelOptions& options,
              Interruption* interruption = nullptr);

  /// Forgets everything; from now on about `grid` on the first processors of `system`.
  void reset(const machine::Grid& grid, const machine::ProcessorSystem& system);

  [[nodiscard]] const Script& script() const noexcept { return *script_; }
  [[nodiscard]] const ModelOptions& options() const noexcept { return options_; }
  /// Costs of the run-time library that count on the machine.
  [[nodiscard]] machine::LibraryCosts library() const { return options_.counted(system().library); }
  [[nodiscard]] const machine::Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] std::size_t processors() const noexcept { return processors_; }
  [[nodiscard]] const machine::ProcessorSystem& system() const noexcept { return *system_; }
  [[nodiscard]] bool homogeneous() const noexcept { return homogeneous_; }

  [[nodiscard]] Interruption* interruption() const noexcept { return interruption_; }
  void count(std::size_t steps) const {
    if (interruption_ != nullptr) {
      interruption_->count(steps);
    }
  }

  const mapping::ProcessorView& view(ViewId id);
  const mapping::Layout& layout(PlacementId placement);

  /// Calls f(holder) for each that holds something, in the order of their local numbers.
  template <class F>
  void for_each_holder(const mapping::Layout& layout, F&& f) const {
    Holder holder;
    holder.layout = &layout;
    for (; holder.local < layout.view().size(); ++holder.local) {
      count(1);
      layout.coordinates(holder.local, holder.at);
      if (layout.block(holder.at, holder.ranges)) {
        f(std::as_const(holder));
      }
    }
  }

  /// Whether block lengths of genblk_ had to be interpolated on this grid.
  [[nodiscard]] bool interpolated_lengths() const noexcept { return interpolated_lengths_; }

private:
  /// Worked out when first asked for.
  template <class T>
  struct Lazy {
    T value;
    bool ready = false;
  };

  const mapping::Distribution& distribution(TargetId target);
  void coordinate_weights(const mapping::ProcessorView& view, int dim);
  /// Cuts dimension `axis` of a template over the coordinates of dimension `dim` of its processor
  /// system, whose weights are weights_.
  void cut(const TargetSpec& spec, std::size_t dim, std::size_t axis, mapping::Boundaries& result);

  const Script* script_;
  ModelOptions options_;
  Interruption* interruption_;
  machine::Grid grid_;
  const machine::ProcessorSystem* system_ = nullptr;
  std::size_t processors_ = 1;
  bool homogeneous_ = true;
  bool interpolated_lengths_ = false;
  std::vector<Lazy<mapping::ProcessorView>> views_;
  std::vector<Lazy<mapping::Distribution>> distributions_;
  std::vector<Lazy<mapping::Layout>> layouts_;
  std::vector<double> weights_;  // of the coordinates of one dimension
};

}  // namespace gridcast::model
