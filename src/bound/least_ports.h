#pragma once
/// Internal: shadow edges of one grid through the ports of its networks, as far as the edges of a
/// processor meet others there (docs/search.md, "Messages").

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gridcast/network/port_load.h"
#include "least_machine.h"
#include "least_mapping.h"

namespace gridcast::model {

class PortEdges {
public:
  /// `mapping` is that of a single grid.
  PortEdges(LeastMapping& mapping, const CommunicationSpec& spec);

  /// Whether the blocks of all arrays are known.
  [[nodiscard]] bool known() const noexcept { return known_; }
  /// Seconds until the processor has received all edges that pass these networks, at least.
  [[nodiscard]] double end_of(const GridCoordinates& processor, std::span<const PortLevel> levels);

  /// Calls `take` with the other processor and the bytes of each message that the processor sends,
  /// or receives, over networks of the level.
  template <class F>
  void for_each(std::int64_t processor, const PortLevel& level, bool out, F&& take) {
    find(processor, level, out);
    for (const Edge& edge : edges_) {
      take(edge.other, edge.bytes);
    }
  }
  /// The same of all that share a port with the processor; `take` gets the number of each first.
  template <class F>
  void for_each_of_part(std::int64_t processor, const PortLevel& level, bool out, F&& take) {
    const std::int64_t begin = processor / level.part * level.part;
    const std::int64_t end = std::min(begin + level.part, mapping_->box().least_processors());
    for (std::int64_t own = begin; own < end; ++own) {
      for_each(own, level, out, [&](std::int64_t other, double bytes) { take(own, other, bytes); });
    }
  }

private:
  /// An edge between a processor and another one; bytes of all arrays.
  struct Edge {
    std::int64_t other = 0;
    double bytes = 0.0;
  };
  /// An array of the group.
  struct Array {
    const ShadowPart* part = nullptr;
    const ExactLayout* layout = nullptr;
  };
  using Steps = std::array<int, machine::max_grid_rank>;

  /// The coordinates some steps away, where edges go; false if there are none.
  [[nodiscard]] bool step(const Array& array, const GridCoordinates& from, const Steps& steps,
                          GridCoordinates& to) const;
  [[nodiscard]] double bytes_of(const Array& array, const GridCoordinates& from,
                                const Steps& steps) const;
  /// All edges of a processor, out or in, that pass a network of the level.
  void find(std::int64_t processor, const PortLevel& level, bool out);
  /// Through the port of the part that the processor belongs to.
  void pass(std::int64_t processor, const PortLevel& level, bool out,
            network::PortPassage& passage);
  void add_arrivals(std::int64_t processor, const PortLevel& level);

  /// An edge that has come through its ports.
  struct Arrival {
    double time = 0.0;
    double receive_time = 0.0;
  };

  LeastMapping* mapping_;
  bool known_ = true;
  std::vector<Array> arrays_;
  std::vector<Edge> edges_;
  std::vector<Arrival> arrivals_;
};

}  // namespace gridcast::model
