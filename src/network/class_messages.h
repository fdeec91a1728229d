#pragma once
/// What processors send each other, by classes of processors (docs/model.md §5): exchanges of
/// edges, fans, sections that are spread. Bytes.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/machine/grid.h"
#include "gridcast/mapping/class_layout.h"
#include "gridcast/mapping/processor_classes.h"

namespace gridcast::network {

using mapping::ProcessorClasses;

/// What a processor of one class sends: in ascending order of the receivers.
struct ClassMessage {
  std::array<std::int8_t, machine::max_grid_rank> shift{};  ///< coordinates: receiver - sender
  std::int64_t offset = 0;                                  ///< numbers: receiver - sender
  double bytes = 0.0;
  double strided = 0.0;  ///< those of them that are not contiguous (docs/model.md §2.16)
};

/// What each class sends in an exchange of shadow edges; the same for all its processors. Told
/// class by class: begin(), then add() its messages and end_class().
class ClassExchange {
public:
  /// `rings`: the first and the last processor along some dimension may be neighbours.
  void begin(bool rings);
  /// A message of the class that is told; one that goes the same way becomes longer.
  void add(const ClassMessage& message);
  /// The next class is told.
  void end_class() { begin_.push_back(messages_.size()); }

  /// What a processor of a class sends.
  [[nodiscard]] std::span<const ClassMessage> messages(std::size_t which) const noexcept {
    return {messages_.data() + begin_[which], begin_[which + 1] - begin_[which]};
  }
  [[nodiscard]] bool empty() const noexcept { return messages_.empty(); }
  /// All ways that messages go, each once: some message of each.
  void ways(std::vector<ClassMessage>& result) const;
  /// See begin().
  [[nodiscard]] bool rings() const noexcept { return rings_; }

private:
  std::vector<ClassMessage> messages_;
  std::vector<std::size_t> begin_;
  bool rings_ = false;
};

/// Per class: whether its processors send or receive something.
[[nodiscard]] std::vector<std::uint8_t> participants(const ProcessorClasses& classes,
                                                     const ClassExchange& exchange);

/// One-to-all and all-to-one with equal messages: a reduction or what processor 0 hands to all.
struct Fan {
  double bytes = 0.0;            ///< of a message; 0: nothing is sent
  double representatives = 1.0;  ///< those who first send to the root, with the root
  std::int64_t root = 0;         ///< processor number; a class of its own
};

/// The fan of a reduction of `bytes` over the iterations of `loop`, gathered and handed out one by
/// one.
[[nodiscard]] Fan reduction_fan(const ProcessorClasses& classes, const mapping::ClassLayout& loop,
                                double bytes);

/// A communication by which all that take part get the same section of an array: the senders are at
/// `at` in the fixed dimensions of the grid and everywhere within the receivers' bounds in the
/// others; each sends to the receivers that differ from it in fixed dimensions only.
struct Spread {
  bool reads = false;  ///< somebody gets or has the section
  bool sends = false;
  double bytes = 0.0;  ///< of a message
  std::array<bool, machine::max_grid_rank> fixed{};
  ProcessorClasses::Indices at{}, lo{}, hi{};  ///< senders, bounds of the receivers

  /// Whether there is one sender on these grids.
  [[nodiscard]] bool single(const ProcessorClasses& classes) const noexcept {
    return std::all_of(fixed.begin(), fixed.begin() + classes.rank(), [](bool at) { return at; });
  }
};

}  // namespace gridcast::network
