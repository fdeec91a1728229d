#pragma once
/// Internal: ends of a reduction along binomial trees over ports (docs/model.md §5), by the bits of
/// the number that a processor has in the tree.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/mapping/class_layout.h"
#include "gridcast/network/class_ends.h"
#include "gridcast/network/class_messages.h"
#include "gridcast/network/network_levels.h"
#include "numbered_box.h"

namespace gridcast::network {

/// On the way back the processor with number r, counted from the root, gets its message in the
/// round of its lowest bit, from the one without that bit, and sends in all rounds below. So its
/// end is a sum over its bits: each costs a receive, and each missing one a send of whoever is on
/// the way to it. Extremes and sums of a class come from a descent along the bits, which leaves out
/// what lies in no class and what is known as a whole.
class TreeEnds final : public ClassEnds {
public:
  /// A reduction of the iterations of `loop` over networks of ports. False if it is not known:
  /// messages meet others in a port.
  bool work_out(const ProcessorClasses& classes, const mapping::ClassLayout& loop, const Fan& fan,
                std::span<const NetworkLevel> levels);

  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override;
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& at,
                              std::int64_t number) const override;
  [[nodiscard]] double overhead_of(std::size_t which, std::int64_t number) const override;

private:
  /// Messages between numbers that differ in one bit. Seconds.
  struct Round {
    double sent = 0.0;     ///< from the sender's clock until it is through
    double arrived = 0.0;  ///< until the receiver is
    double behind = 0.0;   ///< what both take longer right behind another one of the sender
    double sending = 0.0, receiving = 0.0;  ///< what it costs both, whatever they wait for
  };
  /// On the way along the bits, from the highest: those looked at are `prefix`.
  struct Place {
    int bit = 0;  ///< the next one is the one below
    std::int64_t prefix = 0;
    std::size_t sent = 0;  ///< 1 if the one with these bits has just sent
    bool tight = true;     ///< the bits are those of the last number
    double end = 0.0;
  };
  /// What the rest of the bits adds: over all their values, but for those that a class has in
  /// common.
  struct Tail {
    double least = 0.0, most = 0.0, sum = 0.0;
  };
  /// Per number of bits that are left, and whether the one so far has just sent.
  using Tails = std::vector<std::array<Tail, 2>>;
  /// Numbers of a class.
  struct Members {
    NumberedBox box;
    int common = 0;        ///< bits
    std::int64_t low = 0;  ///< their value
  };

  bool find_rounds(std::span<const NetworkLevel> levels, double bytes);
  void find_overheads();
  /// Goes on to the next bit.
  [[nodiscard]] Place next(const Place& from, bool one) const noexcept;
  [[nodiscard]] Place top() const noexcept;
  [[nodiscard]] double end_of_number(Place at, std::int64_t number) const noexcept;
  [[nodiscard]] std::int64_t number_of(std::int64_t processor) const noexcept {
    return processor < root_ ? processor - root_ + processors_ : processor - root_;
  }
  [[nodiscard]] Members members_of(std::size_t which) const;
  void find_tails(const Members& members, Tails& tails) const;
  void find_extreme(const Members& members, const Tails& tails, bool most, const Place& at,
                    std::int64_t begin, std::int64_t end, double& best) const;
  void add_below(const Members& members, const Tails& tails, double limit, const Place& at,
                 std::int64_t begin, std::int64_t end, EndsBelow& result) const;
  [[nodiscard]] double sum_of(std::size_t which) const override;

  const ProcessorClasses* classes_ = nullptr;
  const mapping::ClassLayout* loop_ = nullptr;
  std::int64_t processors_ = 1, root_ = 0, speakers_ = 1;
  double gathered_ = 0.0;      // when the root has everything
  std::vector<Round> rounds_;  // by bits
};

}  // namespace gridcast::network
