#pragma once
/// How one dimension of a template is cut over the coordinates of one dimension of a processor
/// system (docs/model.md §3; [Predictor2010 app. 3 and 4]). A cut is given by its boundaries:
/// coordinate q holds the elements boundaries[q] ... boundaries[q + 1] - 1.

#include <cstdint>
#include <span>
#include <vector>

namespace gridcast::mapping {

/// How blocks are cut: B = ceil(n/P) for all but the last (--block-rule); parts that differ by at
/// most one element, in between or with the longer ones first or last (domains).
enum class BlockRule : std::uint8_t { ceil, balanced, first, last };

using Boundaries = std::vector<std::int64_t>;

/// BLOCK of n elements over `coordinates` processors; with `multiplier` > 1 (blkdiv_) every block
/// but the last is a multiple of it.
void block_boundaries(std::int64_t n, std::int64_t coordinates, BlockRule rule,
                      std::int64_t multiplier, Boundaries& result);

/// Coordinates with weights: boundary q is floor(n * Σ_{j<q} weights / Σ weights), on a multiple of
/// `multiplier`.
void weighted_boundaries(std::int64_t n, std::span<const double> weights, std::int64_t multiplier,
                         Boundaries& result);

/// genblk_: block lengths of the traced run. As many as coordinates: exactly those; otherwise the
/// cumulative lengths are interpolated linearly, halves up. Lengths that do not add up to n are
/// weights and are scaled. Returns whether it interpolated.
bool length_boundaries(std::int64_t n, std::span<const double> lengths, std::int64_t coordinates,
                       Boundaries& result);

/// setelw_: weight k of W covers the elements ceil(kn/W) ... ceil((k+1)n/W) - 1. Boundary q is the
/// largest one whose cumulated weight does not exceed the share of the first q coordinates;
/// `shares` are the coordinates' relative performances.
void element_weight_boundaries(std::int64_t n, std::span<const double> weights,
                               std::span<const double> shares, Boundaries& result);

}  // namespace gridcast::mapping
