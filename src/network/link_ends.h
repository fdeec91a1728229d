#pragma once
/// Internal: ends over a grid of links.

#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/network/class_ends.h"
#include "gridcast/network/class_messages.h"

namespace gridcast::network {

/// Ends over a grid of links: one time for all that take part, which whole classes do.
class LinkEnds final : public ClassEnds {
public:
  /// Nothing is sent.
  void be_silent() noexcept { silent_ = true; }
  /// Every processor is through after `time`.
  void work_out_fixed(const ProcessorClasses& classes, double time);
  /// An exchange.
  void work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                const machine::Network& links);

  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override {
    return most_[which] < limit ? EndsBelow{classes_->members()[which], sum_of(which)}
                                : EndsBelow{};
  }
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& /*at*/,
                              std::int64_t /*number*/) const override {
    return most_[which];
  }
  [[nodiscard]] bool affine() const noexcept override { return true; }

private:
  void begin(const ProcessorClasses& classes);
  [[nodiscard]] double sum_of(std::size_t which) const override {
    return most_[which] * classes_->members()[which];
  }

  const ProcessorClasses* classes_ = nullptr;
};

}  // namespace gridcast::network
