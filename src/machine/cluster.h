#pragma once
/// The machine: a tree of clusters whose leaves are processors ([Predictor2010 §2.4], [Forecasting
/// §2.1], docs/model.md §4), read from a .par file and expanded to the processors that a grid
/// takes.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gridcast/machine/allreduce.h"
#include "gridcast/machine/grid.h"

namespace gridcast::machine {

/// Processors of a machine in the 2000 format without `topology` ([Predictor2000]). That format
/// describes one network of equal processors and leaves their number to the command line; this many
/// can be asked for, more than such a network ever had, so that the number is bounded all the same.
inline constexpr std::int64_t processors_without_topology = std::int64_t{1} << 20;

/// The most processors a cluster may have.
inline constexpr std::int64_t max_processors = 2147483647;

/// The most clusters inside one another.
inline constexpr std::int32_t max_levels = 64;

/// How the parts of a cluster talk to each other (docs/model.md §4).
enum class NetworkType : std::uint8_t {
  ethernet,    ///< a bus: one channel
  transputer,  ///< a grid of links: the time depends on the distance in the processor system
  myrinet,     ///< n channels
  ports,       ///< one port out and one in per member, which their messages share
};

/// What messages of a range of lengths cost on a network.
struct Segment {
  std::int64_t bytes = 0;   ///< the shortest of them; the next segment ends the range
  double start_time = 0.0;  ///< TStart, seconds
  double byte_time = 0.0;   ///< TByte, seconds per byte

  friend bool operator==(const Segment&, const Segment&) = default;
};

/// EagerLimit of a network that gives none, bytes.
inline constexpr double usual_eager_limit = 65536.0;

/// One network: type and costs. The three behind `byte_time` belong to networks of ports; LogGP's
/// names beside. The limits say how free processes pass messages.
struct Network {
  NetworkType type = NetworkType::ethernet;
  std::int32_t channels = 1;  ///< 1 except for myrinet(n)
  double start_time = 0.0;    ///< TStart, seconds; L. The least of all segments
  double byte_time = 0.0;     ///< TByte, seconds per byte; G. The least of all segments
  double send_time = 0.0;     ///< TSend, seconds that a message costs its sender; o_s
  double receive_time = 0.0;  ///< TRecv, seconds that a message costs its receiver; o_r
  double gap = 0.0;           ///< TGap, least seconds between two messages of a port; g
  /// EagerLimit, bytes: a shorter message of free processes travels before its receiver asks.
  double eager_limit = usual_eager_limit;
  /// DetachLimit, bytes: with a shorter one its sender goes on at once; EagerLimit if not given.
  std::optional<double> detach_limit = std::nullopt;
  /// Ascending, the first from 0 bytes on; empty if all messages have the same costs.
  std::vector<Segment> segments = {};

  /// TStart of a message, seconds.
  [[nodiscard]] double start_of(double bytes) const noexcept {
    return segments.empty() ? start_time : segment_of(bytes).start_time;
  }
  /// TByte of a message of `bytes`, seconds per byte.
  [[nodiscard]] double byte_of(double bytes) const noexcept {
    return segments.empty() ? byte_time : segment_of(bytes).byte_time;
  }
  /// Seconds for the bytes of a message.
  [[nodiscard]] double time_of(double bytes) const noexcept { return bytes * byte_of(bytes); }
  /// The segment of a message. Precondition: there are segments.
  [[nodiscard]] const Segment& segment_of(double bytes) const noexcept;
  /// Whether a message starts when it is sent, not when its receiver has asked for it as well.
  [[nodiscard]] bool is_eager(double bytes) const noexcept { return bytes < eager_limit; }
  /// Whether the sender of a message goes on before it has arrived.
  [[nodiscard]] bool is_detached(double bytes) const noexcept {
    return bytes < detach_limit.value_or(eager_limit);
  }

  friend bool operator==(const Network&, const Network&) = default;
};

/// The costs of a network by their names for Cluster::set() behind the cluster's, in seconds:
/// TStart and TByte, or those of each segment ("Segments.4096.TStart"); of ports TSend, TRecv and
/// TGap.
[[nodiscard]] std::vector<std::pair<std::string, double>> named_costs(const Network& network);

/// What the run-time library costs on a machine beside the times of the trace (docs/model.md
/// §2.16).
struct LibraryCosts {
  double collective = 0.0;  ///< TCollective: seconds per start of a collective operation
  double load = 0.0;        ///< TLoad: seconds per load of a remote-access buffer
  double portion = 0.0;     ///< TPortion: seconds per portion of a pipelined loop and processor
  /// TCopy: seconds per byte of an edge that is not contiguous, and of what is moved or copied.
  double copy = 0.0;
  /// TArray: seconds per start of a copy of an array; without it those of a collective operation.
  std::optional<double> array = std::nullopt;

  friend bool operator==(const LibraryCosts&, const LibraryCosts&) = default;
};

/// How well `threads` threads of one process share the work of a processor's kind: they compute
/// threads · efficiency times as fast as one.
struct ThreadEfficiency {
  std::int32_t threads = 1;
  double efficiency = 1.0;

  friend bool operator==(const ThreadEfficiency&, const ThreadEfficiency&) = default;
};

/// True if a description is a node of the machine: the first one on the way down from the top
/// cluster that is none of `no` is it (nodes.h).
enum class NodeRole : std::uint8_t {
  no,       ///< a cluster of nodes
  known,    ///< marked (IsNode, Price), named "node", or with nothing but processors below it
  guessed,  ///< only because it is the highest one under the top cluster
};

/// A named description of the .par file: a processor (no items) or a composite of others.
struct ClusterNode {
  /// So many equal parts of a composite.
  struct Item {
    std::int64_t count = 1;
    std::size_t node = 0;  ///< index into Cluster::nodes()
  };

  std::string name;
  double performance = 1.0;  ///< of a processor; 1.0 = the machine that recorded the trace
  Network network;           ///< of a composite: connects its items
  std::vector<Item> items;   ///< empty for a processor
  std::vector<ThreadEfficiency> threads;  ///< of a processor: its table, by number of threads
  std::optional<double> price;  ///< of one per hour, in any currency; makes it a node (nodes.h)
  NodeRole node = NodeRole::no;
  std::int64_t processors = 1;  ///< leaves below (and including) this node
  std::int32_t levels = 0;      ///< composites on the longest way down to a leaf; 0 for a processor
  std::size_t line = 0;         ///< where the .par file defines it
};

/// The first n processors of a cluster, depth first in order of the description, each with the
/// instances of networks it hangs under. Grids of n processors take exactly these (docs/model.md
/// §1).
struct ProcessorSystem {
  std::vector<double> performance;  ///< w_p per processor
  std::vector<Network> networks;    ///< one per instance of a composite, parents before children
  std::vector<std::size_t> nodes;   ///< per instance: its description in Cluster::nodes()
  std::int32_t levels = 0;          ///< depth of the deepest composite instance, 0 if none
  /// ancestors[level * processors() + p]: the instance at depth `level` above p (0 = the whole
  /// cluster); `no_network` where p hangs higher up than that.
  std::vector<std::uint32_t> ancestors;
  bool homogeneous = true;   ///< all performances equal
  LibraryCosts library;      ///< those of the cluster
  AllreduceTable allreduce;  ///< that of the cluster

  static constexpr std::uint32_t no_network = 0xffffffffU;

  [[nodiscard]] std::size_t processors() const noexcept { return performance.size(); }

  /// The network instance that a transfer from a to b uses: the lowest one above both.
  /// Precondition: a != b.
  [[nodiscard]] std::uint32_t common_network(std::size_t a, std::size_t b) const noexcept {
    return ancestors[common_level(a, b) * processors() + a];
  }

  /// The depth of that instance.
  [[nodiscard]] std::size_t common_level(std::size_t a, std::size_t b) const noexcept;
};

/// A machine description.
///
/// 2010 format ([Predictor2010 §2.4]): `cluster = NAME;` names the top cluster, `search = MODE;` a
/// search, `NAME = PERFORMANCE;` a processor, `NAME = {4 x A, B};` a composite and `NAME.CommType`,
/// `NAME.TStart`, `NAME.TByte` its network; one of type ports may have `NAME.TSend`, `NAME.TRecv`
/// and `NAME.TGap`, or all five by LogGP's names L, o (o_s, o_r), g and G, where case counts.
/// `A.CommType = B.CommType;` (or `= B;`) takes type, channels and costs from B; A's own costs
/// override. `A.EagerLimit` and `A.DetachLimit` are bytes. `A.Segments = {0 (0.4, 0.0002), 4096
/// (4.3, 0.0001)};` gives TStart and TByte by the length of the message in place of those two. A
/// composite of one processor needs no network. The top cluster may have the costs of the run-time
/// library, `NAME.TCollective`, `TLoad`, `TPortion`, `TCopy`, `TArray`, and `NAME.Allreduce =
/// mpich;`, `openmpi` or `{64 2048 doubling, 1024 10000000 ring}`: which algorithm a reduction of
/// up to so many processes and bytes takes. `NAME.Price` is what one
/// NAME costs per hour, `NAME.IsNode = yes` says that it is a node. `P.Threads = {1 (1.0), 4
/// (0.9)};` says how fast the threads of a process on processors P are. 2000 format
/// ([Predictor2000]): `type`, `start time`, `send byte time`, `power` and, optionally, `topology`
/// describe a composite "network" or "transputer" of processors called "processor". Statements end
/// with ';' and may come in any order and case; // starts a comment.
class Cluster {
public:
  /// Reads a .par file in the 2010 or 2000 format. Throws InputError with file:line.
  static Cluster read(const std::filesystem::path& path);

  /// The same from text; `name` stands for the file in errors.
  static Cluster parse(std::string_view text, const std::string& name);

  /// Applies one assignment (--set mvs.TStart=9), with the units of the .par file, as if the
  /// file had said so: a cluster that copies the network of another follows its changes. Knows
  /// NAME.CommType, NAME.TStart and the other costs of the file, NAME.Segments.4096.TStart (of the
  /// segment from 4096 bytes on), NAME.Channels (number of channels of a myrinet), NAME.Price,
  /// NAME.IsNode, NAME.Count (of a composite with one kind of parts), NAME=PERFORMANCE of a
  /// processor, cluster=NAME and search=MODE. Throws InputError for anything else and then leaves
  /// the cluster as it was.
  void set(std::string_view assignment);

  /// The cluster as processes of `threads` threads see it: its processors are places for one
  /// process each. Such a process takes `threads` consecutive processors of one lowest cluster,
  /// which holds ⌊processors / threads⌋ of them, and computes threads · efficiency times as fast as
  /// the slowest of these processors. Clusters that hold no process are left out. The same cluster
  /// for one thread. Throws InputError if `threads` is below 1, a processor in use has no
  /// efficiency for it, or no cluster holds a process.
  [[nodiscard]] Cluster with_threads(std::int32_t threads) const;

  [[nodiscard]] const std::string& name() const noexcept;  ///< of the top cluster
  [[nodiscard]] const std::vector<ClusterNode>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::size_t root() const noexcept { return root_; }
  [[nodiscard]] std::int64_t processors() const noexcept { return nodes_[root_].processors; }
  [[nodiscard]] const LibraryCosts& library() const noexcept { return library_; }
  [[nodiscard]] const AllreduceTable& allreduce() const noexcept { return allreduce_; }
  [[nodiscard]] int search_mode() const noexcept {
    return search_mode_;
  }  ///< `search = ...`, default 0
  /// `topology` of the 2000 format.
  [[nodiscard]] const std::optional<Grid>& topology() const noexcept { return topology_; }
  /// Canonical text in the 2010 format (with `topology`, if there is one) that includes all changes
  /// by set(); reading it gives an equal cluster.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  /// The first `count` processors, in time proportional to count · levels whatever the size of the
  /// cluster. Throws InputError if the cluster has fewer or `count` is below 1.
  [[nodiscard]] ProcessorSystem expand(std::int64_t count) const;

  /// The tree of descriptions with their networks (µs) and numbers of processors, then the totals
  /// per level, for `machine show`.
  [[nodiscard]] std::string tree_text() const;

private:
  std::vector<ClusterNode> nodes_;
  std::size_t root_ = 0;
  int search_mode_ = 0;
  std::optional<Grid> topology_;
  LibraryCosts library_;
  AllreduceTable allreduce_;
  std::string text_;
  std::string file_;
};

}  // namespace gridcast::machine
