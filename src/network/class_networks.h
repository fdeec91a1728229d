#pragma once
/// Communications on the networks of a grid, by classes of processors. class_communication.cpp
/// chooses by the type of the networks how to find the ends of a communication, edge_networks.h
/// what carries the edges of a pipelined loop.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/network/class_ends.h"
#include "gridcast/network/class_messages.h"
#include "gridcast/network/listed_ends.h"
#include "gridcast/network/network_levels.h"
#include "gridcast/network/transposition.h"

namespace gridcast::network {

/// The networks that connect the processors of a grid.
class ClassNetworks {
public:
  /// The processors of a machine one by one; asked for only where messages are followed.
  using System = std::function<const machine::ProcessorSystem&()>;

  /// Networks of `cluster`, which must outlive this.
  ClassNetworks(const machine::Cluster& cluster, System system);
  ClassNetworks(const ClassNetworks&) = delete;
  ClassNetworks& operator=(const ClassNetworks&) = delete;

  /// From now on about a grid of so many processors, the first of the machine.
  void reset(std::int64_t processors);

  /// One network connects all.
  [[nodiscard]] bool flat() const noexcept { return flat_; }
  /// The network that connects all, if flat(); otherwise the top one of the machine.
  [[nodiscard]] const machine::Network& top() const noexcept { return top_; }
  /// A grid of links connects all: nothing waits for anything else.
  [[nodiscard]] bool links() const noexcept {
    return flat_ && top_.type == machine::NetworkType::transputer;
  }
  /// One channel connects all.
  [[nodiscard]] bool one_channel() const noexcept { return flat_ && top_.channels == 1; }
  /// Networks of ports connect all.
  [[nodiscard]] bool ports() const noexcept { return !port_levels_.empty(); }
  /// The networks with channels between the processors, the lowest first; empty if they are others
  /// or not alike on every level.
  [[nodiscard]] std::span<const NetworkLevel> levels() const noexcept { return levels_; }
  /// The same of networks of ports.
  [[nodiscard]] std::span<const NetworkLevel> port_levels() const noexcept { return port_levels_; }
  /// What a pipelined loop is simulated on: levels() of a tree; empty if one network connects all.
  [[nodiscard]] std::span<const NetworkLevel> tree() const noexcept {
    return flat_ ? std::span<const NetworkLevel>{} : levels();
  }
  /// Whether a communication that starts while another one is under way can be told without looking
  /// for gaps between the messages.
  [[nodiscard]] bool queue_up() const noexcept { return !links_below_ && !ports(); }

  [[nodiscard]] const machine::ProcessorSystem& system() const { return system_(); }

private:
  friend class ClassCommunication;

  const machine::Cluster* cluster_;
  System system_;
  bool flat_ = false;
  bool links_below_ = false;  // links or ports in a tree of networks
  machine::Network top_;
  std::vector<NetworkLevel> levels_;       // if they are alike all over the machine
  std::vector<NetworkLevel> port_levels_;  // the same if they are of ports
};

/// One communication that starts on idle networks, and the memory of each way to find its ends.
/// What a function returns is valid until the next call; null: these networks ask for each message
/// to be followed, and list() takes what comes out.
class ClassCommunication {
public:
  explicit ClassCommunication(ClassNetworks& networks);
  ~ClassCommunication();
  ClassCommunication(const ClassCommunication&) = delete;
  ClassCommunication& operator=(const ClassCommunication&) = delete;

  /// From now on the one channel that connects all is free `later` seconds after the start of a
  /// communication; networks of other kinds are idle.
  void start_behind(double later) noexcept { later_ = later; }

  /// Nothing is sent.
  ClassEnds* nothing();
  /// Edges of arrays.
  ClassEnds* exchange(const ProcessorClasses& classes, const ClassExchange& exchange);
  /// What one processor hands to all. `loop`: whose speakers send to it first; null if none do.
  ClassEnds* broadcast(const ProcessorClasses& classes, const Fan& fan,
                       const mapping::ClassLayout* loop = nullptr);
  /// What processor 0 hands to all over channels, `later` seconds after the start of `before`,
  /// which is still under way; null if it is not known.
  ClassEnds* broadcast_behind(const ProcessorClasses& classes, const Fan& fan,
                              const ClassEnds& before, double later);
  /// A reduction of `bytes` over the iterations of `loop`, gathered and handed out one by one.
  ClassEnds* reduction(const ProcessorClasses& classes, const mapping::ClassLayout& loop,
                       double bytes);
  /// The same along binomial trees.
  ClassEnds* tree_reduction(const ProcessorClasses& classes, const mapping::ClassLayout& loop,
                            double bytes);
  /// A reduction one by one over ports, `later` seconds after the start of `before`, which is still
  /// under way; null if it is not known.
  ClassEnds* reduction_behind(const ProcessorClasses& classes, const mapping::ClassLayout& loop,
                              double bytes, const ClassEnds& before, double later);
  /// A section that all get.
  ClassEnds* spread(const ProcessorClasses& classes, const Spread& spread);
  /// An array that goes to another distribution.
  ClassEnds* transposition(const ProcessorClasses& classes, const Transposition& transposition);

  /// The ends, processor by processor, if they are known like that.
  [[nodiscard]] ListedEnds& list() noexcept { return list_; }
  [[nodiscard]] const ListedEnds& list() const noexcept { return list_; }

private:
  struct Ways;

  /// `before`: an exchange that started `later` seconds before; null: the ports are idle.
  ClassEnds* fan_over_ports(const ProcessorClasses& classes, const Fan& fan,
                            const mapping::ClassLayout* loop, const ClassEnds* before = nullptr,
                            double later = 0.0);
  ClassEnds* reduction_over_links(const ProcessorClasses& classes, const mapping::ClassLayout& loop,
                                  double bytes);

  ClassNetworks* networks_;
  std::unique_ptr<Ways> ways_;
  ListedEnds list_;
  double later_ = 0.0;
};

}  // namespace gridcast::network
