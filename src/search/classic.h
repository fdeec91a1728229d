#pragma once
/// The classic heuristic ([Predictor2010 §5]; docs/model.md §7).

#include <cstdint>
#include <optional>
#include <vector>

#include "classes.h"
#include "heuristic.h"

namespace gridcast::search {

/// Candidates that are not bad, grouped by mark; within a mark a bisection on the number of
/// processors; pruning by processors and by classes.
class ClassicSource final : public BatchSource {
public:
  ClassicSource(const SearchSpace& space, const Goal& goal);

  [[nodiscard]] std::vector<machine::Grid> next_batch() override;
  void take_batch(std::span<const Outcome> outcomes) override;
  [[nodiscard]] bool remembers() const override { return true; }

private:
  struct Entry {
    machine::Grid grid;
    std::int64_t processors = 1;
    int mark = 0;
  };

  void fill_list(const SearchSpace& space, Selection selection);
  void choose_start();
  [[nodiscard]] std::size_t prefix_length() const;
  [[nodiscard]] std::int64_t choose_processors(std::size_t prefix) const;
  [[nodiscard]] std::int64_t neighbour_processors(std::size_t prefix, bool above) const;
  void prune_by_classes();
  void prune_by_processors();

  SearchSpace space_;
  Goal goal_;
  std::optional<machine::Grid> start_;  ///< nothing if no grid meets the conditions
  std::vector<Entry> list_;  ///< by mark descending, processors ascending, then lexicographically
  std::optional<Outcome> best_;
  Classes classes_;
  std::int64_t processors_ = 0;  ///< of the grids of this batch
  // Whether this and the last batch had the best number of processors, and which that was.
  bool is_best_ = false;
  bool was_best_ = false;
  std::int64_t last_best_ = 0;
};

}  // namespace gridcast::search
