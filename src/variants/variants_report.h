#pragma once
/// Which variant to write: ranking per number of processors, and where the differences come from.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/report/plot.h"
#include "gridcast/rules/options.h"
#include "gridcast/variants/variants.h"

namespace gridcast::variants {

/// A prediction of the usual run of a variant, out of a store.
struct VariantRow {
  std::size_t variant = 0;  ///< in the file
  machine::Grid grid;
  double time = 0.0;  ///< seconds
  double efficiency = 0.0;
};

/// What one place of the program costs a processor on average, by cause. Seconds.
struct PlaceCosts {
  std::string place;
  double computing = 0.0;  ///< work that the program has to do
  double repeated = 0.0;   ///< the same work on several processors
  double reduction = 0.0;  ///< without waiting for others; so are the next ones
  double shadow = 0.0;
  double remote_access = 0.0;
  double redistribution = 0.0;
  double io = 0.0;
  double waiting = 0.0;  ///< for the slowest, before the operation or at the end
};

/// A difference to the best variant.
struct Difference {
  std::string place;
  std::string cause;
  double seconds = 0.0;  ///< more than in the best variant, of a processor on average
};

/// A variant in one ranking.
struct RankedVariant {
  std::size_t variant = 0;
  std::size_t rank = 0;  ///< from 1
  machine::Grid grid;
  double time = 0.0;    ///< expected, seconds
  double spread = 0.0;  ///< standard deviation from the branches, seconds
  double efficiency = 0.0;
  double relative = 1.0;                ///< to the least time in the ranking
  std::vector<Difference> differences;  ///< the largest, falling
};

/// The variants on one number of processors.
struct VariantRanking {
  std::int64_t processors = 0;          ///< 0: each on the grid that suits it best
  std::vector<RankedVariant> variants;  ///< by expected time, then by name
};

/// All variants of a program, ranked.
struct VariantsReport {
  std::string file;
  std::string machine;
  std::vector<std::string> names;
  std::vector<VariantRanking> rankings;
  std::string to_write;     ///< the variant with the least time overall
  NamedWords assumed = {};  ///< model::ResolvedOptions::assumed, from the caller
};

/// Ranks the variants: for every number of processors that all of them were asked for, and overall.
/// Grids of a variant compete among themselves first. Throws InputError if a variant has no row.
[[nodiscard]] VariantsReport report_variants(const VariantsFile& file,
                                             const machine::Cluster& cluster,
                                             const model::ModelOptions& options,
                                             std::span<const VariantRow> rows);

/// Expected time of a variant on a grid, and its standard deviation: branches are taken for
/// independent, every execution of a branch for itself.
struct ExpectedTime {
  double mean = 0.0;
  double deviation = 0.0;
};
[[nodiscard]] ExpectedTime expected_time(const Variant& variant, const machine::Cluster& cluster,
                                         const model::ModelOptions& options,
                                         const machine::Grid& grid);

[[nodiscard]] std::string variants_text(const VariantsReport& report);
/// One JSON object, schema gridcast.variants/1 (docs/analysis.md).
void write_variants_json(std::ostream& out, const VariantsReport& report);
/// Rankings as a table: variant, grid, processors, seconds (expected), spread, rank, relative,
/// efficiency.
void write_variants_csv(std::ostream& out, const VariantsReport& report);
void write_variants_html(std::ostream& out, const VariantsReport& report);
/// Times in per cent of the best variant.
[[nodiscard]] report::Plot variants_plot(const VariantsReport& report);

}  // namespace gridcast::variants
