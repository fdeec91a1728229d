#pragma once
/// Internal: processors whose clocks differ row by row wait for a communication.

#include <cstdint>
#include <span>

#include "gridcast/network/folded_ends.h"

namespace gridcast::model {

using network::FoldedEnds;

/// What waiting adds to the sums, seconds over all processors.
struct Waited {
  double overlap = 0.0;
  double waiting = 0.0;
  double late = 0.0;  ///< the part of waiting that was before the start
};

/// The clock of the processors of a class before a wait, after the communication's start: an offset
/// and, if there is such, the later of a limit and an end.
struct ClockBefore {
  double offset = 0.0;
  bool moves = false;  ///< there is an end
  double limit = 0.0;  ///< -HUGE_VAL: none
};

/// Clocks after waiting, after the communication's start.
class FoldedWait final : public FoldedEnds {
public:
  /// `before`: per class, with ends of `clocks` (null if no class has any). `without_first`:
  /// processor 0, class 0, does not wait. Returns false if there would be more than `most` entries.
  bool work_out(const FoldedEnds& ends, const FoldedEnds* clocks,
                std::span<const ClockBefore> before, bool without_first, std::size_t most);
  [[nodiscard]] const Waited& waited() const noexcept { return waited_; }

private:
  struct Block;
  bool take(const Block& block, std::size_t most);
  [[nodiscard]] bool alike(const Block& block) const;
  void add(const Block& block);
  /// Rows of the ends and, if not null, of the clocks from rows() on.
  [[nodiscard]] Block next_block(const Band& ends, const Band* clocks) const;
  template <class F>
  bool for_each_entry(const Block& block, F&& f) const;

  const FoldedEnds* ends_ = nullptr;
  const FoldedEnds* clocks_ = nullptr;
  std::span<const ClockBefore> before_;
  bool without_first_ = false;
  Waited waited_;
};

}  // namespace gridcast::model
