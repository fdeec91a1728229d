#pragma once
/// When the processors of a grid are through with a communication that starts at time 0
/// on idle networks, by classes of processors: least, most and sum of a class's ends without a list
/// of them where there is a closed form.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "gridcast/mapping/processor_classes.h"

namespace gridcast::network {

using mapping::ProcessorClasses;

class PortEnds;

/// Ends of one class that lie below a limit.
struct EndsBelow {
  double count = 0.0;
  double sum = 0.0;
};

/// Processors of one class, all with the same clock, come to a wait: those whose end is earlier
/// than the clock and what they pay go on having paid.
struct Settled {
  double count = 0.0;              ///< of those that go on
  double sum = 0.0, paid = 0.0;    ///< of their ends, and of what they pay
  double least = 0.0, most = 0.0;  ///< clocks of the class afterwards
};

/// The overheads of the processors of a class.
struct ClassOverheads {
  double least = HUGE_VAL, most = 0.0;
  double waits_until = HUGE_VAL, passes_from = -HUGE_VAL;

  /// Of processors with ends from `end` to `last`.
  void add(double end, double last, double overhead) noexcept {
    least = std::min(least, overhead);
    most = std::max(most, overhead);
    waits_until = std::min(waits_until, end - overhead);
    passes_from = std::max(passes_from, last - overhead);
  }
};

/// Ends of one communication, seconds after its start. What is asked for by `which` is that of a
/// class.
class ClassEnds {
public:
  ClassEnds() = default;
  virtual ~ClassEnds() = default;
  ClassEnds(const ClassEnds&) = delete;
  ClassEnds& operator=(const ClassEnds&) = delete;

  /// Nothing is sent and no time passes.
  [[nodiscard]] bool silent() const noexcept { return silent_; }
  /// Whether the ends belong to one occasion, not to every one on idle networks.
  [[nodiscard]] bool once() const noexcept { return once_; }
  /// The networks are free from then on.
  [[nodiscard]] double busy() const noexcept { return std::max(busy_, last_); }
  /// The earliest and the latest end of a class.
  [[nodiscard]] double least(std::size_t which) const noexcept { return least_[which]; }
  [[nodiscard]] double most(std::size_t which) const noexcept { return most_[which]; }
  /// The latest end of all.
  [[nodiscard]] double last() const noexcept { return last_; }
  /// Σ of the ends of all processors.
  [[nodiscard]] double total() const noexcept { return total_; }
  /// Σ of the ends of a class.
  [[nodiscard]] double sum(std::size_t which) const {
    if (sums_[which] == -HUGE_VAL) {
      sums_[which] = sum_of(which);
    }
    return sums_[which];
  }
  /// The most that it costs a processor of the class in time that nothing can hide: sending,
  /// receiving, packing (docs/model.md §2.16).
  [[nodiscard]] double overhead(std::size_t which) const noexcept {
    return overheads_.empty() ? 0.0 : overheads_[which];
  }
  /// Whether nobody who starts at 0 is through before having paid it.
  [[nodiscard]] bool ends_after_overheads() const noexcept;
  /// Whether that differs within some classes, within a class: overhead_of().
  [[nodiscard]] bool overheads_listed() const noexcept { return !within_.empty(); }
  [[nodiscard]] bool overheads_listed(std::size_t which) const noexcept {
    return overheads_listed() && within_[which].least < within_[which].most;
  }
  /// A processor of the class whose clock is not later waits, and its end hides what it pays.
  [[nodiscard]] double waits_until(std::size_t which) const noexcept {
    return overheads_listed() ? within_[which].waits_until : least(which) - overhead(which);
  }
  /// One whose clock is not earlier does not wait, and pays.
  [[nodiscard]] double passes_from(std::size_t which) const noexcept {
    return overheads_listed() ? within_[which].passes_from : most(which) - overhead(which);
  }
  /// What it costs one processor of a class.
  [[nodiscard]] virtual double overhead_of(std::size_t which, std::int64_t /*number*/) const {
    return overhead(which);
  }
  /// Σ of how much earlier than `limit` the ends of a class are that lie below it.
  [[nodiscard]] double short_of(std::size_t which, double limit) const {
    if (least(which) >= limit) {
      return 0.0;
    }
    const EndsBelow early = below(which, limit);
    return early.count * limit - early.sum;
  }
  /// How many ends of a class lie below `limit`, and their sum.
  [[nodiscard]] virtual EndsBelow below(std::size_t which, double limit) const = 0;
  /// What becomes of a class whose processors all have this clock; only if it settles().
  [[nodiscard]] virtual Settled settle(std::size_t which, double clock) const;
  [[nodiscard]] virtual bool settles(std::size_t which) const noexcept {
    return !overheads_listed(which);
  }
  /// Σ of what it costs the processors of a class; only over_ports().
  [[nodiscard]] double paid_by(std::size_t which) const { return settle(which, HUGE_VAL).paid; }
  /// The most that a clock and what this costs its processor come to in a class. Clocks ascend with
  /// numbers up to and from the node on that `root` lies in; only over_ports().
  [[nodiscard]] virtual double most_paid(
      std::size_t /*which*/, std::int64_t /*root*/,
      const std::function<double(std::int64_t)>& /*clock*/) const {
    return HUGE_VAL;
  }
  /// The sender, if ends ascend with numbers up to and from its node on, and those behind it are
  /// not earlier than those before it; negative if they do not.
  [[nodiscard]] virtual std::int64_t ascend_around() const noexcept { return -1; }
  /// The end of one processor of a class.
  [[nodiscard]] virtual double end_of(std::size_t which, const ProcessorClasses::Indices& at,
                                      std::int64_t number) const = 0;
  /// When the channels of the top network are free again, those that carry something; false if that
  /// is not known, or if those below it and above processor 0 carry something after `from`.
  virtual bool channel_ends(std::vector<double>& /*ends*/, double /*from*/) const { return false; }
  /// The same ends, of an exchange over ports that found them idle; null if they are others.
  [[nodiscard]] virtual const PortEnds* over_ports() const noexcept { return nullptr; }
  /// Whether for_each_corner() sees the extremes of these ends and of their sums with others such.
  [[nodiscard]] virtual bool affine() const noexcept { return false; }

  /// How many numbers are kept that grow with the processors; 0 if few.
  [[nodiscard]] std::size_t kept() const noexcept {
    const std::size_t all = ends_.size() + beside_.size();
    return all <= few_numbers ? 0 : all;
  }
  /// Gives them back. `again` makes these ends anew when first somebody asks for such a number;
  /// null: nobody does.
  void put_away(std::function<void()> again) {
    again_ = std::move(again);
    if (kept() > 0) {
      ends_ = std::vector<double>();  // {} would keep the memory
      beside_ = std::vector<double>();
    }
  }
  /// Before such numbers are looked at.
  void bring_back() const {
    if (again_) {
      std::exchange(again_, nullptr)();
    }
  }

protected:
  /// Of a class whose sum is not in sums_.
  [[nodiscard]] virtual double sum_of(std::size_t which) const { return sums_[which]; }
  void start(std::size_t classes);
  void set_overhead(std::size_t which, double seconds);
  void set_overheads(std::span<const ClassOverheads> each);
  /// From least_ and most_.
  void find_last();
  bool silent_ = true;
  bool once_ = false;
  double last_ = 0.0;
  double busy_ = 0.0;
  double total_ = 0.0;
  std::vector<double> least_, most_;
  mutable std::vector<double> sums_;   // -HUGE_VAL: worked out when first asked for
  std::vector<double> ends_, beside_;  // what kept() counts: ends, and another number with each

private:
  static constexpr std::size_t few_numbers = 4096;
  mutable std::function<void()> again_;  // null: nothing is put away
  std::vector<double> overheads_;        // per class; empty: none
  std::vector<ClassOverheads> within_;   // per class; empty: they are alike in each
};

}  // namespace gridcast::network
