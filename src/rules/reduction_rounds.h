#pragma once
/// Reductions in which all take part, round by round (docs/model.md §10).

#include <cstdint>
#include <functional>
#include <span>

#include "gridcast/network/communication.h"
#include "gridcast/rules/options.h"

namespace gridcast::model {

/// The messages of a round, senders ascending.
using RoundVisitor = std::function<void(std::span<const network::Transfer> round)>;

/// Calls `visit` for each round of a reduction by pairs or round the ring among all of these;
/// false: it has none.
bool for_each_round(ReductionKind kind, std::span<const std::uint32_t> members, double bytes,
                    const RoundVisitor& visit);

/// Adds these rounds.
bool add_rounds(ReductionKind kind, std::span<const std::uint32_t> members, double bytes,
                network::Communication& result);

}  // namespace gridcast::model
