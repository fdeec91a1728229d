#pragma once
/// Internal: ends of communications on one network in closed form.

#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/network/class_ends.h"
#include "gridcast/network/class_messages.h"

namespace gridcast::network {

/// Ends of a fan on one network of channels or links.
class FanEnds final : public ClassEnds {
public:
  void work_out(const ProcessorClasses& classes, const Fan& fan, const machine::Network& network);
  /// Nothing is sent.
  void be_silent() noexcept { silent_ = true; }
  /// Every processor is through after `time` (a reduction on a grid of links).
  void work_out_fixed(const ProcessorClasses& classes, double time);
  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override;
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& at,
                              std::int64_t number) const override;
  bool channel_ends(std::vector<double>& ends) const override;
  [[nodiscard]] bool affine() const noexcept override { return fixed_ || channels_ == 1; }

private:
  [[nodiscard]] double sum_of(std::size_t which) const override;
  [[nodiscard]] double end(std::int64_t position) const noexcept;
  /// Of each class but the root's.
  void find_extremes();
  [[nodiscard]] std::int64_t position(std::int64_t processor) const noexcept {
    return processor < root_ ? processor + 1 : processor;
  }

  const ProcessorClasses* classes_ = nullptr;
  std::size_t root_class_ = 0;
  std::int64_t root_ = 0;
  std::int64_t channels_ = 1;
  double base_ = 0.0;    // when the broadcast begins
  double length_ = 0.0;  // of one message
  bool fixed_ = false;
};

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

/// Ends of an exchange over a grid of links: one time for all that take part.
class LinkEnds final : public AlikeEnds {
public:
  void work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                const machine::Network& links);
};

}  // namespace gridcast::network
