#pragma once
/// Internal: the machine under the grids of a box: how long messages take at least, and how fast
/// the processors are at most (docs/search.md, "Messages").

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "gridcast/machine/cluster.h"

namespace gridcast::model {

/// Messages of one kind: at least `count` of them with `bytes` in all, each of at least `own`, to a
/// processor whose number is at least `distance` away.
struct Stream {
  double count = 0.0;
  double bytes = 0.0;
  double own = 0.0;
  double distance = 1.0;
  /// At most so many to one processor, of any direction; 0: all go one way, one to each.
  double partners = 0.0;
  /// Processors that send or get them, and those that get them, at most.
  double holders = std::numeric_limits<double>::infinity();
  double receivers = std::numeric_limits<double>::infinity();
  /// So many of them stay in the part of their sender, at most.
  double inside = std::numeric_limits<double>::infinity();
};

/// How long all networks are busy at least, each after the start of what loads it: sums of several
/// streams. What the network that connects the grid surely carries, and what all of them share.
struct Load {
  double top = 0.0;
  double all = 0.0;

  Load& operator+=(const Load& other) noexcept {
    top += other.top;
    all += other.all;
    return *this;
  }
  [[nodiscard]] double longest() const noexcept { return top < all ? all : top; }
};

class LeastMachine {
public:
  /// `cluster` must outlive this object. `scattered`: which processor of the machine has which
  /// number in a grid is not known, so that any two may be near each other.
  explicit LeastMachine(const machine::Cluster& cluster, bool scattered = false);

  /// From now on about grids of `least` to `most` processors.
  void reset(std::int64_t least, std::int64_t most);

  /// Of 1/w: of processor 0, the least and the most of all, the least of 1/Σw.
  [[nodiscard]] double inverse_of_first() const noexcept { return inverse_of_first_; }
  [[nodiscard]] double inverse() const noexcept { return 1.0 / speed_.most; }
  [[nodiscard]] double inverse_most() const noexcept { return 1.0 / speed_.least; }
  [[nodiscard]] double inverse_sum() const noexcept { return 1.0 / speed_.sum; }
  /// Which processor of the machine has which number is not known.
  [[nodiscard]] bool scattered() const noexcept { return scattered_; }
  /// None is faster than another by more than this factor.
  [[nodiscard]] double spread() const noexcept { return speed_.most / speed_.least; }

  [[nodiscard]] const machine::LibraryCosts& library() const noexcept {
    return cluster_->library();
  }
  /// The network of a machine that is one grid of links, or null.
  [[nodiscard]] const machine::Network* links() const noexcept { return links_; }
  /// Whether messages may go over links, of the whole machine or of a part of it.
  [[nodiscard]] bool has_links() const noexcept;
  /// The network that connects the whole grid, if it is one channel to which all messages go.
  [[nodiscard]] const machine::Network* bus() const noexcept;
  /// Networks that messages may use.
  [[nodiscard]] const std::vector<machine::Network>& below() const noexcept { return below_; }

  /// From its start on a message takes at least so long for either of its ends.
  [[nodiscard]] double message(double bytes, double distance = 1.0) const noexcept;
  /// ... for its receiver.
  [[nodiscard]] double arrival(double bytes, double distance = 1.0) const noexcept;
  /// All these messages, from the moment on at which they may be sent.
  [[nodiscard]] Load load(const Stream& stream) const noexcept;
  /// The same if they are among so many processors with the lowest numbers; nothing if numbers may
  /// be anywhere.
  [[nodiscard]] Load load_among_first(const Stream& stream, double processors) const noexcept;
  /// `count` messages of `bytes` that one processor sends or receives, each to or from another one.
  [[nodiscard]] double fan(double count, double bytes) const noexcept;
  /// `count` messages of `bytes` to one processor, before each of which its sender, another one for
  /// each, has sent `before` others.
  [[nodiscard]] double late_fan(double count, double before, double bytes) const noexcept;
  /// The same with at least so many links between the processor and the farthest other one.
  [[nodiscard]] double fan_over_links(double distance, double bytes) const noexcept;
  /// The one to processor `number` of those that processor 0 sends to all in order, on idle
  /// networks.
  [[nodiscard]] double fan_to(double number, double bytes) const noexcept;
  /// Members of a row of processors `stride` apart that the same part of it may have, at most; all
  /// if nothing connects the whole grid.
  [[nodiscard]] double in_part(double stride) const noexcept {
    return top_.network == nullptr ? most_ : std::floor((top_.span - 1.0) / stride) + 1.0;
  }
  /// How many of the messages the network that connects the whole grid surely carries.
  [[nodiscard]] double crossing(const Stream& stream) const noexcept {
    return crossing(top_, stream);
  }
  /// Idle networks: a message that goes so far, with so many on the same network in front of it,
  /// each of at least so many bytes.
  [[nodiscard]] double turn(double before, double bytes, double distance) const noexcept;

private:
  using ClusterNode = machine::ClusterNode;

  struct Speed {
    double least = 0.0, most = 0.0, sum = 0.0;
    void add(const Speed& other, double times) noexcept;
    void connect(const ClusterNode& /*node*/, double /*members*/) noexcept {}
  };
  /// What all networks of a part of the machine carry at a time, and what a message takes of that
  /// at least.
  struct Capacity {
    double messages = 0.0;  ///< at a time
    double start = std::numeric_limits<double>::infinity();
    double gap = std::numeric_limits<double>::infinity();
    double byte = std::numeric_limits<double>::infinity();
    bool limited = true;  ///< no network carries any number of messages at a time
    void add(const Capacity& other, double times) noexcept;
    void connect(const ClusterNode& node, double members) noexcept;
    [[nodiscard]] double time(double count, double bytes) const noexcept;
  };

  /// Of the first so many processors of a node, given those of whole nodes.
  template <class T>
  [[nodiscard]] T of_first(const std::vector<T>& whole, std::size_t node,
                           std::int64_t processors) const;
  [[nodiscard]] double fan_in(std::size_t node, double count, double bytes) const noexcept;
  [[nodiscard]] double fan_through(const machine::ClusterNode& node, std::size_t part, double count,
                                   double bytes) const noexcept;
  /// A network that connects processors, seen from its parts.
  struct Top {
    const machine::Network* network = nullptr;
    double span = 1.0;     ///< processors of the largest part
    double members = 1.0;  ///< parts, at most
    bool regular = false;  ///< they are equal
  };
  [[nodiscard]] Top top_for(std::size_t node, double processors) const noexcept;
  [[nodiscard]] double crossing(const Top& top, const Stream& stream) const noexcept;
  [[nodiscard]] Load load(const Top& top, const Capacity& capacity,
                          const Stream& stream) const noexcept;
  [[nodiscard]] Capacity capacity_of(double holders) const noexcept;
  [[nodiscard]] std::size_t top_of(std::int64_t processors) const;
  void collect(std::size_t node, std::vector<char>& seen);

  /// Whether messages that go so far, or between processors whose numbers differ by so much, use
  /// the network that connects the whole grid.
  [[nodiscard]] bool leaves_parts(double distance) const noexcept {
    return leaves_parts(top_, distance);
  }

  [[nodiscard]] bool leaves_parts(const Top& top, double distance) const noexcept {
    return top.network != nullptr && (scattered_ ? 1.0 : distance) >= top.span;
  }

  const machine::Cluster* cluster_;
  bool scattered_;
  std::vector<Speed> speeds_;  // of whole nodes
  std::vector<Capacity> capacities_;
  Capacity capacity_;  // of the processors that a grid may have
  std::size_t top_node_ = 0;
  Top top_;  // connects all grids, or nothing
  const machine::Network* links_ = nullptr;
  std::size_t collected_ = SIZE_MAX;  // below_ is that of this node
  std::vector<machine::Network> below_;
  double broadest_ = 1.0;  // channels of a network below the smallest cluster around all grids
  double most_ = 1.0;      // processors
  Speed speed_;
  double inverse_of_first_ = 1.0;
};

}  // namespace gridcast::model
