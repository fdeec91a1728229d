#pragma once
/// Internal: ends of exchanges on one network of ports, by classes (docs/model.md §4). Nothing is
/// shared by all: when a message leaves depends on what its sender sends, when it is received on
/// that and on what the receiver's neighbours send. So where the neighbours of a class's processors
/// are alike as well, all its processors are through at the same time.

#include <vector>

#include "flat_ends.h"

namespace gridcast::network {

class PortEnds final : public AlikeEnds {
public:
  /// `classes` must have the first and the last coordinate of each run as runs of their own.
  void work_out(const ProcessorClasses& classes, const ClassExchange& exchange,
                const machine::Network& ports, double copy_time);

private:
  /// A message of a class: in the port out from `leaves` on.
  struct Sent {
    double leaves = 0.0;
    double length = 0.0;
  };

  void send(std::size_t which);
  /// What a class receives.
  struct Received {
    double done = 0.0;  ///< unpacked
    std::size_t messages = 0;
    double unpacking = 0.0;
  };
  Received receive(std::size_t which);
  /// Seconds of packing before a class's first send.
  [[nodiscard]] double packing(std::size_t which) const;
  /// The class of the processors that send that way to those of a class; may be nowhere.
  [[nodiscard]] std::size_t sender(std::size_t which, const ClassMessage& way) const;

  const ClassExchange* exchange_ = nullptr;
  machine::Network network_;
  double copy_time_ = 0.0;          // TCopy
  std::vector<ClassMessage> ways_;  // all that occur, by ascending sender
  std::vector<Sent> sent_;          // in the order of the messages of the exchange
  std::vector<std::size_t> first_;  // per class
  std::vector<double> arrivals_;
};

}  // namespace gridcast::network
