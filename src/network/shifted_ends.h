#pragma once
/// Ends of a communication that had to wait for its one channel.

#include <cmath>
#include <cstdint>
#include <vector>

#include "gridcast/network/class_ends.h"

namespace gridcast::network {

/// Everything as on an idle channel, but for those that send or receive so many seconds later.
class ShiftedEnds final : public ClassEnds {
public:
  /// `ends` as if they were `later` seconds later.
  ShiftedEnds(const ProcessorClasses& classes, const ClassEnds& ends, double later)
      : ends_(&ends), classes_(&classes), later_(later) {
    start(classes.size());
    last_ = ends.last() + later;
    total_ = ends.total();
    for (std::size_t which = 0; which < classes.size(); ++which) {
      // A message takes time on this channel, so those that have none are through at the start.
      const double wait = ends.most(which) > 0.0 ? later : 0.0;
      least_[which] = ends.least(which) + wait;
      most_[which] = ends.most(which) + wait;
      total_ += wait * classes.members()[which];
    }
  }

  /// Whether they are those of that; `slack`: seconds.
  [[nodiscard]] bool is(const ClassEnds& ends, double later, double slack) const noexcept {
    return ends_ == &ends && std::abs(later - later_) <= slack;
  }

  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override {
    if (!(ends_->most(which) > 0.0)) {
      return ends_->below(which, limit);
    }
    EndsBelow below = ends_->below(which, limit - later_);
    below.sum += below.count * later_;
    return below;
  }
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& at,
                              std::int64_t number) const override {
    return ends_->end_of(which, at, number) + (ends_->most(which) > 0.0 ? later_ : 0.0);
  }
  bool channel_ends(std::vector<double>& ends, double /*from*/) const override {
    ends.assign(1, last_);
    return true;
  }
  [[nodiscard]] bool affine() const noexcept override { return ends_->affine(); }

private:
  [[nodiscard]] double sum_of(std::size_t which) const override {
    const double later = ends_->most(which) > 0.0 ? later_ * classes_->members()[which] : 0.0;
    return ends_->sum(which) + later;
  }

  const ClassEnds* ends_;
  const ProcessorClasses* classes_;
  double later_;
};

}  // namespace gridcast::network
