#include "free_exchange.h"

#include <algorithm>
#include <limits>

#include "gridcast/network/message_time.h"
#include "least_ports.h"

namespace gridcast::model {

namespace {

/// Messages through one port, or of one process.
struct PortMessages {
  double length = 0.0;               ///< what the port takes for all of them
  double start = 0.0;                ///< TStart of the one that starts soonest
  double overheads = 0.0;            ///< of the one that costs its sender and its receiver least
  double send = 0.0, receive = 0.0;  ///< overheads of all
  bool around = true;                ///< all are sent by those around the middle
  bool any = false;

  void add(const machine::Network& network, double bytes, bool is_around) {
    const double sent = network.send_time;
    const double received = network.is_detached(bytes) ? network.receive_time : 0.0;
    const double begun = network.start_of(bytes);
    length += network.byte_of(bytes) > 0.0 ? network::port_time(network, bytes) : 0.0;
    start = any ? std::min(start, begun) : begun;
    overheads = any ? std::min(overheads, sent + received) : sent + received;
    send += sent;
    receive += received;
    around = around && is_around;
    any = true;
  }
  /// Until the last of them has been received.
  [[nodiscard]] double end() const noexcept { return any ? start + length + overheads : 0.0; }
};

}  // namespace

FreeNeighbours FreeNeighbours::of(const LeastMapping& mapping) {
  FreeNeighbours result;
  const machine::GridBox& box = mapping.box();
  if (!box.single()) {
    return result;
  }
  result.middle = mapping.middle();
  result.all.push_back(result.middle);
  for (int dim = 0; dim < box.rank(); ++dim) {
    const std::size_t known = result.all.size();
    for (std::size_t i = 0; i < known; ++i) {
      for (const int step : {-1, 1}) {
        GridCoordinates next = result.all[i];
        next[in(dim)] += step;
        if (next[in(dim)] >= 0 && next[in(dim)] < box.first(dim)) {
          result.all.push_back(next);
        }
      }
    }
  }
  for (const GridCoordinates& each : result.all) {
    result.numbers.push_back(mapping.number_of(each));
  }
  std::ranges::sort(result.numbers);
  return result;
}

bool FreeNeighbours::contains(std::int64_t number) const noexcept {
  return std::ranges::binary_search(numbers, number);
}

FreeExchange free_exchange(LeastMapping& mapping, const CommunicationSpec& spec,
                           const FreeNeighbours& neighbours, std::span<const PortLevel> levels) {
  FreeExchange result;
  PortEdges edges(mapping, spec);
  if (levels.empty() || neighbours.all.empty() || !edges.known()) {
    return result;
  }
  const std::int64_t middle = mapping.number_of(neighbours.middle);
  for (const PortLevel& level : levels) {
    for (const bool out : {false, true}) {
      PortMessages port;
      edges.for_each_of_part(
          middle, level, out, [&](std::int64_t own, std::int64_t other, double bytes) {
            port.add(*level.network, bytes, neighbours.contains(out ? own : other));
          });
      (port.around ? result.last_around : result.last) =
          std::max(port.around ? result.last_around : result.last, port.end());
      PortMessages own;
      edges.for_each(middle, level, out, [&](std::int64_t other, double bytes) {
        own.add(*level.network, bytes, neighbours.contains(out ? middle : other));
      });
      (out ? result.send_middle : result.receive_middle) += out ? own.send : own.receive;
      if (!out && level.part == 1 && own.around) {
        result.middle = std::max(result.middle, own.end());
      }
    }
  }
  // Each of those around the middle waits for the others of them.
  const bool alone = levels.size() == 1 && levels.front().part == 1;
  double inner = std::numeric_limits<double>::infinity();
  double sent = inner;
  double received = inner;
  for (const std::int64_t number : neighbours.numbers) {
    double end = 0.0;
    double send = 0.0;
    double receive = 0.0;
    for (const PortLevel& level : levels) {
      PortMessages own;
      PortMessages from_around;
      edges.for_each(number, level, false, [&](std::int64_t other, double bytes) {
        own.add(*level.network, bytes, true);
        if (neighbours.contains(other)) {
          PortMessages one;
          one.add(*level.network, bytes, true);
          end = std::max(end, one.end());
          from_around.add(*level.network, bytes, true);
        }
      });
      end = std::max(end, alone ? from_around.end() : 0.0);
      receive += own.receive;
      edges.for_each(number, level, true,
                     [&](std::int64_t, double) { send += level.network->send_time; });
    }
    inner = std::min(inner, end);
    sent = std::min(sent, send);
    received = std::min(received, receive);
  }
  result.inner = inner;
  result.send_inner = sent;
  result.receive_inner = received;
  return result;
}

}  // namespace gridcast::model
