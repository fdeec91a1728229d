#pragma once
/// Internal: what communications of each kind send on one grid (docs/model.md §5).

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/rules/transfers.h"

namespace gridcast::model {

/// Calls `visit(high, low, step)` for each message of a binomial tree towards number 0 of `all`, in
/// order: `high` hands over what the numbers below `high + step` have.
template <class Visit>
void for_binomial_gather(std::size_t all, const Visit& visit) {
  for (std::size_t step = 1; step < all; step *= 2) {
    for (std::size_t high = step; high < all; high += 2 * step) {
      visit(high, high - step, step);
    }
  }
}

/// The same from number 0: `visit(low, high, step)`.
template <class Visit>
void for_binomial_scatter(std::size_t all, const Visit& visit) {
  for (std::size_t step = std::bit_ceil(all) / 2; step > 0; step /= 2) {
    for (std::size_t high = step; high < all; high += 2 * step) {
      visit(high - step, high, step);
    }
  }
}

/// Adds the edges of an array. `later`: they go to where this loop runs earlier; null: to all
/// neighbours.
void add_edges(GridMapping& mapping, const ShadowPart& part, const mapping::Layout* later,
               network::Communication& communication);

/// The two ordered phases of a reduction, its rounds, or the time that they take.
void add_reduction(GridMapping& mapping, const CommunicationSpec& spec, Transfers& result);

/// What a statement over blocks sends: the messages of a phase, send-receives in turn, single
/// messages, a collective operation.
void add_statement(GridMapping& mapping, const CommunicationSpec& spec, Transfers& result);

/// The same of a collective operation.
void add_collective(GridMapping& mapping, const StatementSpec& statement, Transfers& result);

/// Adds what processor `to` needs, per dimension of the source, and does not hold, from the nearest
/// holders.
void gather(const GridMapping& mapping, const mapping::Layout& from, std::uint32_t to,
            std::span<const mapping::StridedRange> needs, double element_size,
            std::vector<network::Transfer>& transfers);

}  // namespace gridcast::model
