#include "heuristic.h"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "classic.h"
#include "descent.h"

namespace gridcast::search {

machine::Grid as_candidate(const machine::Grid& grid, int rank) {
  std::array<std::int64_t, machine::max_grid_rank> extents{1, 1, 1, 1};
  for (int dim = 0; dim < grid.rank(); ++dim) {
    if (dim >= rank && grid.extent(dim) > 1) {
      return grid;
    }
    extents[static_cast<std::size_t>(dim)] = grid.extent(dim);
  }
  return machine::Grid(
      std::span<const std::int64_t>(extents.data(), static_cast<std::size_t>(rank)));
}

bool leads(const Goal& goal, const Outcome& a, const Outcome& b) noexcept {
  const bool a_counts = is_eligible(goal, a);
  const bool b_counts = is_eligible(goal, b);
  if (a_counts != b_counts) {
    return a_counts;
  }
  if (a_counts) {
    return is_better(goal, a, b);
  }
  const bool a_known = is_comparable(goal, a);
  const bool b_known = is_comparable(goal, b);
  return a_known != b_known ? a_known
                            : a_known && is_better(Goal{Objective::efficiency, {}, {}, {}}, a, b);
}

double guiding_cost(const Goal& goal, const Outcome& outcome) noexcept {
  if (!is_eligible(goal, outcome)) {
    return std::numeric_limits<double>::infinity();
  }
  return goal.objective == Objective::efficiency ? 1.0 - outcome.efficiency : cost(goal, outcome);
}

namespace {

/// One heuristic after the other: each searches the grids of one number of threads.
class SourceList final : public BatchSource {
public:
  explicit SourceList(std::vector<std::unique_ptr<BatchSource>> sources)
      : sources_(std::move(sources)) {}

  [[nodiscard]] std::vector<machine::Grid> next_batch() override {
    for (; current_ < sources_.size(); ++current_) {
      if (auto batch = sources_[current_]->next_batch(); !batch.empty()) {
        return batch;
      }
    }
    return {};
  }

  void take_batch(std::span<const Outcome> outcomes) override {
    sources_[current_]->take_batch(outcomes);
  }

  [[nodiscard]] bool remembers() const override { return sources_.front()->remembers(); }

private:
  std::vector<std::unique_ptr<BatchSource>> sources_;
  std::size_t current_ = 0;
};

std::unique_ptr<BatchSource> heuristic_of(const SearchSpace& space, const StrategyOptions& options,
                                          Selection selection) {
  if (options.heuristic == Heuristic::descent) {
    return std::make_unique<DescentSource>(space, options.goal, selection);
  }
  return std::make_unique<ClassicSource>(space, options.goal);
}

}  // namespace

std::unique_ptr<BatchSource> make_heuristic(std::span<const SearchSpace> spaces,
                                            const StrategyOptions& options, Selection selection) {
  std::vector<std::unique_ptr<BatchSource>> sources;
  sources.reserve(spaces.size());
  for (const SearchSpace& space : spaces) {
    sources.push_back(heuristic_of(space, options, selection));
  }
  return std::make_unique<SourceList>(std::move(sources));
}

}  // namespace gridcast::search
