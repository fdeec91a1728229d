#pragma once
/// Sobol' indices: which share of the variance of a result each factor causes, alone (first order)
/// and together with others (total), from a Saltelli design (docs/analysis.md).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gridcast/design/effects.h"
#include "gridcast/design/table.h"

namespace gridcast::design {

/// A figure and where it lies with 95 % confidence (bootstrap, percentiles).
struct Estimate {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
};

/// Sobol' indices of one factor, shares of the variance (0 to 1).
struct SobolIndex {
  Estimate first;  ///< variance caused by the factor alone, as a share of all
  Estimate total;  ///< ... alone and together with others
};

/// Indices from the results of a Saltelli design, base point by base point, in any order. A base
/// point has k + 2 results: f(A), f(A with factor i from B) for each i, f(B).
class SobolEstimator {
public:
  /// `replicates` of the bootstrap; 0 gives intervals without width.
  SobolEstimator(std::size_t factors, std::size_t replicates, std::uint64_t seed);

  /// `base` is the number of the base point, `results` are in the order above.
  void add(std::int64_t base, std::span<const double> results);

  [[nodiscard]] std::int64_t bases() const noexcept { return bases_; }
  [[nodiscard]] double mean() const;
  /// Variance of the result.
  [[nodiscard]] double variance() const;
  /// Per factor. First order: Saltelli 2010, centred; total: Jansen 1999. All 0 if nothing varies.
  [[nodiscard]] std::vector<SobolIndex> indices() const;

private:
  [[nodiscard]] SobolIndex index_of(std::span<const double> sums, std::size_t factor) const;

  std::size_t factors_;
  std::size_t width_;  ///< sums per replicate
  std::uint64_t seed_;
  double origin_ = 0.0;
  std::int64_t bases_ = 0;
  std::vector<double> sums_;  ///< of the sample itself, then of each replicate
  std::vector<double> terms_;
};

/// How the rows of a table are the runs of a Saltelli design.
struct SaltelliLayout {
  /// Order of the runs.
  enum class Order : std::uint8_t {
    by_base,  ///< A, its k mixtures, (k mixtures the other way round,) B; then the next base point
    by_matrix,  ///< all of A, all of B, all of each mixture
  };
  Order order = Order::by_base;
  bool both_ways = false;  ///< by_base: B with factor i from A, too (second order designs)
  std::int64_t bases = 0;
};

/// Recognises a Saltelli design by the values of its factors; every row is looked at. Nothing if
/// the table is none.
[[nodiscard]] std::optional<SaltelliLayout> saltelli_layout(const Table& table,
                                                            const Question& question);

/// The indices of one case.
struct CaseIndices {
  std::vector<double> values;  ///< of Question::cases
  std::int64_t bases = 0;      ///< base points with all their results
  std::int64_t dropped = 0;    ///< base points with a run that failed
  double mean = 0.0;
  double variance = 0.0;
  std::vector<SobolIndex> indices;  ///< in the order of Question::factors
};

/// How intervals of the indices are found.
struct SobolOptions {
  std::size_t replicates = 1000;
  std::uint64_t seed = 0;
};

/// Of every case of a table. Throws InputError if it is no Saltelli design or has more than 64
/// cases.
[[nodiscard]] std::vector<CaseIndices> sobol_indices(const Table& table, const Question& question,
                                                     const SobolOptions& options);

}  // namespace gridcast::design
