#pragma once
/// Conditions on grids: the questions that a batch queue asks (docs/search.md). They act on
/// candidates of every mode, one by one and, for searches over boxes of grids, box by box.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gridcast/machine/grid.h"
#include "gridcast/machine/nodes.h"

namespace gridcast::search {

/// A set of numbers of processors: numbers and ranges with steps.
class ProcessorNumbers {
public:
  /// Reads a list such as "60,64" or "64:1024:64,2000" (first:last or first:last:step). Throws
  /// InputError.
  static ProcessorNumbers parse(std::string_view text);

  /// The least member that is at least `number`, if there is one.
  [[nodiscard]] std::optional<std::int64_t> next(std::int64_t number) const noexcept;

  [[nodiscard]] std::int64_t last() const noexcept;  ///< the largest member

  /// Numbers of processes of so many threads that take a member of processors each; the text stays.
  [[nodiscard]] ProcessorNumbers per_process(std::int32_t threads) const;

  /// As it was given.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
  /// first, first + step ... up to last.
  struct Range {
    std::int64_t first = 1, last = 1, step = 1;
  };
  std::vector<Range> ranges_;
  std::string text_;
};

/// Bytes of memory that a grid takes, and how many a processor has.
struct MemoryLimit {
  double bytes = 0.0;
  /// What the fullest processor of a grid needs; a process has the memory of all its processors.
  std::function<double(const machine::Grid&)> need;
  /// Never above `need` for any grid whose extents do not exceed these.
  std::function<double(std::span<const std::int64_t>)> least_need;
};

/// How long the blocks of a program must be.
struct BlockCondition {
  std::string text;  ///< "edge", "3", "4,2"
  /// True if those of a grid are.
  std::function<bool(const machine::Grid&)> admits;
  /// Where each dimension of the grid decides for itself: the extents that it may have, ascending,
  /// per dimension; none of a dimension: all.
  std::optional<std::vector<std::vector<std::int64_t>>> extents{};

  /// The extents of dimension `dim`; empty: all, or they are not known.
  [[nodiscard]] std::span<const std::int64_t> extents_of(std::size_t dim) const noexcept;
};

/// What a grid must fulfil to be a candidate; by default nothing.
struct Conditions {
  std::optional<ProcessorNumbers> processors;                ///< --processors
  std::array<std::int64_t, machine::max_grid_rank> fixed{};  ///< --fix; 0: free
  std::optional<std::int64_t> divides;                       ///< --divides
  std::shared_ptr<const machine::NodeList> whole_nodes;      ///< --whole-nodes
  std::optional<MemoryLimit> memory;                         ///< --memory-per-processor
  std::optional<BlockCondition> min_block;                   ///< --min-block

  [[nodiscard]] bool any() const noexcept;

  /// True if all that there is are lists of extents: --min-block alone, where each dimension
  /// decides for itself.
  [[nodiscard]] bool only_lists() const noexcept;

  /// The least number of processors, at least `number`, that a grid may have; nothing if there is
  /// none up to `last`.
  [[nodiscard]] std::optional<std::int64_t> next_number(std::int64_t number,
                                                        std::int64_t last) const noexcept;

  /// True if a grid may have this extent in dimension `dim`.
  [[nodiscard]] bool admits_extent(std::size_t dim, std::int64_t extent) const noexcept;

  /// The extents of dimension `dim` that --min-block leaves; empty: all, or they are not known.
  [[nodiscard]] std::span<const std::int64_t> list_of(std::size_t dim) const noexcept {
    return min_block ? min_block->extents_of(dim) : std::span<const std::int64_t>();
  }

  /// True if a grid fulfils the conditions that are neither about its extents one by one nor about
  /// its number of processors.
  [[nodiscard]] bool admits_whole(const machine::Grid& grid) const;

  /// True if a grid fulfils all conditions.
  [[nodiscard]] bool admits(const machine::Grid& grid) const;

  /// True if no grid of a box (lower <= extents <= upper, one entry per dimension) fulfils all
  /// conditions. May be false although there is none.
  [[nodiscard]] bool excludes(std::span<const std::int64_t> lower,
                              std::span<const std::int64_t> upper) const;

  /// As options of the command line: "--processors 64 --divides 10000".
  [[nodiscard]] std::string text() const;
};

}  // namespace gridcast::search
