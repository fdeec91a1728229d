#pragma once
/// Which algorithm an allreduce of a machine takes (docs/model.md §10).

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gridcast::machine {

/// How values are gathered and handed out (docs/model.md §5, §10).
enum class ReductionKind : std::uint8_t {
  linear,        ///< all send to one processor, which sends to all
  tree,          ///< binomial trees
  doubling,      ///< pairs exchange everything, at distances 1, 2, 4, ...
  rabenseifner,  ///< pairs exchange halves, quarters, ..., and put them together again
  ring,          ///< parts go round; of free processes only
  automatic,     ///< that of the machine
};

/// An algorithm by its name.
struct ReductionWord {
  std::string_view text;
  ReductionKind value;
};

/// What options, descriptions and .par files call them.
inline constexpr std::array reduction_words{
    ReductionWord{"linear", ReductionKind::linear},
    ReductionWord{"tree", ReductionKind::tree},
    ReductionWord{"doubling", ReductionKind::doubling},
    ReductionWord{"rabenseifner", ReductionKind::rabenseifner},
    ReductionWord{"ring", ReductionKind::ring},
    ReductionWord{"auto", ReductionKind::automatic}};

/// Bytes of the values that reductions are cut between.
inline constexpr double reduced_value = 8.0;

/// The choice by bytes and number of processes: that of an MPI library, or one written by hand.
struct AllreduceTable {
  /// Whose choice counts where no row fits.
  enum class Rule : std::uint8_t {
    usual,    ///< doubling of at most 2 KB or of fewer values than processes, else Rabenseifner
    mpich,    ///< the same, counted by the largest power of two of processes
    openmpi,  ///< lines(), as releases from 4.1 on choose
  };
  /// Up to so many processes and bytes: this algorithm.
  struct Row {
    std::int64_t processes = 0;
    std::int64_t bytes = 0;
    ReductionKind kind = ReductionKind::doubling;

    friend bool operator==(const Row&, const Row&) = default;
  };

  Rule rule = Rule::usual;     ///< where no row fits
  std::vector<Row> rows = {};  ///< the first that fits counts

  /// `rows`, or those of the rule.
  [[nodiscard]] std::span<const Row> lines() const noexcept;
  /// Never `automatic`.
  [[nodiscard]] ReductionKind choose(double bytes, double processes) const noexcept;

  friend bool operator==(const AllreduceTable&, const AllreduceTable&) = default;
};

}  // namespace gridcast::machine
