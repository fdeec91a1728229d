#pragma once
/// Machines and their networks for the naive model (docs/model.md §4).

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gridcast::naive {

enum class Kind { channels, transputer, ports };

/// A port of a member and the messages that share it.
struct SharedPort {
  double since = 0.0;           ///< from then on each is served alike
  std::vector<double> lengths;  ///< of each message, what was left of it at that time
};

/// A composite of the machine: one network with its taken periods.
struct Network {
  Kind kind = Kind::channels;
  /// By the bytes from which on they hold: TStart, seconds, and TByte, seconds per byte.
  std::map<double, std::pair<double, double>> costs{{0.0, {0.0, 0.0}}};
  [[nodiscard]] double start(double bytes) const {
    return (--costs.upper_bound(bytes))->second.first;
  }
  [[nodiscard]] double byte(double bytes) const {
    return (--costs.upper_bound(bytes))->second.second;
  }
  /// Per channel the periods taken so far, begin to end, in any order.
  std::vector<std::vector<std::pair<double, double>>> channels;
  std::size_t depth = 0;
  double send = 0.0;                      ///< TSend, seconds
  double receive = 0.0;                   ///< TRecv, seconds
  double gap = 0.0;                       ///< TGap, seconds
  double eager = 65536.0, detach = -1.0;  ///< EagerLimit and DetachLimit (below 0: as the other)
  /// Ports: per member (a number of its own).
  std::map<std::size_t, SharedPort> out, in;
};

/// Bytes per (from, to), root numbers.
struct Transfers : std::map<std::pair<int, int>, double> {
  /// Per processor the bytes that it gathers before its first send and spreads after its last
  /// receive.
  std::map<int, double> gathered, spread;
  /// Seconds after the start of the communication at which a processor comes to it.
  std::map<int, double> later;
  bool with_empty = false;  ///< messages of no bytes are sent
};

/// The processors that a grid takes, in the order of the description, with the networks above them.
struct Machine {
  std::vector<double> performance;
  std::vector<Network> networks;
  std::vector<std::vector<std::size_t>> above;  ///< per processor: networks from the top down
  std::vector<int> shape;                       ///< of the grid
  std::string allreduce;                        ///< as it is written
  /// Costs of the run-time library, seconds; `copy` per byte.
  double collective = 0.0, load = 0.0, portion = 0.0, copy = 0.0;

  [[nodiscard]] int processors() const { return static_cast<int>(performance.size()); }
  /// Of the network that a message between a and b uses.
  [[nodiscard]] std::size_t between(int a, int b) const;
  /// Number of the member of a network that holds processor p.
  [[nodiscard]] std::size_t member(const Network& network, int p) const;
  /// Σ|difference of coordinates| on the grid.
  [[nodiscard]] int distance(int a, int b) const;
  /// Whether all processors hang directly under one transputer network.
  [[nodiscard]] bool is_flat_transputer() const;
};

/// The first processors of the machine that `text` (.par) describes.
[[nodiscard]] Machine read_machine(const std::string& text, const std::vector<int>& shape);

/// Hands the processors out in another order: that of the coordinates read backwards, or block by
/// block.
void place(Machine& machine, bool by_column, const std::vector<int>& block);

/// Time of a message over l links, pipelined in portions.
[[nodiscard]] double transputer_time(double start, double byte, int distance, double bytes);

/// Takes the earliest gap of one message at or after `ready`; its end.
double take_channel(Network& network, double ready, double length);

/// A message over a network of ports: when it is ready, and when it has left and has arrived.
struct PortMessage {
  int from = 0, to = 0;
  double bytes = 0.0, ready = 0.0;
  double left = 0.0, arrived = 0.0;
};

/// Passes the ports of networks of ports with all messages of a communication.
void pass_ports(Machine& machine, std::vector<PortMessage>& messages);

/// What a communication costs each processor in time that nothing hides: sending and receiving.
[[nodiscard]] std::vector<double> busy(const Machine& machine, const Transfers& transfers);

/// Carries one communication; completion per processor.
[[nodiscard]] std::vector<double> carry(Machine& machine, const Transfers& transfers, double start);

}  // namespace gridcast::naive
