#pragma once
/// Internal: when the processors of a grid are through with a communication that starts at time 0
/// on idle networks, by classes of processors: least, most and sum of a class's ends without a list
/// of them where there is a closed form.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "class_mapping.h"
#include "gridcast/machine/cluster.h"

namespace gridcast::model {

class FoldedEnds;

/// Ends of one class that lie below a limit.
struct EndsBelow {
  double count = 0.0;
  double sum = 0.0;
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
  /// Whether other communications have to wait for it (networks with channels).
  [[nodiscard]] bool occupies() const noexcept { return occupies_; }
  [[nodiscard]] double least(std::size_t which) const noexcept { return least_[which]; }
  [[nodiscard]] double most(std::size_t which) const noexcept { return most_[which]; }
  [[nodiscard]] double last() const noexcept { return last_; }
  /// Σ of the ends of all processors.
  [[nodiscard]] double total() const noexcept { return total_; }
  /// Σ of the ends of a class.
  [[nodiscard]] double sum(std::size_t which) const;
  /// The most that it costs a processor of the class in time that nothing can hide: sending,
  /// receiving, packing (docs/model.md §2.16).
  [[nodiscard]] double overhead(std::size_t which) const noexcept {
    return overheads_.empty() ? 0.0 : overheads_[which];
  }
  [[nodiscard]] bool overheads_any() const noexcept { return !overheads_.empty(); }
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
  /// What each processor pays, as ends; null if that is not known like that.
  [[nodiscard]] virtual const ClassEnds* paid() const { return nullptr; }
  [[nodiscard]] virtual double overhead_of(std::size_t which,
                                           std::int64_t /*number*/) const noexcept {
    return overhead(which);
  }
  /// How many ends of a class lie below `limit`, and their sum.
  [[nodiscard]] virtual EndsBelow below(std::size_t which, double limit) const = 0;
  /// The end of one processor of a class.
  [[nodiscard]] virtual double end_of(std::size_t which, const ProcessorClasses::Indices& at,
                                      std::int64_t number) const = 0;
  /// When the channels of the one network are free again, those that carry something; false if that
  /// is not known.
  virtual bool channel_ends(std::vector<double>& /*ends*/) const { return false; }
  /// The same ends, row after row; null if they are not known like that.
  [[nodiscard]] virtual const FoldedEnds* folded() const { return nullptr; }
  /// Whether for_each_corner() sees the extremes of these ends and of their sums with others such.
  [[nodiscard]] virtual bool affine() const noexcept { return false; }

protected:
  [[nodiscard]] virtual double sum_of(std::size_t which) const = 0;
  void start(std::size_t classes);
  void set_overhead(std::size_t which, double seconds);
  void set_overheads(std::span<const ClassOverheads> each);
  /// From least_ and most_.
  void find_last();
  bool silent_ = true;
  bool once_ = false;
  bool occupies_ = true;
  double last_ = 0.0;
  double total_ = 0.0;
  std::vector<double> least_, most_;

private:
  std::vector<double> overheads_;       // per class; empty: none
  std::vector<ClassOverheads> within_;  // per class; empty: they are alike in each
  // worked out when first asked for.
  mutable std::vector<double> sums_;
};

/// What a processor of one class sends: in ascending order of the receivers.
struct ClassMessage {
  std::array<std::int8_t, machine::max_grid_rank> shift{};  ///< coordinates: receiver - sender
  std::int64_t offset = 0;                                  ///< numbers: receiver - sender
  double bytes = 0.0;
  double strided = 0.0;  ///< those of them that are not contiguous (docs/model.md §2.16)
};

/// What each class sends in an exchange of shadow edges; the same for all its processors.
class ClassExchange {
public:
  void work_out(const ClassMapping& mapping, const CommunicationSpec& spec);

  [[nodiscard]] std::span<const ClassMessage> messages(std::size_t which) const noexcept {
    return {messages_.data() + begin_[which], begin_[which + 1] - begin_[which]};
  }
  [[nodiscard]] bool empty() const noexcept { return messages_.empty(); }

private:
  /// `later`: edges go to where this loop runs earlier, if set.
  void add_part(const ClassMapping& mapping, const ShadowPart& part, const ClassLayout* later,
                std::size_t which);
  std::vector<ClassMessage> messages_;
  std::vector<std::size_t> begin_;
};

/// Per class: whether its processors send or receive something.
[[nodiscard]] std::vector<std::uint8_t> participants(const ProcessorClasses& classes,
                                                     const ClassExchange& exchange);

/// One-to-all and all-to-one with equal messages: a reduction or what processor 0 hands to all.
struct Fan {
  bool any = false;
  bool gather = false;         ///< first all representatives send to the root
  double representatives = 0;  ///< with the root
  std::int64_t root = 0;       ///< processor number; a class of its own
  double bytes = 0.0;
};

/// Ends of a fan on one network of channels or links.
class FanEnds final : public ClassEnds {
public:
  void work_out(const ProcessorClasses& classes, const Fan& fan, const machine::Network& network);
  /// On one network of ports. `speaks`: per class, whether its processors send to the root; may be
  /// empty.
  void work_out_ports(const ProcessorClasses& classes, const Fan& fan,
                      const machine::Network& ports, std::span<const std::uint8_t> speaks);
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

/// Ends of an exchange over a grid of links: one time for all that take part.
class LinkEnds final : public ClassEnds {
public:
  void work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                const machine::Network& links);
  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override;
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& at,
                              std::int64_t number) const override;
  [[nodiscard]] bool affine() const noexcept override { return true; }

private:
  [[nodiscard]] double sum_of(std::size_t which) const override;
  const ProcessorClasses* classes_ = nullptr;
};

/// Ends of an exchange over one channel: messages follow each other in the order of the list, so a
/// processor is through when the last of the messages that it sends or receives is. Over the
/// coordinates of a class that is an affine function, apart from those at the ends of a run.
class BusEnds final : public ClassEnds {
public:
  void work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                const machine::Network& bus);

  using Indices = ProcessorClasses::Indices;

  /// Processors of a class with the same last sender relative to them.
  struct Box {
    Indices lo{}, hi{};
    std::array<std::int8_t, machine::max_grid_rank> shift{};  ///< to the last sender
    double after = 0.0;  ///< from the begin of the last sender's first message
    double count = 1.0;
    bool takes_part = false;
  };
  [[nodiscard]] std::span<const Box> boxes(std::size_t which) const noexcept {
    return {boxes_.data() + first_box_[which], first_box_[which + 1] - first_box_[which]};
  }
  /// All ways that messages go, by ascending receiver.
  [[nodiscard]] std::span<const ClassMessage> ways() const noexcept { return shifts_; }
  /// Begin of the first message of the processor at these coordinates.
  [[nodiscard]] double before(const Indices& at) const noexcept;
  [[nodiscard]] double end(const Box& box, Indices at) const noexcept;

  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override;
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& at,
                              std::int64_t number) const override;
  bool channel_ends(std::vector<double>& ends) const override {
    ends.assign(1, last_);
    return true;
  }
  [[nodiscard]] bool affine() const noexcept override { return true; }

private:
  [[nodiscard]] double sum_of(std::size_t which) const override;
  void weigh(const ClassExchange& exchange);
  void add_boxes(std::size_t which, const ClassExchange& exchange);
  void add_below(const Box& box, double limit, EndsBelow& result) const;
  void find_last_sender(Box& box, const ClassExchange& exchange) const;

  const ProcessorClasses* classes_ = nullptr;
  const machine::Network* bus_ = nullptr;
  std::vector<ClassMessage> shifts_;  // all that occur
  std::array<std::vector<double>, machine::max_grid_rank> weight_, weight_before_;
  std::vector<Box> boxes_;
  std::vector<std::size_t> first_box_;
};

/// Ends that were found by simulating message after message: any networks with channels.
class ListedEnds final : public ClassEnds {
public:
  /// Ends of all processors, found elsewhere, and what cannot be hidden (empty: nothing). `once`:
  /// see once().
  void assign(const ProcessorClasses& classes, std::span<const double> ends, bool once,
              std::span<const double> overheads = {});
  [[nodiscard]] std::span<const double> ends() const noexcept { return ends_; }
  /// Gives back the memory of long lists; nobody asks for them again.
  void release();
  [[nodiscard]] double overhead_of(std::size_t which, std::int64_t number) const noexcept override {
    return overheads_listed() ? overheads_each_[static_cast<std::size_t>(number)] : overhead(which);
  }

  /// Next: a communication that starts while the networks still carry another one, which started
  /// `earlier`. False if it is not known what that one leaves behind.
  bool follow(const ClassEnds& other, double earlier, const machine::ProcessorSystem& system);

  void work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                const machine::ProcessorSystem& system);
  void work_out(const ClassMapping& mapping, const Fan& fan, const ClassLayout* loop,
                const machine::ProcessorSystem& system);
  void work_out(const ProcessorClasses& classes, const Spread& spread,
                const machine::ProcessorSystem& system);
  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override;
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& at,
                              std::int64_t number) const override;

  bool channel_ends(std::vector<double>& ends) const override;

private:
  [[nodiscard]] double sum_of(std::size_t which) const override;
  /// Channels of one network instance: ends of what they carry, as a heap with the earliest first.
  struct Queue {
    std::vector<double> ends;
    std::uint64_t epoch = 0;
  };
  void reset(const ProcessorClasses& classes, const machine::ProcessorSystem& system);
  double place(std::size_t from, std::size_t to, double bytes);
  void sum_up();
  void sum_up_overheads();

  const ProcessorClasses* classes_ = nullptr;
  const machine::ProcessorSystem* system_ = nullptr;
  std::vector<double> ends_, overheads_each_;  // the latter empty: nothing
  std::vector<double> class_sums_;
  std::vector<Queue> queues_;
  std::uint64_t epoch_ = 0;
  bool follows_ = false;
  double base_ = 0.0;  // of the times in queues_
};

/// The fan of a reduction; `any` is false if nothing is sent.
[[nodiscard]] Fan reduction_fan(const ClassMapping& mapping, const CommunicationSpec& spec);

}  // namespace gridcast::model
