#pragma once
/// Internal: ends of communications that are the same for all of a class.

#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/network/class_ends.h"
#include "gridcast/network/class_messages.h"

namespace gridcast::network {

/// Ends that are the same for all processors of a class.
class AlikeEnds : public ClassEnds {
public:
  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override {
    return most_[which] < limit ? EndsBelow{classes_->members()[which], sum_of(which)}
                                : EndsBelow{};
  }
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& /*at*/,
                              std::int64_t /*number*/) const override {
    return most_[which];
  }
  [[nodiscard]] bool affine() const noexcept override { return true; }

protected:
  [[nodiscard]] double sum_of(std::size_t which) const override {
    return most_[which] * classes_->members()[which];
  }

  const ProcessorClasses* classes_ = nullptr;
};

/// Ends over a grid of links: one time for all that take part.
class LinkEnds final : public AlikeEnds {
public:
  /// Nothing is sent.
  void be_silent() noexcept { silent_ = true; }
  /// Every processor is through after `time`.
  void work_out_fixed(const ProcessorClasses& classes, double time);
  /// An exchange.
  void work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                const machine::Network& links);
};

}  // namespace gridcast::network
