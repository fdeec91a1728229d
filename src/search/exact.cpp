#include "exact.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "gridcast/error.h"

namespace gridcast::search {
namespace {

/// Batches grow 1, 2, 4, ... to this size whatever the number of workers, so that the set of
/// evaluated grids is the same on every machine.
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
    std::vector<machine::Grid> batch;
    while (batch.size() < batch_size_ && !queue_.empty()) {
      const double bound = queue_.front().bound;
      const machine::Grid grid = packing_.unpack(queue_.front().key);
      if (loses_to_top(bound, grid)) {
        // The queue ascends in the very order in which results are compared: the rest loses too.
        spdlog::debug("search: {} candidates pruned, from {} with bound {} on", queue_.size(),
                      grid.text(), bound);
        queue_ = {};
        break;
      }
      std::pop_heap(queue_.begin(), queue_.end(), comes_later);
      queue_.pop_back();
      if (is_useless(bound, grid)) {
        spdlog::debug("search: {} pruned, it cannot be efficient enough", grid.text());
      } else {
        batch.push_back(grid);
      }
    }
    batch_size_ = std::min(2 * batch_size_, largest_batch);
    return batch;
  }

  void take_batch(std::span<const Outcome> outcomes) override {
    for (const Outcome& outcome : outcomes) {
      best_.add(outcome);
    }
  }

  [[nodiscard]] bool remembers() const override { return false; }

private:
  /// The least cost that the grid can have. What is not a number proves nothing.
  [[nodiscard]] double bound_of(const machine::Grid& grid) const {
    const double bound = options_.goal.objective == Objective::time
                             ? options_.time_bound(grid)
                             : -options_.efficiency_bound(grid);
    return std::isnan(bound) ? -std::numeric_limits<double>::infinity() : bound;
  }

  void fill_queue() {
    filled_ = true;
    CandidateStream stream(space_, Selection::all);
    queue_.reserve(count_candidates(space_, Selection::all));
    while (const auto grid = stream.next()) {
      queue_.push_back({bound_of(*grid), packing_.pack(*grid)});
    }
    std::make_heap(queue_.begin(), queue_.end(), comes_later);
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
    return least && options_.efficiency_bound && best_.unconstrained() &&
           options_.efficiency_bound(grid) < *least && loses(bound, grid, *best_.unconstrained());
  }

  SearchSpace space_;
  StrategyOptions options_;
  GridPacking packing_;
  Best best_;
  std::vector<QueueEntry> queue_;
  std::size_t batch_size_ = 1;
  bool filled_ = false;
};

}  // namespace

std::unique_ptr<BatchSource> make_exact(const SearchSpace& space, const StrategyOptions& options) {
  return std::make_unique<ExactSource>(space, options);
}

}  // namespace gridcast::search
