#pragma once
/// Internal: what passes the ports of the members of a machine in an exchange of edges, and when
/// the processors of a node, a member of the top network, are through (docs/model.md §4). Each node
/// is looked at when somebody asks about it.

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

  /// The neighbours of a class's processors must send alike;
  /// `levels`: all of ports. These and the exchange must outlive this. `copy_time`: TCopy.
  void reset(const ProcessorClasses& classes, const ClassExchange& exchange,
             std::span<const NetworkLevel> levels, double copy_time);

  /// Processors of a node.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  /// The dimension that processors with consecutive numbers follow each other in.
  [[nodiscard]] int along() const noexcept { return along_; }
  /// The processors of a node, all but those that the grid does not have. Valid until the next
  /// call.
  std::span<const Piece> node(std::int64_t node);
  /// The same without their ends.
  std::span<const Piece> cut(std::int64_t node) {
    cut_node(node, pieces_);
    return pieces_;
  }
  /// The ports looked at so far are free from then on.
  [[nodiscard]] double busy_until() const noexcept { return busy_until_; }

  /// What passes the ports of a member.
  struct Load {
    PortPassage out, in;
    void clear() noexcept {
      out.clear();
      in.clear();
    }
  };
  /// What passes the ports of the member of a network of that level that a piece of a node is in;
  /// the node is the one that was looked at last, or the level is the lowest or the top one. Valid
  /// until the next call.
  const Load& load(std::int64_t node, const Piece& piece, std::uint32_t level);
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
    std::int64_t offset = 0;  ///< numbers: receiver - sender
    std::uint32_t level = 0;  ///< of its network
    double bytes = 0.0;
    double ready = 0.0;
    /// Between processors of the lowest network: when it is through the port out, for a receiver
    /// also through the port in.
    double through = 0.0;
  };
  /// What the processors of a class do at the places of a slot.
  struct Cell {
    bool sends_known = false, known = false;
    std::uint32_t sends = 0, sent = 0, receives = 0, received = 0;  ///< in passes_
    double prepared = 0.0;                                          ///< packed, and all sends paid
    double unpacking = 0.0, overhead = 0.0;
  };

  void find_sources();
  /// The class of the processors that would send that way to those of a class; may be nowhere.
  [[nodiscard]] std::size_t sender_of(std::size_t which, const ClassMessage& way) const;
  void cut_slots();
  [[nodiscard]] std::uint32_t level_of(std::int64_t place, std::int64_t offset) const noexcept;
  [[nodiscard]] std::size_t cell_at(std::size_t which, std::int64_t place) const noexcept;
  const Cell& sends_of(std::size_t which, std::size_t cell);
  const Cell& cell_of(std::size_t which, std::size_t cell);
  void receive(std::size_t which, std::size_t cell);
  void cut_node(std::int64_t node, std::vector<Piece>& pieces);
  /// Adds what the processors of a piece send and receive over networks of a level.
  void add(const Piece& piece, std::uint32_t level, Load& load);
  /// Into a port that carries nothing else.
  void enter(PortPassage& passage);
  /// What passes the ports of the member of a network of that level that a place of a node lies
  /// in; the place may be one of another node.
  const Load& member(std::int64_t node, std::int64_t place, std::uint32_t level);
  const Load& top_member(std::int64_t node);
  void load_members();
  double end(std::int64_t node, const Piece& piece);
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

  std::vector<ClassMessage> ways_;  // that messages go, by ascending sender
  std::vector<Source> sources_;
  std::vector<std::size_t> first_source_;  // per class, and the end
  std::vector<std::int64_t> cuts_;         // places of a node where slots begin: all do alike there
  std::vector<std::uint32_t> slot_of_;     // per place

  std::vector<Cell> cells_;  // class * slots + slot
  std::vector<Pass> passes_;
  std::vector<std::uint32_t> load_of_;  // per node, in loads_, 0: not known
  std::deque<Load> loads_;              // top network; the first is not used
  std::size_t loads_used_ = 1;
  std::vector<std::vector<Load>> members_;  // per level below the top, of the node looked at
  std::vector<Piece> pieces_, others_;
  std::vector<std::pair<double, double>> arrivals_;  // and what they cost
  Load own_;                                         // of a processor
  PortPassage passage_;
};

}  // namespace gridcast::network
