#pragma once
/// Processor systems of a program in the predicted run: the root grid and the subsystems that tasks
/// run on (crtps_, psview_; docs/model.md §3).

#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/machine/grid.h"

namespace gridcast::mapping {

/// A processor system: a shape over some processors of the root grid. Local numbers count with the
/// last dimension fastest; root numbers ascend with local numbers.
class ProcessorView {
public:
  ProcessorView() = default;

  /// All processors of the grid.
  static ProcessorView root(const machine::Grid& grid);

  /// The part of `parent` with bounds first..last (inclusive, per dimension) of the traced run
  /// scaled to this run; missing bounds mean the whole dimension. `traced` is the parent's shape in
  /// the traced run; dimensions beyond it count 1.
  static ProcessorView part(const ProcessorView& parent, std::span<const std::int64_t> traced,
                            std::span<const std::int64_t> first,
                            std::span<const std::int64_t> last);

  /// The processors of `parent` in the shape that corresponds to `shape`, which psview_ gave the
  /// system of shape `traced` in the traced run.
  static ProcessorView reshaped(const ProcessorView& parent, std::span<const std::int64_t> traced,
                                std::span<const std::int64_t> shape);

  [[nodiscard]] int rank() const noexcept { return static_cast<int>(extents_.size()); }
  /// Extent of dimension `dim`; 1 beyond the rank.
  [[nodiscard]] std::int64_t extent(int dim) const noexcept {
    return dim < rank() ? extents_[static_cast<std::size_t>(dim)] : 1;
  }
  [[nodiscard]] std::span<const std::int64_t> extents() const noexcept { return extents_; }
  [[nodiscard]] std::size_t size() const noexcept { return processors_.size(); }
  /// Root number of each local number.
  [[nodiscard]] std::span<const std::uint32_t> processors() const noexcept { return processors_; }
  [[nodiscard]] bool is_root() const noexcept { return is_root_; }

  /// Local number of a root number, or -1 if it is not in this view.
  [[nodiscard]] std::int64_t local(std::uint32_t processor) const noexcept;

  /// Distance of local numbers that differ by one in dimension `dim`.
  [[nodiscard]] std::int64_t stride(int dim) const noexcept;

  /// The same processors in the same shape.
  friend bool operator==(const ProcessorView& a, const ProcessorView& b) noexcept;

private:
  ProcessorView(std::vector<std::int64_t> extents, std::vector<std::uint32_t> processors,
                bool is_root);

  std::vector<std::int64_t> extents_;
  std::vector<std::uint32_t> processors_;
  bool is_root_ = false;
};

/// The factorisation of `processors` into shape.size() ordered extents that is nearest to `shape`
/// scaled to that number (docs/model.md §3): least Σ|ln(f_i / t_i)|, ties to the larger first
/// extents.
[[nodiscard]] std::vector<std::int64_t> nearest_shape(std::int64_t processors,
                                                      std::span<const std::int64_t> shape);

}  // namespace gridcast::mapping
