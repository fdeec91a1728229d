#include "exact.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "gridcast/base/error.h"

namespace gridcast::search {
namespace {

/// A batch has one grid for so many evaluated before it, at most the largest number, whatever the
/// number of workers: the set of evaluated grids is the same on every machine, and few of them are
/// evaluated only because results were still awaited.
constexpr std::size_t evaluated_per_grid = 4;
constexpr std::size_t largest_batch = 256;

/// A candidate in 16 bytes. Ascending keys are the order of machine::compare.
struct QueueEntry {
  double bound = 0.0;
  std::uint64_t key = 0;
};

/// The first to be evaluated: the least bound, ties like ties of results.
bool comes_later(const QueueEntry& a, const QueueEntry& b) noexcept {
  return a.bound > b.bound || (a.bound == b.bound && a.key > b.key);
}

/// Packs processors, p1, p2, ... (the last extent follows from them) into 64 bits.
class GridPacking {
public:
  explicit GridPacking(const SearchSpace& space)
      : rank_(space.rank), bits_(std::min(31, 64 / space.rank)) {
    if (space.max_processors >> bits_ != 0) {
      throw InputError("an exact search (mode 4) over grids of " + std::to_string(space.rank) +
                           " dimensions and " + std::to_string(space.max_processors) +
                           " processors",
                       "expected at most " + std::to_string((std::int64_t{1} << bits_) - 1) +
                           " processors for this number of dimensions");
    }
  }

  [[nodiscard]] std::uint64_t pack(const machine::Grid& grid) const {
    auto key = static_cast<std::uint64_t>(grid.processors());
    for (int dim = 0; dim + 1 < rank_; ++dim) {
      key = key << bits_ | static_cast<std::uint64_t>(grid.extent(dim));
    }
    return key;
  }

  [[nodiscard]] machine::Grid unpack(std::uint64_t key) const {
    std::array<std::int64_t, machine::max_grid_rank> extents{};
    const std::uint64_t mask = (std::uint64_t{1} << bits_) - 1;
    std::int64_t others = 1;
    for (int dim = rank_ - 2; dim >= 0; --dim) {
      const auto extent = static_cast<std::int64_t>(key & mask);
      extents[static_cast<std::size_t>(dim)] = extent;
      others *= extent;
      key >>= bits_;
    }
    const auto last = static_cast<std::size_t>(rank_) - 1;
    extents[last] = static_cast<std::int64_t>(key) / others;
    return machine::Grid(std::span<const std::int64_t>(extents.data(), last + 1));
  }

private:
  int rank_;
  int bits_;
};

class ExactSource final : public BatchSource {
public:
  ExactSource(const SearchSpace& space, const StrategyOptions& options)
      : space_(space), options_(options), packing_(space), best_(options.goal, options.keep) {
    const bool by_time = options.goal.objective == Objective::time;
    if (by_time ? !options.time_bound : !options.efficiency_bound) {
      throw InputError("an exact search (mode 4) without a bound for its objective",
                       by_time ? "expected a lower bound of the execution time"
                               : "expected an upper bound of the efficiency");
    }
  }

  [[nodiscard]] std::vector<machine::Grid> next_batch() override {
    if (!filled_) {
      fill_queue();
    }
    const std::size_t size =
        std::clamp<std::size_t>(evaluated_ / evaluated_per_grid, 1, largest_batch);
    batch_.clear();
    std::vector<machine::Grid> batch;
    while (batch.size() < size && !queue_.empty()) {
      const QueueEntry first = queue_.front();
      const machine::Grid grid = packing_.unpack(first.key);
      if (loses_to_top(first.bound, grid)) {
        // The queue ascends in the very order in which results are compared: the rest loses too.
        spdlog::debug("search: {} candidates pruned, from {} with bound {} on; {} second bounds",
                      queue_.size(), grid.text(), first.bound, second_bounds_);
        queue_ = {};
        break;
      }
      if (const auto better = no_slower(grid); better && batch_.contains(packing_.pack(*better))) {
        break;  // its result decides
      }
      std::pop_heap(queue_.begin(), queue_.end(), comes_later);
      queue_.pop_back();
      if (const double bound = second_look(first, grid); bound > first.bound) {
        queue_.push_back({bound, first.key});
        std::push_heap(queue_.begin(), queue_.end(), comes_later);
      } else if (is_useless(first.bound, grid)) {
        spdlog::debug("search: {} pruned, it cannot be efficient enough", grid.text());
      } else {
        batch.push_back(grid);
        batch_.insert(first.key);
      }
    }
    return batch;
  }

  void take_batch(std::span<const Outcome> outcomes) override {
    evaluated_ += outcomes.size();
    for (const Outcome& outcome : outcomes) {
      best_.add(outcome);
      if (by_time() && is_comparable(options_.goal.objective, outcome)) {
        least_[packing_.pack(outcome.grid)] = outcome.execution_time;
      }
    }
  }

  [[nodiscard]] bool remembers() const override { return false; }

private:
  [[nodiscard]] bool by_time() const noexcept { return options_.goal.objective == Objective::time; }

  /// The least cost that the grid can have. What is not a number proves nothing.
  [[nodiscard]] double cost_bound(const BoundFunction& time, const BoundFunction& efficiency,
                                  const machine::Grid& grid) const {
    const double bound = by_time() ? time(grid) : -efficiency(grid);
    return std::isnan(bound) ? -std::numeric_limits<double>::infinity() : bound;
  }

  [[nodiscard]] std::optional<machine::Grid> no_slower(const machine::Grid& grid) const {
    return by_time() && options_.no_slower ? options_.no_slower(grid) : std::nullopt;
  }

  /// A higher bound for the first grid of the queue, if there is one: what is known of a grid that
  /// is no slower, or the second bound.
  [[nodiscard]] double second_look(const QueueEntry& first, const machine::Grid& grid) {
    double bound = first.bound;
    if (const auto better = no_slower(grid)) {
      const auto known = least_.find(packing_.pack(*better));
      bound = known == least_.end() ? bound : std::max(bound, known->second);
    }
    const auto& second = by_time() ? options_.second_time_bound : options_.second_efficiency_bound;
    if (bound > first.bound || !second) {
      return bound;
    }
    const auto [place, fresh] = least_.try_emplace(first.key, bound);
    if (fresh) {
      ++second_bounds_;
      place->second = std::max(bound, cost_bound(second, second, grid));
    }
    return place->second;
  }

  void fill_queue() {
    filled_ = true;
    CandidateStream stream(space_, Selection::all);
    queue_.reserve(count_candidates(space_, Selection::all));
    while (const auto grid = stream.next()) {
      if (!by_time() && grid->processors() == 1) {
        continue;  // it does not count
      }
      queue_.push_back({cost_bound(options_.time_bound, options_.efficiency_bound, *grid),
                        packing_.pack(*grid)});
    }
    raise_to_faster();
    std::make_heap(queue_.begin(), queue_.end(), comes_later);
  }

  /// A grid comes behind those that are no slower: candidates ascend by processors, so the bounds
  /// of these are settled before.
  void raise_to_faster() {
    if (!by_time() || !options_.no_slower) {
      return;
    }
    std::unordered_map<std::uint64_t, double> bounds;
    for (QueueEntry& entry : queue_) {
      if (const auto better = options_.no_slower(packing_.unpack(entry.key))) {
        const std::uint64_t key = packing_.pack(*better);
        const auto known = bounds.try_emplace(key, 0.0);
        if (known.second) {
          const auto at = std::lower_bound(
              queue_.begin(), queue_.end(), key,
              [](const QueueEntry& a, std::uint64_t wanted) { return a.key < wanted; });
          known.first->second = at->bound;
        }
        entry.bound = std::max(entry.bound, known.first->second);
      }
    }
  }

  /// Whether a grid whose cost is at least `bound` is certainly worse than `rival`.
  [[nodiscard]] bool loses(double bound, const machine::Grid& grid, const Outcome& rival) const {
    const double rival_cost = cost(options_.goal.objective, rival);
    return bound > rival_cost || (bound == rival_cost && machine::compare(grid, rival.grid) > 0);
  }

  /// Such a grid cannot become the unconstrained best either: that is no worse than the top.
  [[nodiscard]] bool loses_to_top(double bound, const machine::Grid& grid) const {
    return best_.top().size() == best_.keep() && loses(bound, grid, best_.top().back());
  }

  /// Not efficient enough for the condition, and not the unconstrained best.
  [[nodiscard]] bool is_useless(double bound, const machine::Grid& grid) const {
    const auto& least = options_.goal.min_efficiency;
    if (!least || !options_.efficiency_bound || !best_.unconstrained() ||
        !loses(bound, grid, *best_.unconstrained())) {
      return false;
    }
    const auto& second = options_.second_efficiency_bound;
    return options_.efficiency_bound(grid) < *least || (second && second(grid) < *least);
  }

  SearchSpace space_;
  StrategyOptions options_;
  GridPacking packing_;
  Best best_;
  std::vector<QueueEntry> queue_;
  std::size_t evaluated_ = 0;
  std::unordered_set<std::uint64_t> batch_;          // keys of the batch that is out
  std::unordered_map<std::uint64_t, double> least_;  // cost of those evaluated or looked at twice
  std::size_t second_bounds_ = 0;
  bool filled_ = false;
};

}  // namespace

std::unique_ptr<BatchSource> make_exact(const SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<ExactSource>(space, options);
}

}  // namespace gridcast::search
