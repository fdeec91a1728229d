#pragma once
/// Which messages go in which direction at a step, and how long they are.

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "gridcast/infer/laws.h"
#include "gridcast/infer/parity.h"

namespace gridcast::infer {

/// The blocks of the processes under a rule. Grid dimensions cut the first extents of the problem.
class Blocks {
public:
  Blocks(const Runs& runs, Rule rule) : runs_(runs), rule_(rule) {}

  [[nodiscard]] Rule rule() const noexcept { return rule_; }
  /// Extents of a process's own block.
  [[nodiscard]] std::vector<std::int64_t> of(std::size_t run, std::size_t rank) const;
  /// Length of block q of an extent over a dimension of the grid.
  [[nodiscard]] std::int64_t length(std::size_t run, std::size_t extent, std::size_t dimension,
                                    std::int32_t q) const;

private:
  const Runs& runs_;
  Rule rule_;
};

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
  bool sure = false;      ///< a run shows the direction
  bool scatters = false;  ///< bytes differ between iterations
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

/// "solver.c:36, 40".
[[nodiscard]] std::string places_text(const Runs& runs, const Step& step);

}  // namespace gridcast::infer
