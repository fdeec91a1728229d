#pragma once
/// How much memory the arrays, edges and buffers of a program take on the processors of a grid
/// (docs/model.md, "Memory").

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/rules/grid_mapping.h"
#include "gridcast/rules/options.h"
#include "gridcast/rules/script.h"

namespace gridcast::model {

/// The memory of one program on grids of one machine. Remembers what grids have in common.
class MemoryModel {
public:
  /// `cluster` must outlive the model.
  MemoryModel(const Script& script, const machine::Cluster& cluster, const ModelOptions& options);
  MemoryModel(const MemoryModel&) = delete;
  MemoryModel& operator=(const MemoryModel&) = delete;
  ~MemoryModel() = default;

  /// Bytes that the fullest processor of the grid holds when it holds most; where the placement is
  /// searched and decides, the most of all placements. Throws InputError if the cluster has fewer
  /// processors than the grid.
  [[nodiscard]] double peak(const machine::Grid& grid);

  /// Never above peak() of a grid with at most these extents.
  [[nodiscard]] double least(std::span<const std::int64_t> largest_extents) const noexcept;

private:
  /// What each holding has along one dimension of the grid: factors of its size.
  using Factors = std::vector<double>;
  /// Factors that no others exceed.
  using Largest = std::vector<Factors>;

  void expand(const machine::Grid& grid);
  [[nodiscard]] double peak_on(const machine::Grid& grid, const machine::ProcessorSystem& system);
  [[nodiscard]] bool by_dimension() const;
  [[nodiscard]] double factor(std::size_t holding, int dim, std::int64_t coordinate);
  [[nodiscard]] Largest largest_along(int dim, std::int64_t extent);
  [[nodiscard]] const Largest& remembered(int dim, std::int64_t extent);
  void combine(std::span<const Largest> dimensions, const Factors& so_far, double& most);
  [[nodiscard]] double fullest_moment(const Factors& bytes) const;
  [[nodiscard]] double peak_one_by_one();
  void add_bytes(std::size_t holding, std::vector<double>& bytes);
  void find_cuts();

  Script script_;
  const machine::Cluster* cluster_;
  ModelOptions options_;
  GridMapping mapping_;
  machine::ProcessorSystem system_;  ///< of the largest grid so far
  bool on_root_ = true;              ///< everything lies on the whole grid, in products of ranges
  /// Per holding and dimension of the grid: the dimension of array or loop that it cuts, or -1.
  std::vector<std::array<int, machine::max_grid_rank>> cuts_;
  Factors whole_;       ///< per holding: bytes but for the dimensions that are cut
  double total_ = 0.0;  ///< bytes of all arrays of the fullest moment, each counted once
  std::map<std::pair<int, std::int64_t>, Largest> remembered_;
};

}  // namespace gridcast::model
