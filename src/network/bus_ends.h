#pragma once
/// Internal: ends of an exchange over one channel in closed form.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/network/class_ends.h"
#include "gridcast/network/class_messages.h"

namespace gridcast::network {

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

}  // namespace gridcast::network
