#pragma once
/// Which messages go in which direction at a step, and how long they are.

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "gridcast/infer/blocks.h"
#include "gridcast/infer/laws.h"
#include "gridcast/infer/parity.h"

namespace gridcast::infer {

/// A message that every process sends to its neighbour in one direction, or receives from there.
struct Slot {
  /// The bytes of one message, and who sent it.
  struct Sample {
    std::size_t run = 0;
    std::size_t rank = 0;
    double bytes = 0.0;
  };
  Offset offset;
  std::set<std::pair<std::int32_t, std::int32_t>> calls;  ///< places and tags
  std::vector<Sample> samples;
  bool sure = false;  ///< a run shows the direction
  Law law;
};

/// The slots of a step in the order of its messages. Throws InputError: a receive from anybody that
/// stands alone.
[[nodiscard]] std::vector<Slot> find_slots(const Runs& runs, const Step& step, bool incoming);

/// Finds the law of each slot; false if one has none under the rule.
[[nodiscard]] bool find_laws(std::vector<Slot>& slots, const Blocks& blocks);

/// Holds the slots against what each rank sent and received at the step, if only the processes of a
/// parity do it. Returns the number of messages that were sent. Throws InputError if one is not
/// explained.
std::int64_t verify_messages(const Runs& runs, const Step& step, const std::vector<Slot>& slots,
                             const Blocks& blocks, const Parity& parity);

}  // namespace gridcast::infer
