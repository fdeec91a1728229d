#pragma once
/// Internal: messages of processors next to each other over two networks, of which each carries one
/// message at a time: those of nodes of a few processors and the one between the nodes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gridcast::network {

/// What each processor sends, which is the same for those at the same place in their node.
class SingleChannels {
public:
  /// A message. `end` is where the end of the receiver is kept, were its sender processor 0 of the
  /// row.
  struct Way {
    bool between = false;  ///< between nodes
    double length = 0.0;
    double* end = nullptr;
  };
  /// Until when the networks are taken: in the node, between nodes.
  struct Taken {
    double inside = 0.0, between = 0.0;
  };

  void clear() {
    ways_.clear();
    first_.assign(1, 0);
  }
  /// The next message of the processors at the place that is told.
  void add(const Way& way) { ways_.push_back(way); }
  /// The next place is told.
  void end_place() { first_.push_back(ways_.size()); }

  /// Places the messages of the processors from `begin` up to `end` of the row, the first of them
  /// at `place`. `own`: where the senders' ends are kept, in their nodes and between nodes. Ends
  /// over a network ascend, so what is written last stays.
  void place(std::int64_t begin, std::int64_t end, std::size_t place,
             const std::array<double*, 2>& own, Taken& taken) const {
    Taken now = taken;
    for (std::int64_t x = begin; x < end; ++x) {
      now.inside = place == 0 ? 0.0 : now.inside;
      for (std::size_t i = first_[place]; i < first_[place + 1]; ++i) {
        const Way& way = ways_[i];
        if (way.between) {
          now.between += way.length;
          way.end[x] = own[1][x] = now.between;
        } else {
          now.inside += way.length;
          way.end[x] = own[0][x] = now.inside;
        }
      }
      place = place + 2 < first_.size() ? place + 1 : 0;
    }
    taken = now;
  }

private:
  std::vector<Way> ways_;
  std::vector<std::size_t> first_;  // per place, and the end
};

}  // namespace gridcast::network
