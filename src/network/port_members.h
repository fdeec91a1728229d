#pragma once
/// Internal: what passes the ports of the members of a machine in an exchange of edges, and when
/// the processors of a node, a member of the top network, are through (docs/model.md §4). Each node
/// is looked at when somebody asks about it.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "gridcast/network/class_messages.h"
#include "gridcast/network/network_levels.h"
#include "gridcast/network/port_load.h"

namespace gridcast::network {

class PortMembers {
public:
  /// Processors of a node that do alike.
  struct Piece {
    std::int64_t begin = 0, end = 0;  ///< places in the node
    std::size_t which = 0;            ///< class
    std::size_t cell = 0;
    double until = 0.0;     ///< when they are through
    double overhead = 0.0;  ///< what it costs each of them
  };

  /// What passes a port: how many messages of each size, the first of which is ready at `begin`.
  struct Passing {
    double begin = HUGE_VAL;
    double seconds = 0.0;  ///< that the port takes for all
    std::vector<double> counts;
    std::vector<double> through;  ///< when one is that was ready early enough

    void reset(std::size_t sizes);
    void add(std::size_t size, double ready, double count) noexcept {
      begin = std::min(begin, ready);
      counts[size] += count;
    }
  };
  /// The same of both ports of a member.
  struct Load {
    Passing out, in;
  };

  /// The neighbours of a class's processors must send alike; `levels`: all of ports. These and the
  /// exchange must outlive this. `copy_time`: TCopy.
  void reset(const ProcessorClasses& classes, const ClassExchange& exchange,
             std::span<const NetworkLevel> levels, double copy_time);

  /// Processors of a node.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  /// The dimension that processors with consecutive numbers follow each other in.
  [[nodiscard]] int along() const noexcept { return along_; }
  /// The processors of a node, all but those that the grid does not have.
  std::span<const Piece> node(std::int64_t node);
  /// The same without their ends.
  std::span<const Piece> cut(std::int64_t node) { return node_at(node).pieces; }
  /// Those of a class, if no processors share a port.
  Piece alone(std::size_t which);
  /// The ports looked at so far are free from then on.
  [[nodiscard]] double busy_until() const noexcept { return busy_until_; }

  /// What passes the ports of the member of a network of that level that a piece of a node is in;
  /// the level is the lowest or the top one, or members_of() was called for the node. Valid until
  /// the next call.
  const Load& load(std::int64_t node, const Piece& piece, std::uint32_t level);
  void members_of(std::int64_t node);
  /// The same, by lengths.
  [[nodiscard]] PortLoad lengths(const Passing& passing, std::uint32_t level) const;
  /// The level of the network between two places of a node.
  [[nodiscard]] std::uint32_t level_between(std::int64_t place, std::int64_t other) const noexcept {
    return level_of(place, other - place);
  }
  [[nodiscard]] std::span<const NetworkLevel> levels() const noexcept { return levels_; }

private:
  /// A message that the processors of a class receive.
  struct Source {
    std::int64_t offset = 0;  ///< numbers: receiver - sender
    std::size_t from = 0;     ///< class of the sender
    std::size_t index = 0;    ///< among the sender's messages
  };
  /// A message at one of its processors.
  struct Pass {
    std::uint32_t level = 0;  ///< of its network
    std::uint32_t size = 0;   ///< in sizes_
    double ready = 0.0;
    double alone = 0.0;  ///< when it would be through a port of its own
    /// Between processors of the lowest network: when it is through the port out, for a receiver
    /// also through the port in.
    double through = 0.0;
    // Members of networks between the lowest and the top one: its own, and the sender's.
    std::uint32_t own = 0, from = 0;
    std::int64_t node = 0;  ///< of the sender, after the receiver's
  };
  /// What the processors of a class do at the places of a slot.
  struct Cell {
    bool sends_known = false, known = false;
    std::uint32_t sends = 0, sent = 0, receives = 0, received = 0;  ///< in passes_
    double prepared = 0.0;                                          ///< packed, and all sends paid
    double unpacking = 0.0, overhead = 0.0;
  };
  struct Node {
    bool loaded = false, ended = false;
    Load load;  ///< of the top network
    std::vector<Piece> pieces;
  };

  /// The sizes of messages, and their lengths on each level.
  void find_sizes();
  /// All ways that messages go, by ascending sender, and which message of a class goes each way.
  void find_ways();
  void find_sources();
  /// The class of the processors that would send that way to those of a class; may be nowhere.
  [[nodiscard]] std::size_t sender_of(std::size_t which, const ClassMessage& way) const;
  void cut_slots();
  [[nodiscard]] std::uint32_t level_of(std::int64_t place, std::int64_t offset) const noexcept;
  [[nodiscard]] std::uint32_t member_at(std::int64_t place, std::uint32_t level) const noexcept;
  [[nodiscard]] std::size_t cell_at(std::size_t which, std::int64_t place) const noexcept;
  const Cell& sends_of(std::size_t which, std::size_t cell);
  const Cell& cell_of(std::size_t which, std::size_t cell);
  void receive(std::size_t which, std::size_t cell);
  Node& node_at(std::int64_t node);
  void cut_node(std::int64_t node, std::vector<Piece>& pieces) const;
  /// Adds what the processors of a piece send and receive to find(pass), if that is a load.
  template <class Find>
  void add(const Piece& piece, Find&& find);
  void reset(Load& load) const;
  /// Into ports that carry nothing else.
  void enter(Passing& passing, std::uint32_t level);
  void enter(Load& load, std::uint32_t level);
  const Load& top_member(std::int64_t node);
  void find_end(std::int64_t node, Piece& piece);
  [[nodiscard]] const machine::Network& network(const Pass& pass) const noexcept {
    return levels_[pass.level].network;
  }

  const ProcessorClasses* classes_ = nullptr;
  const ClassExchange* exchange_ = nullptr;
  std::vector<NetworkLevel> levels_;
  double copy_time_ = 0.0;
  std::int64_t size_ = 1;
  int along_ = 0;
  std::uint32_t top_ = 0;
  double busy_until_ = 0.0;

  std::vector<double> sizes_;                      // bytes of messages
  std::vector<std::uint32_t> size_of_;             // per message of the exchange
  std::vector<std::size_t> first_message_;         // per class
  std::vector<double> lengths_;                    // level * sizes + size
  std::vector<std::vector<std::uint32_t>> order_;  // per level: sizes, ascending by length
  static constexpr std::uint32_t none = UINT32_MAX;
  std::vector<ClassMessage> ways_;
  std::vector<std::int64_t> keys_;       // of the ways
  std::vector<std::uint32_t> index_of_;  // class * ways + way: of its message, or none
  std::vector<Source> sources_;
  std::vector<std::size_t> first_source_;  // per class, and the end
  std::vector<std::int64_t> cuts_;         // places of a node where slots begin: all do alike there
  std::vector<std::uint32_t> slot_of_;     // per place

  std::vector<Cell> cells_;  // class * slots + slot
  std::vector<Pass> passes_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> node_of_;  // of a generation: in nodes_
  std::uint64_t generation_ = 0;
  std::deque<Node> nodes_;
  std::size_t nodes_used_ = 0;
  std::vector<std::vector<Load>> members_;  // per level below the top, of the node looked at
  std::vector<std::pair<double, double>> arrivals_;  // and what they cost
  Load own_;                                         // of a processor
};

}  // namespace gridcast::network
