#pragma once
/// Internal: what passes the ports of the members of a machine in an exchange of edges, and when
/// the processors of a node, a member of the top network, are through (docs/model.md §4). Each node
/// is looked at when somebody asks about it: ports that carry the same have one load, and
/// processors of a class with the same end and overhead are of one kind.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "gridcast/network/class_messages.h"
#include "gridcast/network/network_levels.h"
#include "gridcast/network/port_load.h"
#include "port_sizes.h"

namespace gridcast::network {

class PortMembers {
public:
  /// Processors of a class that are through at the same time, and which of them are counted.
  struct Alike {
    double end = 0.0;       ///< when they are through
    double overhead = 0.0;  ///< what it costs each of them
    double count = 0.0;
    std::int64_t first = INT64_MAX, last = -1;  ///< numbers
  };
  /// Processors of a node that do alike.
  struct Piece {
    std::int64_t begin = 0, end = 0;  ///< places in the node
    std::size_t which = 0;            ///< class
    std::uint32_t cell = 0;           ///< see Cell
    std::uint32_t kind = 0;           ///< see kind()
  };
  enum class Way : std::uint8_t { out, in };

  /// `levels`: all of ports. The classes and the exchange must outlive this. `copy_time`: TCopy.
  void reset(const ProcessorClasses& classes, const ClassExchange& exchange,
             std::span<const NetworkLevel> levels, double copy_time);

  /// The classes cut further: the neighbours of a zone's processors send alike.
  [[nodiscard]] const ProcessorClasses& zones() const noexcept { return zones_; }
  /// Processors of a node.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  /// The dimension that processors with consecutive numbers follow each other in.
  [[nodiscard]] int along() const noexcept { return along_; }
  /// The processors of a node, all but those that the grid does not have.
  std::span<const Piece> node(std::int64_t node);
  /// The same without their kinds.
  std::span<const Piece> cut(std::int64_t node) { return node_at(node).pieces; }
  /// The kind of a piece; how many there are is left to the caller.
  [[nodiscard]] Alike& kind(const Piece& piece) { return kinds_[piece.kind].alike; }
  /// Calls f(kind) for those of a class of which some are counted.
  template <class F>
  void for_each_kind(std::size_t which, F&& f) const {
    for (std::uint32_t kind = latest_[which]; kind != none; kind = kinds_[kind].next) {
      if (kinds_[kind].alike.count > 0.0) {
        f(kinds_[kind].alike);
      }
    }
  }
  /// The kind of all processors of a zone, if none share a port.
  Alike& alone(std::size_t zone);
  /// The ports looked at so far are free from then on.
  [[nodiscard]] double busy_until() const noexcept { return busy_until_; }

  /// Into `port`, which is cleared: what passes a port of the member of a network of that level
  /// that a piece of a node is in, `later` seconds after the start of the exchange.
  void fill(Port& port, std::int64_t node, const Piece& piece, std::uint32_t level, Way way,
            double later);
  /// The level of the network between two places of a node.
  [[nodiscard]] std::uint32_t level_between(std::int64_t place, std::int64_t other) const noexcept {
    return level_to(slot_of_[static_cast<std::size_t>(place)], other);
  }
  [[nodiscard]] std::span<const NetworkLevel> levels() const noexcept { return levels_; }

private:
  static constexpr std::uint32_t none = UINT32_MAX;

  /// A message that the processors of a zone receive.
  struct Source {
    std::size_t way = 0;
    std::size_t from = 0;   ///< class of the sender
    std::size_t index = 0;  ///< among the sender's messages
  };
  /// What a message of some way meets that processors in a slot send, and one that they receive.
  struct Step {
    std::uint32_t level = 0, out = 0;  ///< of its network; the port that it leaves by
    std::uint32_t slot = 0, node = 0;  ///< of the sender; in around_
    std::uint32_t in = 0;              ///< the port that it comes in by
  };
  /// A message at one of its processors.
  struct Pass {
    std::uint32_t level = 0;  ///< of its network
    std::uint32_t size = 0;   ///< in sizes_
    /// Over others than the lowest: the port of its processor, in its node; if it is received, that
    /// of its sender, in around_loads_.
    std::uint32_t port = 0, from = 0;
    double ready = 0.0;
    /// When it would be through if it shared but a port of the lowest network; a receiver's, too.
    double alone = 0.0;
    double start = 0.0, cost = 0.0;  ///< of receiving it
  };
  /// Messages of a cell's processor through one port of its node.
  struct Share {
    std::uint32_t port = 0, size = 0;
    double ready = 0.0, count = 0.0;
  };
  /// A part of one of the lists below.
  struct Part {
    std::uint32_t begin = 0, end = 0;
  };
  /// What the processors of a class send from the places of a slot.
  struct Sender {
    std::uint64_t generation = 0;  ///< of another one: not known yet
    Part sends;
    double sent = 0.0;      ///< if no port of others is shared
    double prepared = 0.0;  ///< packed, and all sends paid
  };
  /// What the processors of a zone do at the places of a slot.
  struct Cell {
    std::uint64_t generation = 0;    ///< of another one: not known yet
    const Sender* sender = nullptr;  ///< what they send
    Part receives, shares;
    std::uint32_t receiving = 0;  ///< where shares of what is received begin
    std::uint32_t kind = none;    ///< the latest
    std::int64_t ended_in = -1;   ///< the node that it is right in
    double unpacking = 0.0, overhead = 0.0;
  };
  struct Kind {
    Alike alike;
    std::uint32_t next = none;  ///< of the same class
  };
  /// Nodes that lie in one zone have the same pieces and loads. Which of them have the same
  /// kinds, loads of others tell.
  struct Node {
    bool whole = false;  ///< stands for all of its zone, whose kinds differ
    bool ended = false;
    std::vector<std::uint32_t> loads;  ///< of its ports, in loads_; empty: not known yet
    std::vector<Piece> pieces;
    std::vector<std::uint32_t> others;  ///< of those of a zone: what they meet in around_loads_
    std::vector<std::uint32_t> around;  ///< loads there, one of each that matters
    std::uint32_t next = none;          ///< of the same zone, with others around
  };

  template <class T>
  static std::span<const T> part_of(const std::vector<T>& list, const Part& part) noexcept {
    return std::span(list).subspan(part.begin, part.end - part.begin);
  }
  template <class T>
  static std::uint32_t size_of(const std::vector<T>& list) noexcept {
    return static_cast<std::uint32_t>(list.size());
  }

  /// The sizes of messages, and their lengths on each level.
  void find_sizes();
  /// All ways that messages go, by ascending sender, and which message of a class goes each way.
  void find_ways();
  /// Cuts beside the borders between classes that send differently.
  void cut_zones();
  /// Whether two classes send differently.
  [[nodiscard]] bool differ(std::size_t which, std::size_t other) const;
  void find_sources();
  /// The zone of the processors that would send that way to those of a zone; may be nowhere.
  [[nodiscard]] std::size_t sender_of(std::size_t zone, const ClassMessage& way) const;
  void cut_slots();
  void number_ports();
  void find_steps();
  /// The level of the network between a slot and a place, which may lie in another node.
  [[nodiscard]] std::uint32_t level_to(std::size_t slot, std::int64_t place) const noexcept;
  /// The port of the member of a network that a slot of a node lies in; 0 for the lowest.
  [[nodiscard]] std::uint32_t port_at(std::size_t slot, std::uint32_t level,
                                      Way way) const noexcept {
    if (level == 0) {
      return 0;
    }
    const std::uint32_t member = level < top_ ? member_of_[slot * top_ + level - 1] : 0;
    return first_port_[level] + 2 * member + static_cast<std::uint32_t>(way);
  }
  [[nodiscard]] const Step& step_at(std::size_t slot, std::size_t way) const noexcept {
    return steps_[slot * ways_.size() + way];
  }
  const Sender& sender_at(std::size_t which, std::size_t slot) {
    Sender& sender = senders_[which * cuts_.size() + slot];
    if (sender.generation != generation_) {
      sender = {};
      sender.generation = generation_;
      send(which, slot, sender);
    }
    return sender;
  }
  const Cell& cell_at(std::size_t at) {
    Cell& cell = cells_[at];
    if (cell.generation != generation_) {
      cell = {};
      cell.generation = generation_;
      receive(at / cuts_.size(), at % cuts_.size(), cell);
    }
    return cell;
  }
  void send(std::size_t which, std::size_t slot, Sender& sender);
  void receive(std::size_t zone, std::size_t slot, Cell& cell);
  /// What passes ports of a node, of all that a cell sends or receives.
  void share_ports(std::span<const Pass> passes);
  Node& node_at(std::int64_t node);
  Node& add_node();
  /// The zone that a node lies in; may be nowhere.
  [[nodiscard]] std::size_t zone_around(std::int64_t node) const noexcept;
  /// The node with its kinds, if it lies in one zone.
  Node& with_kinds(std::int64_t node, Node& whole);
  void cut_node(std::int64_t node, std::vector<Piece>& pieces) const;
  /// The node with its loads.
  Node& loaded(std::int64_t node);
  /// The messages of a processor that pass its own port.
  void share_own(std::span<Pass> passes);
  /// Where an equal load of that level is in loads_; it may be a new one.
  std::uint32_t load_of(std::uint32_t level, std::span<const double> port);
  /// See PortSizes::enter().
  void enter(std::uint32_t level, double begin, std::span<const double> counts,
             std::span<double> through);
  /// The kind of a cell of a class between the loads around it.
  std::uint32_t kind_of(std::size_t which, Cell& cell);
  Alike end_of(const Cell& cell);

  const ProcessorClasses* classes_ = nullptr;
  ProcessorClasses zones_;
  std::vector<std::uint32_t> class_of_;  // per zone
  std::vector<std::uint32_t> of_runs_;   // of cut_zones()
  std::array<std::vector<std::int64_t>, machine::max_grid_rank> borders_;
  std::vector<std::uint8_t>
      between_;  // per border of a dimension: classes beside it send differently
  const ClassExchange* exchange_ = nullptr;
  std::vector<NetworkLevel> levels_;
  double copy_time_ = 0.0;
  std::int64_t size_ = 1;
  int along_ = 0;
  std::uint32_t top_ = 0;
  double busy_until_ = 0.0;

  PortSizes sizes_;
  std::vector<std::uint32_t> size_of_, way_of_;  // per message of the exchange
  std::vector<std::size_t> first_message_;       // per class
  std::vector<ClassMessage> ways_;
  std::vector<std::int64_t> keys_;       // of the ways
  std::vector<std::uint32_t> index_of_;  // class * ways + way: of its message, or none
  std::vector<Source> sources_;
  std::vector<std::size_t> first_source_;  // per zone, and the end
  std::vector<std::int64_t> cuts_;         // places of a node where slots begin: all do alike there
  std::vector<std::uint32_t> slot_of_;     // per place
  std::vector<std::uint32_t> member_of_;   // slot * top level + level: of that network, in the node

  std::vector<Step> steps_;      // slot * ways + way
  std::vector<Sender> senders_;  // class * slots + slot
  std::vector<Cell> cells_;      // zone * slots + slot
  std::vector<Pass> sends_, receives_;
  std::vector<Share> shares_;
  std::vector<std::int64_t> around_;         // nodes that cells have to do with, after their own
  std::vector<std::uint32_t> around_loads_;  // of the node looked at and those around, per port
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> latest_;  // per class: of its kinds
  std::vector<std::uint32_t> found_;

  std::vector<std::pair<std::uint64_t, std::uint32_t>> node_of_;  // of a generation: in nodes_
  std::uint64_t generation_ = 0;
  std::deque<Node> nodes_;
  std::size_t nodes_used_ = 0;
  std::vector<std::uint32_t> whole_;       // per zone: such a node, in nodes_
  std::vector<std::uint32_t> first_port_;  // of a node, per level
  std::uint32_t node_ports_ = 0;
  // When the first message is ready, and how many of each size there are: of the ports of the node
  // looked at, and of different loads, each with when those of a size are through.
  std::vector<double> ports_, loads_;
  std::vector<double> own_;  // of the port of a processor: how many of each size, when through
  std::vector<std::vector<std::uint32_t>> loads_of_;  // per level
  std::vector<std::pair<double, double>> arrivals_;   // and what they cost
};

}  // namespace gridcast::network
