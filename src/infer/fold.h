#pragma once
/// The sequence of a rank's items as loops.

#include <cstdint>
#include <vector>

#include "gridcast/infer/items.h"

namespace gridcast::infer {

/// An item or a loop in the sequence of a rank.
struct Node {
  std::int64_t count = 0;                 ///< iterations of a loop; 0: an item
  std::vector<Node> body{};               ///< of a loop
  std::vector<Occurrence> occurrences{};  ///< of an item, in order
};

/// The longest repetitions become loops, from the outside inwards; of those inside others, short
/// ones stay written out. Items are equal if they are the same or, with sizes that scatter, if they
/// differ in bytes only.
[[nodiscard]] std::vector<Node> fold(const RankItems& items);

/// The loop with `factor` iterations written out in each.
[[nodiscard]] Node unrolled(const Node& loop, std::int64_t factor);

/// One of `parts` loops after each other that are the loop, each with as many of its iterations;
/// of one part the node itself.
[[nodiscard]] Node part(const Node& loop, std::int64_t parts, std::int64_t which);

/// Number of items in the nodes, each loop's body once.
[[nodiscard]] std::size_t count_items(const std::vector<Node>& nodes);

}  // namespace gridcast::infer
