#pragma once
/// Internal: messages of processors next to each other between nodes of a few processors, over a
/// network that carries one message at a time.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gridcast::network {

/// What each processor sends, which is the same for those at the same place in their node.
class SingleChannel {
public:
  void clear() {
    ways_.clear();
    first_.assign(1, 0);
  }
  /// The next message of the processors at the place that is told: how long it is, and where the
  /// end of the receiver is kept, were its sender processor 0 of the row.
  void add(double length, double* end) { ways_.push_back({length, end}); }
  /// The next place is told.
  void end_place() { first_.push_back(ways_.size()); }

  /// Places the messages of the processors from `begin` up to `end` of the row, the first of them
  /// at `place`; the channel is taken until `taken`. `own`: where the senders' ends are kept. Ends
  /// ascend, so what is written last stays. Returns until when the channel is taken then.
  double place(std::int64_t begin, std::int64_t end, std::size_t place, double* own,
               double taken) const {
    for (std::int64_t x = begin; x < end; ++x) {
      for (std::size_t i = first_[place]; i < first_[place + 1]; ++i) {
        taken += ways_[i].length;
        ways_[i].end[x] = own[x] = taken;
      }
      place = place + 2 < first_.size() ? place + 1 : 0;
    }
    return taken;
  }

private:
  struct Way {
    double length = 0.0;
    double* end = nullptr;
  };

  std::vector<Way> ways_;
  std::vector<std::size_t> first_;  // per place, and the end
};

}  // namespace gridcast::network
