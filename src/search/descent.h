#pragma once
/// The heuristic `descent`: a coarse lattice over all shapes and sizes, then descents through
/// neighbourhoods from its best grids (docs/search.md has the measurements).

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "admitted.h"
#include "heuristic.h"

namespace gridcast::search {

class DescentSource final : public BatchSource {
public:
  /// With Selection::all it mostly keeps to grids that leave no processor empty, too.
  DescentSource(const SearchSpace& space, const Goal& goal, Selection selection);

  [[nodiscard]] std::vector<machine::Grid> next_batch() override;
  void take_batch(std::span<const Outcome> outcomes) override;
  [[nodiscard]] bool remembers() const override { return true; }

private:
  using Extents = std::vector<std::int64_t>;

  [[nodiscard]] std::vector<machine::Grid> first_batch();
  [[nodiscard]] std::vector<Extents> lattice() const;
  void choose_seeds(std::span<const Outcome> outcomes);
  void next_seed();

  [[nodiscard]] std::vector<machine::Grid> neighbourhood() const;
  void add_steps(const Extents& centre, std::vector<Extents>& found) const;
  void add_wider_steps(const Extents& centre, std::vector<Extents>& found) const;
  void add_factor_moves(const Extents& centre, std::vector<Extents>& found) const;
  void add_long_steps(const Extents& centre, std::vector<Extents>& found) const;
  void add_fillings(const Extents& centre, std::vector<Extents>& found) const;
  void add_boxes(const Extents& centre, std::vector<Extents>& found) const;
  [[nodiscard]] std::vector<machine::Grid> within_budget(std::vector<machine::Grid> grids);

  [[nodiscard]] bool leaves_none_empty(std::size_t dim, std::int64_t processors) const noexcept;
  [[nodiscard]] std::int64_t most_along(std::size_t dim) const noexcept;
  [[nodiscard]] std::int64_t step(std::size_t dim, std::int64_t from, int direction) const noexcept;
  [[nodiscard]] std::int64_t at_most(std::size_t dim, std::int64_t processors) const noexcept;
  [[nodiscard]] bool is_candidate(const Extents& extents) const noexcept;
  [[nodiscard]] machine::Grid grid_of(const Extents& extents) const;

  SearchSpace space_;
  Goal goal_;
  Selection selection_;
  std::optional<AdmittedGrids> admitted_;  ///< if there are conditions
  std::size_t budget_ = 0;                 ///< grids that may be evaluated in all
  std::set<machine::Grid, GridOrder> evaluated_;
  bool seeded_ = false;
  std::vector<Outcome> seeds_;  ///< where descents start, the next one last
  std::optional<Outcome> centre_;
  int level_ = 0;  ///< of the neighbourhood of the centre, see neighbourhood()
};

}  // namespace gridcast::search
