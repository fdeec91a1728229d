#pragma once
/// The grids among which the search chooses (docs/model.md §7): enumerated one by one and counted
/// without being enumerated, so that a million candidates are never a list in memory.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gridcast/machine/grid.h"
#include "gridcast/search/conditions.h"
#include "gridcast/search/evenness.h"

namespace gridcast::search {

/// What is searched. The candidates are all ordered grids of `rank` dimensions with at most
/// `max_processors` processors. These are processes of `threads` threads: a search that chooses
/// among several numbers of threads has a space for each (SearchSpaces).
struct SearchSpace {
  int rank = 1;  ///< 1 to 4: the highest rank of a distribution in the program
  /// Extents of the reference array (the distributed one with the most elements) along the grid's
  /// dimensions, `rank` of them; 0 where it is not split.
  std::vector<std::int64_t> reference_extents;
  std::int64_t max_processors = 1;  ///< processors of the cluster
  machine::Grid start;              ///< the given grid; by default one processor
  BlockRule block_rule = BlockRule::ceil;
  Conditions conditions{};   ///< what candidates must fulfil besides
  std::int32_t threads = 1;  ///< of each process of a candidate
};

/// What a search chooses from: one space per number of threads, ascending, all of one program.
using SearchSpaces = std::vector<SearchSpace>;

/// The most processors of the machine that a candidate may take.
[[nodiscard]] std::int64_t most_cores(std::span<const SearchSpace> spaces) noexcept;

/// The space of a number of threads. Precondition: there is one.
[[nodiscard]] const SearchSpace& space_of_threads(std::span<const SearchSpace> spaces,
                                                  std::int32_t threads);

/// Throws InputError if the rank is not 1 to 4 (0: the program distributes nothing), the number of
/// extents is not the rank, an extent is negative or the number of processors is not 1 ... 2^31
/// - 1, or a condition cannot be met by any grid of this rank and size.
void validate(const SearchSpace& space);

/// Which candidates.
enum class Selection : std::uint8_t { all, not_bad };

/// Hands out candidates one by one: by processors ascending, then lexicographically (the order of
/// machine::compare). Keeps the divisors of one number only.
class CandidateStream {
public:
  /// Throws InputError like validate().
  CandidateStream(const SearchSpace& space, Selection selection);

  /// The next candidate; nothing after the last.
  [[nodiscard]] std::optional<machine::Grid> next();

private:
  [[nodiscard]] bool allowed(std::size_t dim, std::int64_t processors) const noexcept;
  [[nodiscard]] bool start_number();
  [[nodiscard]] bool next_of_number();

  SearchSpace space_;
  Selection selection_;
  std::int64_t last_number_ = 0;  ///< no candidate has more processors
  std::int64_t number_ = 0;       ///< processors of the current candidates
  std::vector<std::int64_t> divisors_;
  // The factors chosen so far, where the search for each goes on among the divisors, and what is
  // left to be divided before each.
  std::array<std::int64_t, machine::max_grid_rank> factors_{};
  std::array<std::size_t, machine::max_grid_rank> position_{};
  std::array<std::int64_t, machine::max_grid_rank> rest_{};
  std::size_t depth_ = 0;
  bool open_ = false;  ///< the current number may have more candidates
};

/// The candidates of several spaces, space by space.
class CandidateStreams {
public:
  /// Throws InputError like validate().
  CandidateStreams(std::span<const SearchSpace> spaces, Selection selection);

  /// The next candidate; nothing after the last.
  [[nodiscard]] std::optional<machine::Grid> next();

private:
  std::vector<CandidateStream> streams_;
  std::size_t current_ = 0;
};

/// The number of candidates, exactly, in about N^(1/2) steps for rank 2 and N^(3/4) for more; under
/// conditions one by one, unless they are lists of extents alone. Throws InputError like
/// validate().
[[nodiscard]] std::uint64_t count_candidates(const SearchSpace& space, Selection selection);

/// What `gridcast plan` prints.
struct Plan {
  int rank = 1;
  std::vector<std::int64_t> reference_extents;
  std::int64_t processors = 1;  ///< of the machine, the most that a candidate may take
  std::uint64_t candidates = 0;
  std::uint64_t not_bad = 0;
};

/// Counts the candidates; evaluates nothing. Throws InputError like validate().
[[nodiscard]] Plan make_plan(std::span<const SearchSpace> spaces);
[[nodiscard]] inline Plan make_plan(const SearchSpace& space) {
  return make_plan(std::span(&space, 1));
}

}  // namespace gridcast::search
