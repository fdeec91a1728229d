#pragma once
/// Internal: ends of communications by which all that take part get the same section.

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "fan_pieces.h"
#include "gridcast/network/class_ends.h"
#include "gridcast/network/class_messages.h"

namespace gridcast::network {

/// Ends of a spread, by closed forms: messages are equal, so under one network the k-th of the list
/// ends after ⌈k/n⌉ of them, and k is an affine function of the coordinates within a class. On
/// ports each sender has a list of its own, and who receives waits for nobody else.
class SpreadEnds final : public ClassEnds {
public:
  /// On one flat network.
  void work_out(const ProcessorClasses& classes, const Spread& spread,
                const machine::Network& network);
  /// From one sender, over a tree of networks with such queues.
  void work_out(const ProcessorClasses& classes, const Spread& spread,
                std::span<const NetworkLevel> levels, Queues queues);

  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override;
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& at,
                              std::int64_t number) const override;
  [[nodiscard]] double overhead_of(std::size_t which, std::int64_t number) const override;
  [[nodiscard]] const ClassEnds* paid() const override;
  bool channel_ends(std::vector<double>& ends) const override {
    ends.assign(1, last_);
    return one_channel_;
  }
  [[nodiscard]] bool affine() const noexcept override { return affine_; }

private:
  /// Of a class: who it is, and the number of messages up to its processors' last ones; on a tree
  /// how many receivers are before them, -1 for the sender.
  struct Part {
    bool sender = false, receiver = false;
    ProcessorClasses::Indices first{};
    std::int64_t lowest = 0;   ///< of the first processor
    std::int64_t highest = 0;  ///< of the last one
    std::int64_t members = 0;
    double base = 0.0;                  ///< before the first of the list is counted
    ProcessorClasses::Indices steps{};  ///< per dimension
    ProcessorClasses::Indices count{1, 1, 1, 1};
    std::int64_t row = 1, step = 0;  ///< so many processors follow each other in equal steps
  };
  enum class Count : std::uint8_t { messages, of_each_sender, receivers };
  /// False if nothing is sent.
  bool begin(const ProcessorClasses& classes, const Spread& spread, Count what);
  void measure(const Spread& spread);
  void add_part(std::size_t which, const Spread& spread);
  void count(Part& part, const Spread& spread) const;
  void pay_ports(std::size_t which, Part& part, const machine::Network& ports, double length,
                 double step);
  /// How many receivers there are before a processor.
  [[nodiscard]] std::int64_t receivers_below(const Spread& spread,
                                             std::int64_t processor) const noexcept;
  void sum_up();
  void sum_up_overheads();
  void take_overheads(const SpreadEnds& ends);

  /// How many members of a part have lower numbers than that.
  [[nodiscard]] static std::int64_t members_below(const Part& part, std::int64_t number) noexcept;
  /// Number of a member.
  [[nodiscard]] static std::int64_t number_of(const Part& part, std::int64_t member) noexcept;
  /// Calls f(piece, member, end) for the members of a part that lie in each piece.
  template <class F>
  void for_each_piece(const Part& part, F&& f) const;
  /// Calls f(number, count, step) for members that follow each other in equal steps.
  template <class F>
  static void for_each_row(const Part& part, std::int64_t member, std::int64_t end, F&& f);
  [[nodiscard]] const FanPiece& piece_of(std::int64_t number) const noexcept;
  [[nodiscard]] double sum_of(std::size_t which) const override;

  const ProcessorClasses* classes_ = nullptr;
  Count what_ = Count::messages;
  bool one_channel_ = false;
  bool affine_ = false;
  std::int64_t per_sender_ = 0;
  ProcessorClasses::Indices steps_{};  // of receivers, per dimension
  std::vector<Part> parts_;
  std::vector<FanPiece> pieces_;  // ascending
  FanBorders borders_;
  mutable std::unique_ptr<SpreadEnds> paid_;  // found when first asked for
  mutable bool paid_found_ = false;
};

}  // namespace gridcast::network
