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
  /// The channel is free `later` seconds after the start.
  void work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                const machine::Network& bus, double later);

  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override;
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& at,
                              std::int64_t number) const override;
  bool channel_ends(std::vector<double>& ends, double /*from*/) const override {
    ends.assign(1, last_);
    return true;
  }
  [[nodiscard]] bool affine() const noexcept override { return true; }

private:
  using Indices = ProcessorClasses::Indices;
  using Shift = decltype(ClassMessage::shift);

  /// Coordinates of a run whose neighbours are alike.
  struct Part {
    std::int64_t lo = 0, hi = 0;
    std::array<std::size_t, 3> runs{};  ///< of the coordinates below, its own, above

    /// The run of the sender whose messages go that way.
    [[nodiscard]] std::size_t run_beside(int shift) const noexcept {
      return runs[static_cast<std::size_t>(1 - shift)];
    }
  };
  using Parts = std::array<const Part*, machine::max_grid_rank>;

  /// Processors of a class with the same last sender relative to them, at coordinates from `lo` to
  /// `hi` - 1. Their ends are an affine function of these.
  struct Box {
    Indices lo{}, hi{};
    double first = 0.0;  ///< end of the processor at `lo`; 0 if they do not take part
    std::array<double, machine::max_grid_rank> slope{};  ///< per coordinate
    double count = 1.0;

    [[nodiscard]] double end(const Indices& at) const noexcept {
      double end = first;
      for (std::size_t j = 0; j < at.size(); ++j) {
        end += static_cast<double>(at[j] - lo[j]) * slope[j];
      }
      return end;
    }
    [[nodiscard]] double last() const noexcept {
      double end = first;
      for (std::size_t j = 0; j < hi.size(); ++j) {
        end += static_cast<double>(hi[j] - lo[j] - 1) * slope[j];
      }
      return end;
    }
  };

  [[nodiscard]] std::span<const Box> boxes(std::size_t which) const noexcept {
    return {boxes_.data() + first_box_[which], first_box_[which + 1] - first_box_[which]};
  }
  [[nodiscard]] double sum_of(std::size_t which) const override;
  /// All of a class take part so much later.
  void delay(std::size_t which, double seconds);
  void weigh(const ClassExchange& exchange);
  void find_parts(int dim);
  void add_boxes(std::size_t which, const ClassExchange& exchange);
  void find_last_sender(Box& box, const Parts& own, std::size_t which,
                        const ClassExchange& exchange) const;
  /// The class of the sender from which these parts are so far, or nowhere.
  [[nodiscard]] std::size_t sender_of(const Parts& own, const Shift& shift) const noexcept;
  /// Ends `after` the begin of the first message of the sender from which these are so far.
  void set_ends(Box& box, const Parts& own, const Shift& shift, double after) const;
  void add_below(const Box& box, double limit, EndsBelow& result) const;

  const ProcessorClasses* classes_ = nullptr;
  const machine::Network* bus_ = nullptr;
  std::vector<ClassMessage> shifts_;  // all that occur, by ascending receiver
  std::array<std::vector<double>, machine::max_grid_rank> weight_, weight_before_;
  std::vector<double> below_;
  std::vector<double> until_;  // per message, with those of its sender before it
  std::vector<std::size_t> first_message_;
  std::array<std::vector<Part>, machine::max_grid_rank> parts_;
  std::array<std::vector<std::size_t>, machine::max_grid_rank> first_part_;  // per run
  std::vector<Box> boxes_;
  std::vector<std::size_t> first_box_;
};

}  // namespace gridcast::network
