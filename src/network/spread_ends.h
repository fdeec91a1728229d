#pragma once
/// Internal: ends of communications by which all that take part get the same section.

#include <cstdint>
#include <span>
#include <vector>

#include "fan_pieces.h"
#include "gridcast/network/class_ends.h"
#include "gridcast/network/class_messages.h"
#include "numbered_box.h"

namespace gridcast::network {

/// Ends of a spread, by closed forms: messages are equal, so under one network the k-th of the list
/// ends after ⌈k/n⌉ of them, and k is an affine function of the coordinates within a class. On
/// ports each sender has a list of its own.
class SpreadEnds final : public ClassEnds {
public:
  /// TCopy, for the communications that are worked out from now on: senders pack, receivers unpack.
  void copy(double seconds_per_byte) noexcept { copy_time_ = seconds_per_byte; }
  /// On one flat network, `later` seconds after the start.
  void work_out(const ProcessorClasses& classes, const Spread& spread,
                const machine::Network& network, double later);
  /// From one sender, over a tree of networks with channels.
  void work_out_channels(const ProcessorClasses& classes, const Spread& spread,
                         std::span<const NetworkLevel> levels);
  /// What comes before a spread over ports: messages to its sender.
  struct Gather {
    FanSender root;                      ///< what it has to do
    std::span<const std::uint8_t> from;  ///< per class, whether its processors send; empty: none do
  };
  /// From one sender, over networks of ports, a tree of them or one; false if it is not known.
  bool work_out_ports(const ProcessorClasses& classes, const Spread& spread,
                      std::span<const NetworkLevel> levels, const Gather& gather);

  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override;
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& at,
                              std::int64_t number) const override;
  [[nodiscard]] double overhead_of(std::size_t which, std::int64_t number) const override;
  [[nodiscard]] bool settles(std::size_t /*which*/) const noexcept override { return true; }
  [[nodiscard]] Settled settle(std::size_t which, double clock) const override;
  [[nodiscard]] std::int64_t ascend_around() const noexcept override { return port_sender_; }
  bool channel_ends(std::vector<double>& ends, double from) const override;
  [[nodiscard]] bool affine() const noexcept override { return affine_; }

private:
  /// Of a class: who it is, and the number of messages up to its processors' last ones; on a tree
  /// how many receivers are before them, -1 for the sender.
  struct Part {
    bool sender = false, receiver = false;
    std::array<const ProcessorClasses::Run*, machine::max_grid_rank> runs{};  ///< coordinates
    ProcessorClasses::Indices steps{};  ///< numbers per coordinate
    std::int64_t first_number = 0;
    NumberedBox box;
    double base = 0.0;  ///< before the first of the list is counted
  };
  enum class Count : std::uint8_t { messages, of_each_sender, receivers };
  /// False if nothing is sent.
  bool begin(const ProcessorClasses& classes, const Spread& spread, Count what);
  void measure(const Spread& spread);
  void add_part(std::size_t which, const Spread& spread);
  void count(Part& part, const Spread& spread, std::int64_t lowest) const;
  /// The messages of each of several senders over one network of ports.
  void of_each_sender(const machine::Network& ports, double bytes);
  void pack();
  void find_borders(const Spread& spread, std::span<const NetworkLevel> levels);
  /// What it costs a processor of a class that lies in the piece.
  [[nodiscard]] double overhead_in(std::size_t which, const FanPiece& piece) const noexcept;
  /// How many receivers there are before a processor.
  [[nodiscard]] std::int64_t receivers_below(const Spread& spread,
                                             std::int64_t processor) const noexcept;
  void sum_up();
  /// Calls f(piece, member, end) for the members of a part that lie in each piece.
  template <class F>
  void for_each_piece(const Part& part, F&& f) const;
  [[nodiscard]] const FanPiece& piece_of(std::int64_t number) const noexcept;
  /// The number of a processor's message.
  [[nodiscard]] std::int64_t message_of(std::size_t which, std::int64_t number) const noexcept;
  [[nodiscard]] double sum_of(std::size_t which) const override;

  const ProcessorClasses* classes_ = nullptr;
  Count what_ = Count::messages;
  std::int64_t channels_ = 0, messages_ = 0;  // of one network; 0: it is no such
  bool affine_ = false;
  bool inside_ = false;  // senders are among the receivers' coordinates
  std::int64_t per_sender_ = 0;
  std::int64_t port_sender_ = -1;  // over ports, if it is the only one
  double copy_time_ = 0.0;
  double packing_ = 0.0, unpacking_ = 0.0;  // seconds of each sender, of each receiver
  ProcessorClasses::Indices steps_{};       // of receivers, per dimension
  std::vector<Part> parts_;
  std::vector<FanPiece> pieces_;        // ascending
  std::vector<NetworkLevel> levels_;    // of ports, if there is one sender
  std::vector<std::uint8_t> gathered_;  // Gather::from
  FanBorders borders_;
};

}  // namespace gridcast::network
