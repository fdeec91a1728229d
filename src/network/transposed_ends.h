#pragma once
/// Internal: ends of a transposition on one network of ports (docs/model.md §4).

#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/network/class_ends.h"
#include "gridcast/network/port_load.h"
#include "gridcast/network/transposition.h"

namespace gridcast::network {

/// When the processors of a line are through that all send to all. Coordinates that hold as much
/// before and as much afterwards are of one kind; what passes a port is a list of kinds, only when
/// a message is ready depends on its place among those of its sender.
class TransposedLine {
public:
  /// Of a line of so many coordinates; seconds after the start.
  struct End {
    double end = 0.0, overhead = 0.0;
  };

  /// `copy_time`: TCopy, for all that is sent and received.
  TransposedLine(const Transposition& transposition, std::int64_t extent,
                 const machine::Network& ports, double copy_time);
  /// The ends if a message has so many bytes for each element that its sender holds and each that
  /// its receiver gets.
  void work_out(double bytes, std::vector<End>& ends);
  /// The latest time at which a port is in use.
  [[nodiscard]] double busy() const noexcept { return busy_; }

private:
  /// Coordinates that hold the same amount, and their number.
  struct Amount {
    double elements = 0.0, count = 0.0;
    std::int64_t last = 0, before_last = -1;  ///< coordinates; -1: there is none
  };
  struct Kind {
    std::size_t sends = none, receives = none;  ///< amounts; none: nothing
    double count = 0.0, so_far = 0.0;
    double packing = 0.0, prepared = 0.0, unpacking = 0.0, overhead = 0.0;
    double waiting = 0.0;  ///< at the port in, for all messages
    std::size_t out = 0;   ///< of the first amount that is received, in out_
    std::size_t in = 0;    ///< of the first amount that is sent, in in_
  };
  struct Arrival {
    double time = 0.0, count = 0.0, ready = 0.0;
    const Kind* from = nullptr;
  };
  static constexpr std::size_t none = SIZE_MAX;

  static std::size_t amount_of(double elements, std::int64_t x, std::vector<Amount>& amounts);
  [[nodiscard]] double size(std::size_t sent, std::size_t received) const noexcept {
    return bytes_ * senders_[sent].elements * receivers_[received].elements;
  }
  /// How many others there are of an amount.
  static double others(const std::vector<Amount>& amounts, std::size_t which, std::size_t own) {
    return amounts[which].count - (which == own ? 1.0 : 0.0);
  }
  void find_passages(Kind& kind);
  [[nodiscard]] double sent_by(std::int64_t x, const Kind& kind) const;
  [[nodiscard]] double received_by(std::int64_t x, const Kind& kind);

  const machine::Network* ports_;
  double copy_time_;
  double bytes_ = 0.0, busy_ = 0.0;
  std::vector<Amount> senders_, receivers_;
  std::vector<Kind> kinds_;
  std::vector<std::size_t> kind_of_;     // per coordinate
  std::vector<double> receivers_below_;  // per coordinate
  std::vector<double> out_, in_;         // when a port is through with a message, after its first
  std::vector<Arrival> arrivals_;
  PortLoad load_;
};

/// Ends by classes: a line for each size of messages.
class TransposedEnds final : public ClassEnds {
public:
  void work_out(const ProcessorClasses& classes, const Transposition& transposition,
                const machine::Network& ports, double copy_time);

  [[nodiscard]] EndsBelow below(std::size_t which, double limit) const override;
  [[nodiscard]] double end_of(std::size_t which, const ProcessorClasses::Indices& /*at*/,
                              std::int64_t number) const override {
    return end_at(which, number).end;
  }
  [[nodiscard]] double overhead_of(std::size_t which, std::int64_t number) const override {
    return end_at(which, number).overhead;
  }

private:
  struct Line {
    double bytes = 0.0;
    std::vector<TransposedLine::End> ends;
  };

  /// Those of a class, each of which stands for copies() processors.
  [[nodiscard]] std::span<const TransposedLine::End> ends(std::size_t which) const;
  [[nodiscard]] double copies(std::size_t which) const;
  /// Of a processor.
  [[nodiscard]] const TransposedLine::End& end_at(std::size_t which,
                                                  std::int64_t number) const noexcept;
  [[nodiscard]] double sum_of(std::size_t which) const override {
    return below(which, HUGE_VAL).sum;
  }

  const ProcessorClasses* classes_ = nullptr;
  int along_ = 0;
  std::int64_t end_ = 0;  // coordinates from there on hold nothing
  std::vector<Line> lines_;
  std::vector<std::size_t> line_of_;  // per class
};

}  // namespace gridcast::network
