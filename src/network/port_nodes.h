#pragma once
/// Internal: the nodes of a machine, members of its top network of ports, in an exchange of shadow
/// edges. Ports couple a node only with those that send to it: nodes whose processors send alike,
/// and are sent the same at the same times, are through alike, and each kind is simulated once.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gridcast/network/class_messages.h"
#include "gridcast/network/network_levels.h"
#include "gridcast/network/networks.h"
#include "interner.h"

namespace gridcast::network {

class PortNodes {
public:
  /// Processors of a node, from the one before on to this one, that send alike.
  struct Part {
    std::int64_t end = 0;
    std::uint32_t kind = 0;  ///< kind_of() their class
  };
  /// Of the processors of a node, seconds after the start.
  struct Times {
    std::span<const double> ends;
    std::span<const double> overheads;  ///< empty if nothing is costly()
  };

  /// `levels`: all of ports. `copy_time`: TCopy.
  void reset(const ProcessorClasses& classes, const ClassExchange& exchange,
             std::span<const NetworkLevel> levels, double copy_time);

  /// Processors of a node.
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }
  /// Classes that send the same are of one kind.
  [[nodiscard]] std::uint32_t kind_of(std::size_t which) const noexcept { return kind_of_[which]; }
  /// Whether anything keeps processors from computing.
  [[nodiscard]] bool costly() const noexcept { return costly_; }

  /// The number of a node's pattern, given what its processors are.
  std::uint32_t pattern(std::span<const Part> parts);

  /// Which nodes send to one, numbers after its own, in ascending order.
  [[nodiscard]] std::span<const std::int64_t> sources() const noexcept { return sources_; }

  /// When the processors of a node with this pattern are through, given the patterns of its
  /// sources (Interner::unknown: there is no such node). Valid until the next call.
  Times times(std::uint32_t pattern, std::span<const std::uint32_t> sources);

private:
  struct Message {
    std::uint32_t way = 0;
    std::uint32_t lengths = 0;  ///< in lengths_, per level
    double packing = 0.0;       ///< seconds at either end
  };
  struct Kind {
    std::uint32_t begin = 0, end = 0;  ///< messages
    double packing = 0.0;
  };
  /// Where a message of a way from one place in a node goes.
  struct Place {
    std::uint32_t level = 0, source = 0;  ///< index in sources() of the receiver's node
    std::uint32_t position = 0;           ///< of the receiver in its node
    std::uint32_t out = 0, in = 0;        ///< ports of either node
  };
  /// A message on its way to a port of the receiver's node.
  struct Sent {
    double reaches = 0.0, length = 0.0, unpacking = 0.0;
    std::uint32_t position = 0, port = 0, level = 0, pad = 0;

    bool operator==(const Sent&) const = default;
  };
  struct Range {
    std::uint32_t begin = 0, end = 0;
  };
  struct Pattern {
    Range parts;
    std::uint32_t processors = 0;  ///< in sent_until_ and paid_, from here on
    std::uint32_t lists = 0;       ///< in lists_of_, per source
  };
  struct Arrival {
    double time = 0.0, receiving = 0.0;
  };

  void find_kinds(const ProcessorClasses& classes, const ClassExchange& exchange);
  void find_ways();
  void send(std::span<const Part> parts);
  void send(std::uint32_t position, const Kind& kind);
  std::uint32_t intern(const std::vector<Sent>& list);
  void simulate(const Pattern& pattern);
  void receive(const Sent& sent);
  void finish(std::size_t position, std::size_t at, double sent_until, double paid);

  std::span<const NetworkLevel> levels_;
  double copy_time_ = 0.0;
  std::int64_t size_ = 1;
  bool costly_ = false;
  std::vector<std::uint32_t> kind_of_;  // per class
  std::vector<Kind> kinds_;
  std::vector<Message> messages_;
  std::vector<double> lengths_;
  std::vector<std::int64_t> offsets_;  // per way
  std::vector<std::int64_t> sources_;
  std::vector<Place> places_;              // way * size + position
  std::vector<std::uint32_t> first_port_;  // per level

  Interner known_patterns_, known_lists_, known_times_;
  std::vector<Part> parts_;
  std::vector<Pattern> patterns_;
  std::vector<double> sent_until_, paid_;  // per processor of each pattern
  std::vector<std::uint32_t> lists_of_;
  std::vector<Sent> sent_;
  std::vector<Range> lists_;
  std::vector<std::uint32_t> keys_, key_;
  std::vector<double> ends_, overheads_;  // per processor of each node that was simulated

  // Of the node that is looked at.
  std::vector<std::vector<Sent>> leaving_;  // per source
  std::vector<network::Channel> ports_;
  std::vector<Arrival> arrivals_;  // position * ways
  std::vector<std::uint32_t> arrived_;
  std::vector<double> unpacking_;
};

}  // namespace gridcast::network
