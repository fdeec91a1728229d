#pragma once
/// What the names in expressions over blocks stand for on each process of a grid (docs/programs.md,
/// "Statements over blocks").

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/mapping/block_cut.h"
#include "gridcast/rules/grid_mapping.h"
#include "gridcast/rules/script.h"
#include "gridcast/trace/formula.h"

namespace gridcast::model {

/// The values of a statement's expressions.
class BlockValues {
public:
  using Coordinates = std::array<std::int64_t, machine::max_grid_rank>;

  /// On the grid of `mapping`, which must outlive it.
  BlockValues(GridMapping& mapping, const StatementSpec& statement);

  /// From now on about this process of the grid.
  void at(std::uint32_t process);
  /// The process that it sends to.
  void partner(std::uint32_t process);

  /// Throws InputError with the line of the statement if it has none, or one below 0.
  [[nodiscard]] double value(Slice formula) const;
  /// The same of a number of passes or messages: whole.
  [[nodiscard]] std::int64_t count(Slice formula) const;

  /// Points of the own block; of no domain 1.
  [[nodiscard]] double points() const noexcept;
  /// Processes that have the same block.
  [[nodiscard]] double copies() const noexcept { return copies_; }

  /// The neighbour of the process at an offset, which may be the process itself; nothing beyond the
  /// ends of dimensions that are not periodic, and where it has no points.
  [[nodiscard]] std::optional<std::uint32_t> neighbour(std::span<const std::int64_t> offset,
                                                       bool backwards = false);

  [[nodiscard]] InputError error(const std::string& problem, const std::string& remedy) const;

private:
  [[nodiscard]] Coordinates coordinates(std::uint32_t process) const noexcept;
  [[nodiscard]] bool has_points(const Coordinates& process) const noexcept;

  GridMapping* mapping_;
  const StatementSpec* statement_;
  std::span<const std::int64_t> cuts_;
  std::array<std::int64_t, machine::max_grid_rank> extents_{1, 1, 1, 1};  // of the grid
  std::vector<mapping::BlockCut> blocks_;                                 // per dimension
  double copies_ = 1.0;
  std::uint32_t process_ = 0;
  trace::FormulaValues values_;
};

}  // namespace gridcast::model
