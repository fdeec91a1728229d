#pragma once
/// Internal: the machine under the grids of a box: how long messages take at least, and how fast
/// the processors are at most (docs/search.md, "Messages").

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid_box.h"
#include "gridcast/network/least.h"

namespace gridcast::model {

/// Messages of one kind: at least `count` of them with `bytes` in all, each of at least `own`, to a
/// processor whose number is at least `distance` away.
struct Stream {
  double count = 0.0;
  double bytes = 0.0;
  double own = 0.0;
  double distance = 1.0;
  /// So many processors, at least, have messages to or from others, as many each; 0: all go one
  /// way, one from each and one to each.
  double hubs = 0.0;
  /// Of the others, so many are in the same part of the machine, at most.
  double near = std::numeric_limits<double>::infinity();
  /// None has more bytes.
  double longest = std::numeric_limits<double>::infinity();
};

/// Networks of ports alike: each joins `whole` processors with neighbouring numbers, of which
/// `part` and `part` share a port out and one in.
struct PortLevel {
  const machine::Network* network = nullptr;
  std::int64_t part = 1;
  std::int64_t whole = 1;
};

/// Throws InputError if the cluster has fewer processors than any grid of the box.
void require_room(const machine::GridBox& box, const machine::Cluster& cluster);

class LeastMachine {
public:
  /// `scattered`: which processor of the machine has which
  /// number in a grid is not known, so that any two may be near each other.
  explicit LeastMachine(const machine::Cluster& cluster, bool scattered = false);
  /// The same for messages of free processes: without TSend and TRecv, which long ones do not pay,
  /// and without TGap where bytes take no time.
  [[nodiscard]] static LeastMachine of_free(const machine::Cluster& cluster, bool scattered);
  /// TSend and TRecv of a message between processors so far apart.
  [[nodiscard]] double least_overhead(double distance) const noexcept;
  /// True if all networks pass a message of so many bytes on before its receiver asks for it, and
  /// its sender goes on.
  [[nodiscard]] bool is_eager(double bytes) const noexcept;

  /// From now on about grids of `least` to `most` processors.
  void reset(std::int64_t least, std::int64_t most);

  /// Of 1/w: of processor 0, the least and the most of all, the least of 1/Σw.
  [[nodiscard]] double inverse_of_first() const noexcept { return inverse_of_first_; }
  [[nodiscard]] double inverse() const noexcept { return 1.0 / speed_.most; }
  [[nodiscard]] double inverse_most() const noexcept { return 1.0 / speed_.least; }
  [[nodiscard]] double inverse_sum() const noexcept { return 1.0 / speed_.sum; }
  /// None is faster than another by more than this factor.
  [[nodiscard]] double spread() const noexcept { return speed_.most / speed_.least; }

  /// The network of a machine that is one grid of links, or null.
  [[nodiscard]] const machine::Network* links() const noexcept { return links_; }
  /// The networks of ports between the processors of all grids of the box, the top one first, as
  /// far down as it is known which processors share a port.
  [[nodiscard]] std::span<const PortLevel> port_levels() const noexcept { return port_levels_; }
  /// Whether messages may pass ports.
  [[nodiscard]] bool has_ports() const noexcept;
  /// Whether messages may go over links, of the whole machine or of a part of it.
  [[nodiscard]] bool has_links() const noexcept;

  /// Which algorithm an allreduce takes.
  [[nodiscard]] const machine::AllreduceTable& allreduce() const noexcept { return allreduce_; }

  /// From its start on a message takes at least so long.
  [[nodiscard]] double arrival(double bytes, double distance = 1.0) const noexcept;
  /// All these messages, from the moment on at which they may be sent.
  [[nodiscard]] double load(std::span<const Stream> streams) const noexcept {
    return load(top_, streams);
  }
  [[nodiscard]] double load(const Stream& stream) const noexcept {
    return load(std::span(&stream, 1));
  }
  /// Messages that one processor sends, or receives if `way` is in; nothing if it shares its port.
  [[nodiscard]] double of_one(std::span<const network::LeastMessages> messages,
                              network::FanWay way) const noexcept;
  /// The same if they are among so many processors with the lowest numbers; nothing if numbers may
  /// be anywhere.
  [[nodiscard]] double load_among_first(const Stream& stream, double processors) const noexcept;
  /// `count` messages of `bytes` that one processor sends or receives, each to or from another one.
  [[nodiscard]] double fan(double count, double bytes,
                           network::FanWay way = network::FanWay::either) const noexcept;
  /// The same that one receives from senders that have sent `before` others each.
  [[nodiscard]] double fan_after(double count, double bytes, double before) const noexcept;
  /// A message over at least so many links.
  [[nodiscard]] double fan_over_links(double distance, double bytes) const noexcept;

  /// Members of a row of processors `stride` apart that the same part may have, at most; all if
  /// nothing connects the whole grid or numbers may be anywhere.
  [[nodiscard]] double in_part(double stride) const noexcept {
    return top_.network == nullptr || scattered_ ? most_
                                                 : std::floor((top_.span - 1.0) / stride) + 1.0;
  }

private:
  using ClusterNode = machine::ClusterNode;

  struct Speed {
    double least = 0.0, most = 0.0, sum = 0.0;
    void add(const Speed& other, double times) noexcept;
  };
  Speed of_first(std::size_t node, std::int64_t processors);

  /// A network that connects processors, seen from its parts.
  struct Top {
    std::size_t node = 0;
    const machine::Network* network = nullptr;
    double span = 1.0;     ///< processors of the largest part
    double members = 1.0;  ///< parts, at most
    bool regular = false;  ///< they are equal
  };
  [[nodiscard]] Top top_for(std::size_t node, double processors) const noexcept;
  /// Whether messages between processors whose numbers differ by so much use it.
  [[nodiscard]] bool leaves_parts(const Top& top, double distance) const noexcept {
    return top.network != nullptr && (scattered_ ? 1.0 : distance) >= top.span;
  }
  [[nodiscard]] double crossing(const Top& top, const Stream& stream) const noexcept;
  [[nodiscard]] double load(const Top& top, std::span<const Stream> streams) const noexcept;
  [[nodiscard]] double fan_in(std::size_t node, double count, double bytes,
                              network::FanWay way) const noexcept;
  void find_port_levels();
  [[nodiscard]] std::size_t top_of(std::int64_t processors) const;
  template <class F>
  [[nodiscard]] double least_of_all(F&& time) const noexcept;

  machine::AllreduceTable allreduce_;
  std::vector<ClusterNode> nodes_;
  std::size_t root_;
  bool scattered_;
  std::vector<Speed> speeds_;  // of whole nodes
  Top top_;                    // connects all grids, or nothing
  std::vector<PortLevel> port_levels_;
  const machine::Network* links_ = nullptr;
  double most_ = 1.0;  // processors
  Speed speed_;
  double inverse_of_first_ = 1.0;
};

}  // namespace gridcast::model
