#pragma once
/// The networks of a machine while a program runs: which channel is taken when (docs/model.md §4;
/// [Predictor2010 §4.2], [Forecasting §2.1]).

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "gridcast/base/interruption.h"
#include "gridcast/machine/cluster.h"
#include "gridcast/machine/grid.h"
#include "gridcast/network/communication.h"
#include "gridcast/network/port_load.h"

namespace gridcast::network {

/// Time of a message of `bytes` over `distance` links of a grid of links, pipelined in portions of
/// the best size (docs/model.md §4, transputer). Seconds.
[[nodiscard]] double pipelined_message_time(std::int64_t distance, double bytes, double start_time,
                                            double byte_time);
/// The same with TStart and TByte of `links` for a message of `bytes`.
[[nodiscard]] inline double pipelined_message_time(std::int64_t distance, double bytes,
                                                   const machine::Network& links) {
  return pipelined_message_time(distance, bytes, links.start_of(bytes), links.byte_of(bytes));
}

/// Times that differ by less than this part of themselves differ by rounding only.
inline constexpr double relative_slack = 1e-12;

/// Throws InputError if the networks of a system have more channels than can be kept apart.
void require_countable_channels(const machine::ProcessorSystem& system);

/// One channel: the periods in which it is taken, in order of time.
class Channel {
public:
  /// Begin of the earliest free gap of `length` at or after `start`.
  [[nodiscard]] double earliest_gap(double start, double length) const noexcept {
    if (periods_.empty() || periods_.back().end <= start) {
      return start;
    }
    const Period& last = periods_.back();
    const bool inside = start >= last.begin && start + length > last.begin * (1.0 + relative_slack);
    return inside ? last.end : earlier_gap(start, length);
  }

  /// Takes [begin, end); neighbouring periods grow together.
  void take(double begin, double end) {
    if (periods_.empty() || periods_.back().end < begin) {
      periods_.push_back({begin, end});
    } else if (periods_.back().end == begin) {
      periods_.back().end = end;
    } else {
      take_earlier(begin, end);
    }
  }

  /// Takes the earliest gap of `length` at or after `start`, nothing if that is 0; returns its
  /// begin.
  double pass(double start, double length) {
    const double begin = earliest_gap(start, length);
    if (length > 0.0) {
      take(begin, begin + length);
    }
    return begin;
  }

  /// End of the last taken period; 0 if none.
  [[nodiscard]] double last_end() const noexcept {
    return periods_.empty() ? 0.0 : periods_.back().end;
  }

  /// Forgets periods that end at or before `time`: nothing will start earlier than that any more.
  void forget_before(double time);

  void clear() noexcept { periods_.clear(); }

  void shift(double seconds) noexcept;

  /// [begin, end), seconds.
  struct Period {
    double begin = 0.0;
    double end = 0.0;
  };
  [[nodiscard]] const std::vector<Period>& periods() const noexcept { return periods_; }

private:
  /// The same where the last period is not the only one to look at.
  [[nodiscard]] double earlier_gap(double start, double length) const noexcept;
  void take_earlier(double begin, double end);

  std::vector<Period> periods_;
};

/// All networks of the processors that a grid takes. A transfer uses the network of the lowest
/// common ancestor of its ends; a network of type transputer has no channels to wait for, one of
/// type ports a port out and one in for each of its members, which messages share.
class Networks {
public:
  /// Networks of `system`, idle. `system` must outlive this object.
  explicit Networks(const machine::ProcessorSystem& system);

  /// From now on messages are counted at `interruption`; null: nowhere.
  void ask(Interruption* interruption) noexcept { interruption_ = interruption; }

  /// Frees all channels and ports; distances are those of `grid` from now on.
  void reset(const machine::Grid& grid);

  /// Runs a communication from `start` on. `ends` (one per processor of the root grid) is set to
  /// the completion time of each processor: the latest end of its transfers, `start` if it has
  /// none.
  void run(const Communication& communication, double start, std::span<double> ends);

  /// Sends one message that is ready at `start`; returns when it has arrived. What it costs sender
  /// and receiver (ports) is the caller's business.
  double send(const Transfer& transfer, double start);

  /// The same communication on idle networks (this object must be idle; it is so afterwards).
  void profile(const Communication& communication, std::span<double> ends, Profile& result);

  /// Seconds per processor that a communication keeps it from computing, which nothing can hide:
  /// sending, receiving, packing (docs/model.md §2.16); empty if none.
  void overheads(const Communication& communication, std::vector<double>& result) const;

  /// Whether everything that the profile occupies is free from `start` on.
  [[nodiscard]] bool idle_for(const Profile& profile, double start);

  /// Takes what the profile occupies, from `start` on; not before somebody may meet it.
  void occupy(std::shared_ptr<const Profile> profile, double start);

  /// No transfer will start before `time` any more.
  void starts_from(double time) noexcept { starts_from_ = std::max(starts_from_, time); }

  /// Counts time from another origin: everything was taken so many seconds later than told.
  void shift(double seconds);

  /// No transfer will start before `earliest()` any more: forgets what lies before it if there is
  /// so much that it pays.
  template <class F>
  void forget_before(F&& earliest) {
    if (remembered_ > period_limit_) {
      forget(earliest());
    }
  }

  /// Everything is free from this time on, seconds.
  [[nodiscard]] double busy_until() const noexcept { return busy_until_; }

  [[nodiscard]] const machine::ProcessorSystem& system() const noexcept { return *system_; }

  /// Network that a transfer between two different processors uses.
  [[nodiscard]] const machine::Network& between(std::uint32_t a, std::uint32_t b) const noexcept {
    return system_->networks[system_->common_network(a, b)];
  }

private:
  /// What a phase sends over one transputer network.
  struct Links {
    std::uint32_t network = 0;
    std::int64_t distance = 0;
    double bytes = 0.0;
    double time = 0.0;
  };

  /// A message over a network of type ports.
  struct PortMessage {
    const Transfer* transfer = nullptr;
    const machine::Network* network = nullptr;
    double ready = 0.0;
    std::uint32_t out = 0, in = 0;  // passages
  };
  /// A message that has arrived at its receiver's port.
  struct Arrival {
    std::uint32_t to = 0;
    double time = 0.0;
    double receive_time = 0.0;
  };

  void number_ports();
  void forget(double before);
  void touch_port(std::uint32_t port);
  /// When a message that is a communication of its own has left its port and has arrived.
  struct Delivery {
    double sent = 0.0;
    double arrived = 0.0;
  };
  Delivery deliver(const Transfer& transfer, std::size_t level, double ready);
  /// Takes what was not taken before.
  void settle();
  std::uint32_t passage_through(std::uint32_t port);
  void add_to_ports(const Transfer& transfer, std::size_t level, double ready);
  void pass_ports(std::span<double> ends);
  void receive(double start, std::span<double> ends);
  [[nodiscard]] bool costs_processors(const Communication& communication) const noexcept;
  void take(std::uint32_t channel, double begin, double end);
  void count() const {
    if (interruption_ != nullptr) {
      interruption_->count();
    }
  }
  void run_phases(const Communication& communication, double start, std::span<double> ends);
  /// Each message starts at the clock of its sender, which `ends` holds.
  void run_rounds(const Communication& communication, std::span<double> ends);
  /// One message that starts when both of its processors are there.
  void run_alone(const Transfer& transfer, double start, std::span<double> ends);
  void run_phase(std::span<const Transfer> transfers, double start, std::span<double> ends);
  void finish(const Transfer& transfer, double end, std::span<double> ends);
  void run_links(std::span<const Transfer> transfers, double start, std::span<double> ends);
  double place(std::uint32_t network, double start, double length);
  Links& links_of(std::uint32_t network);

  const machine::ProcessorSystem* system_;
  Interruption* interruption_ = nullptr;
  machine::Grid grid_;
  std::vector<std::uint32_t> first_channel_;  // per network instance, and one past the last
  std::vector<Channel> channels_;
  std::vector<std::uint32_t> touched_;  // channels with periods
  std::vector<std::uint8_t> is_touched_;
  std::vector<Links> links_;
  std::vector<Port> ports_;
  std::vector<std::uint32_t> port_of_;  // level * processors: port out of the member of that
                                        // network that holds the processor; the port in is the next
  std::vector<std::uint32_t> touched_ports_;
  std::vector<PortMessage> messages_;      // of a phase
  std::vector<PortPassage> passages_;      // of a phase, and memory
  std::vector<std::uint32_t> passed_;      // their ports
  std::vector<std::uint32_t> passage_of_;  // per port
  bool has_ports_ = false;
  std::vector<Arrival> arrivals_;              // of a phase
  std::vector<std::uint64_t> latest_arrival_;  // per processor: the phase that it got a message in
  std::uint64_t phase_ = 0;
  bool one_each_ = true;       // no processor gets several messages in this phase
  std::vector<double> ready_;  // per processor: when all its messages of the phase are ready
  std::span<const double> packing_, unpacking_;  // of the communication that runs
  std::vector<double> clocks_;                   // per processor: at the begin of a round
  std::vector<double> received_;                 // per processor: its last receive, if it unpacks
  static constexpr std::size_t least_periods = 64;
  std::size_t remembered_ = 0;                // periods of all channels
  std::size_t period_limit_ = least_periods;  // more of them are looked through
  std::shared_ptr<const Profile> occupied_;   // not yet taken; null: nothing
  double occupied_from_ = 0.0;
  double busy_until_ = 0.0;
  double starts_from_ = -std::numeric_limits<double>::infinity();
};

}  // namespace gridcast::network
