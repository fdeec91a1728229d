#pragma once
/// Statements over blocks in a script (docs/programs.md).

#include <compare>
#include <cstdint>

#include "gridcast/rules/ids.h"
#include "gridcast/rules/slice.h"
#include "gridcast/trace/statements.h"

namespace gridcast::model {

/// What blocks of statements over blocks are cut from.
struct DomainSpec {
  Slice extents = {};          ///< ints
  Slice cuts = {};             ///< ints, per dimension: that of the grid that cuts it, or -1
  Slice periodic = {};         ///< ints, per dimension of the grid: 1 if its ends are neighbours
  Slice ghost = {};            ///< ints, per dimension
  PlacementId placement = {};  ///< its blocks
  auto operator<=>(const DomainSpec&) const = default;
};

/// A message to, or from, a neighbour.
struct MessageSpec {
  Slice offset = {};  ///< ints, per dimension of the grid
  Slice bytes = {};   ///< formulas; of a receive empty
  Slice count = {};   ///< formulas; empty: one
  auto operator<=>(const MessageSpec&) const = default;
};

/// A statement over blocks (docs/programs.md).
struct StatementSpec {
  DomainId domain = {};
  Slice formula = {};     ///< formulas: seconds, bytes or passes
  Slice table = {};       ///< reals, two each: points of a block, seconds
  Slice messages = {};    ///< part_ids of MessageSpecs
  std::uint32_t tag = 0;  ///< messages of others do not match
  trace::Collective collective = trace::Collective::barrier;
  trace::CollectiveAlgorithm algorithm = trace::CollectiveAlgorithm::automatic;
  Slice across = {};  ///< ints: dimensions of the grid (from 0); empty: all
  Slice root = {};    ///< ints: its coordinates along these
  Slice file = {};    ///< chars
  std::int64_t line = 0;
  auto operator<=>(const StatementSpec&) const = default;
};

}  // namespace gridcast::model
