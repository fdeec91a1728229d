#pragma once
/// Internal: lines of the grid in which all processors send to all, on networks of ports
/// (docs/model.md §4, §5).

#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gridcast/network/network_levels.h"
#include "gridcast/network/transposition.h"
#include "port_sizes.h"

namespace gridcast::network {

/// When the processors of lines are through that share ports with each other and nobody else.
/// Coordinates of a line that lie in the same network of a level, but in different members, send
/// to each other over that level: prefix sums of what coordinates hold tell what passes a port.
/// Senders that hold as much, and whose ports carry as much, are one source of messages.
class TransposedLines {
public:
  /// Lines alike: their processors with the same coordinate share all ports but their own.
  struct Line {
    std::int64_t first = 0;  ///< the number of its first processor
    std::size_t bytes = 0;   ///< which of those below
    double count = 1.0;
  };

  /// Lines of `extent` coordinates, `stride` numbers apart. `bytes`: of messages for each element
  /// that the sender holds and each that the receiver gets. `copy_time`: TCopy, for all that is
  /// sent and received. `levels` must outlive this.
  void reset(const Transposition& transposition, std::int64_t extent, std::int64_t stride,
             std::span<const double> bytes, std::span<const NetworkLevel> levels, double copy_time);
  /// Appends the ends of the coordinates of each line, seconds after the start, and their
  /// overheads.
  void work_out(std::span<const Line> lines, std::vector<double>& ends,
                std::vector<double>& overheads);
  /// The latest time at which a port is in use.
  [[nodiscard]] double busy() const noexcept { return busy_; }

private:
  static constexpr std::uint32_t none = UINT32_MAX;

  /// Coordinates that hold the same number of elements.
  struct Amount {
    double elements = 0.0;
    std::vector<double> below;       ///< how many of them lie below a coordinate
    std::vector<std::int64_t> last;  ///< the last one below a coordinate; -1: none
  };
  /// What a coordinate holds before and afterwards: amounts; none: nothing.
  struct Kind {
    std::uint32_t sends = none, receives = none;
    bool operator==(const Kind&) const = default;
  };
  /// Neighbouring coordinates of a line in the same member of a network. Its load out is at `port`,
  /// that in behind it.
  struct Member {
    std::int64_t begin = 0, end = 0;
    double before = 0.0;  ///< seconds of sends to lower coordinates outside
    std::uint32_t port = none;
  };
  /// Coordinates of one network, of one kind, with equal loads out.
  struct Senders {
    std::uint32_t kind = 0, load = 0;
    double skipped = 0.0;                      ///< seconds until messages to higher coordinates
    double below = 0.0, own = 0.0, all = 0.0;  ///< how many: before a member, in it, altogether
  };
  /// Messages to a coordinate of a member.
  struct Source {
    std::uint32_t sends = none, load = 0;
    double count = 0.0;
    double ready = 0.0;  ///< but for the sends to lower coordinates
  };
  /// What passes a port: how many messages of each size, the first of which is ready at `begin`.
  struct Load {
    double begin = HUGE_VAL;
    double seconds = 0.0;  ///< that the port takes for all
    std::vector<double> counts, through;
  };
  struct Arrival {
    double time = 0.0, count = 0.0, cost = 0.0;
  };
  /// What a coordinate has come to over the levels so far.
  struct Progress {
    double sending = 0.0, receiving = 0.0, end = 0.0;
    std::vector<Arrival> arrivals;
  };

  void add_kinds(const Transposition& transposition);
  void find_copying(std::span<const double> bytes, double copy_time);
  void begin_line(const Line& line);
  std::uint32_t port_of(std::size_t level, std::int64_t network);
  /// Calls f(network, its members) for all networks of a level that the line passes, then counts
  /// what sending over them takes.
  template <class F>
  void for_each_network(std::size_t level, F&& f);
  /// The loads of the members of a network, but for the begin of those in.
  void add_loads(std::size_t level, const Member& network, std::span<const Member> members);
  void begin_loads_in(std::size_t level, const Member& network, std::span<const Member> members);
  /// Those of the processors of a lowest network, which have their ports for themselves.
  void load_own(const Member& network);
  /// Nothing passes a port, yet.
  void clear(Load& load, double begin) const;
  /// A load enters a port of that level.
  void enter(Load& load, std::size_t level);
  /// Those out or in of the members of all levels enter theirs.
  void enter_all(std::uint32_t way);
  void find_senders(std::size_t level, std::span<const Member> members);
  /// Those of the next member, in ascending order.
  void find_sources(const Member& member);
  void send(std::size_t level, const Member& network, const Member& member, std::int64_t x);
  void receive(std::size_t level, const Member& network, const Member& member, std::int64_t x);
  void finish(std::vector<double>& ends, std::vector<double>& overheads);

  /// How many of an amount lie there.
  static double within(const Amount& amount, std::int64_t begin, std::int64_t end) noexcept {
    return amount.below[static_cast<std::size_t>(end)] -
           amount.below[static_cast<std::size_t>(begin)];
  }
  static double within(const Amount& amount, const Member& member) noexcept {
    return within(amount, member.begin, member.end);
  }
  /// Seconds of the sends over a network to coordinates from `begin` to `end`, and all before it.
  [[nodiscard]] double sending_before(std::size_t level, const Member& network,
                                      std::int64_t end) const noexcept {
    return network.before +
           levels_[level].network.send_time * within(receivers_, network.begin, end);
  }
  [[nodiscard]] std::size_t size_of(std::uint32_t sent, std::uint32_t received) const noexcept {
    return (line_.bytes * sent_.size() + sent) * received_.size() + received;
  }
  [[nodiscard]] std::uint32_t kind_at(std::int64_t x) const noexcept {
    return kind_of_[static_cast<std::size_t>(x)];
  }
  [[nodiscard]] Progress& progress(std::int64_t x) noexcept {
    return progress_[static_cast<std::size_t>(x)];
  }
  [[nodiscard]] double packing(std::uint32_t kind) const noexcept {
    return packing_[line_.bytes * kinds_.size() + kind];
  }

  std::span<const NetworkLevel> levels_;
  std::int64_t extent_ = 0, stride_ = 1;
  double busy_ = 0.0;
  PortSizes sizes_;  // (bytes * sent_ + sent) * received_ + received
  std::vector<Amount> sent_, received_;
  Amount receivers_;  // of anything
  std::vector<Kind> kinds_;
  std::vector<std::uint32_t> kind_of_;       // per coordinate
  std::vector<double> packing_, unpacking_;  // bytes * kinds + kind

  // Of all lines.
  std::vector<std::vector<std::pair<std::uint64_t, std::uint32_t>>> port_of_;  // of a generation
  std::uint64_t generation_ = 0;
  std::vector<Load> loads_;              // of members of networks above the lowest, then own ones
  std::vector<std::uint32_t> level_of_;  // of those above the lowest
  std::vector<std::uint32_t> same_;      // an equal one

  // Of one line.
  Line line_;
  std::vector<std::vector<Member>> members_;  // per level, and the whole line
  std::vector<Progress> progress_;            // per coordinate
  std::vector<std::uint8_t> loaded_;          // per kind: its processors' own ports, of a network
  std::vector<Senders> senders_;              // of a network
  std::vector<std::uint32_t> senders_of_;     // per coordinate
  std::vector<Source> sources_;               // of a member
};

}  // namespace gridcast::network
