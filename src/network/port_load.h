#pragma once
/// Ports that messages share (docs/model.md §4): all messages in a port are served at the same
/// rate, so that what a port has served when a message is through depends on the lengths of its
/// messages only, not on their order.

#include <cstddef>
#include <limits>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/network/message_time.h"

namespace gridcast::network {

/// What a port has to serve: how many messages of which length. Lengths are seconds that the port
/// takes for a message alone; counts may be those of a whole class of messages.
class PortLoad {
public:
  /// Messages of one length.
  struct Messages {
    double length = 0.0;
    double count = 0.0;
    double shorter = 0.0;     ///< seconds of all shorter ones
    double no_shorter = 0.0;  ///< how many are at least as long
  };

  /// Adds `count` messages of `length`; those without length take nothing.
  void add(double length, double count = 1.0);
  void clear() noexcept { messages_.clear(); }

  /// Sums up what was added: to be called before any of the functions below.
  void sum_up();

  /// W(length): seconds that the port has served altogether when a message of `length` is through.
  [[nodiscard]] double served(double length) const noexcept;
  /// The length that each message has been served after `seconds`; that of the longest if the port
  /// is through with all.
  [[nodiscard]] double share(double seconds) const noexcept;
  /// Seconds until the port is through with all.
  [[nodiscard]] double total() const noexcept;

  [[nodiscard]] bool empty() const noexcept { return messages_.empty(); }
  /// Ascending by length, after sum_up.
  [[nodiscard]] const std::vector<Messages>& messages() const noexcept { return messages_; }

private:
  std::vector<Messages> messages_;
};

/// The messages of one communication in one port.
class PortPassage {
public:
  /// Adds `count` messages of `length`, the first of which is ready at `ready`.
  void add(double ready, double length, double count = 1.0);
  void clear() noexcept;

  /// β: when the first message is ready; never if there are none.
  [[nodiscard]] double begin() const noexcept { return begin_; }
  [[nodiscard]] const PortLoad& load() const noexcept { return own_; }

  /// Once the passage has entered its port: when a message of `bytes` that is ready at `ready` is
  /// through that port of `network`.
  [[nodiscard]] double end(const machine::Network& network, double bytes,
                           double ready) const noexcept;

private:
  friend class Port;
  PortLoad own_, others_;  // others: what remained in the port of earlier communications
  double begin_ = std::numeric_limits<double>::infinity();
  double alone_ = 0.0;  // length that each was served before the others began
};

/// A port, out or in, with what remains in it of all communications so far.
class Port {
public:
  /// A communication begins here at `passage.begin()`, which may be earlier than that of the one
  /// before. Sums up its load. Ends that were told before do not change.
  void enter(PortPassage& passage);
  /// The same of a load that is summed up and begins at `begin`, if no end is asked for.
  void enter(const PortLoad& load, double begin);
  /// The same of `count` equal messages: when those of `bytes` that are ready at `ready` are
  /// through this port of `network`. In constant time, if those that remain are no longer than
  /// they.
  double pass(const machine::Network& network, double bytes, double ready, double count = 1.0);
  /// `count` messages of which `length` remains at since().
  void keep(double length, double count);

  /// From then on the port is idle; the begin of time if it never was in use.
  [[nodiscard]] double busy_until() const noexcept { return since_ + seconds_; }
  /// What remains from since() on, summed up.
  [[nodiscard]] PortLoad kept() const;
  [[nodiscard]] double since() const noexcept { return since_; }

  /// No communication has begun here.
  [[nodiscard]] bool never_used() const noexcept {
    return since_ == -std::numeric_limits<double>::infinity();
  }

  /// Counts time from another origin, `seconds` earlier.
  void shift(double seconds) noexcept { since_ += seconds; }
  /// Nothing remains, from `since` on.
  void clear(double since = -std::numeric_limits<double>::infinity()) noexcept;

  /// Adds the numbers by which restore() makes this port again.
  void save(std::vector<double>& numbers) const;
  /// Returns what is behind the numbers that begin here.
  const double* restore(const double* numbers);

private:
  /// Messages that are through when each message has been served so much since the port was idle.
  struct Left {
    double served = 0.0;
    double count = 0.0;
  };

  /// Into `load`: kept().
  void find_kept(PortLoad& load) const;
  /// Goes on to `begin`, or to where what is kept began, if that is later.
  void go_on(double begin);
  /// What remains is served for so long until each has got `length` or is through.
  [[nodiscard]] double served(double length) const noexcept;
  void forget_first();

  std::vector<Left> left_;  // ascending; those before first_ are through
  std::size_t first_ = 0;
  double served_ = 0.0;   // of each message, since the port was idle
  double count_ = 0.0;    // messages that remain
  double seconds_ = 0.0;  // that they take altogether
  double since_ = -std::numeric_limits<double>::infinity();
};

inline double PortPassage::end(const machine::Network& network, double bytes,
                               double ready) const noexcept {
  const double length = port_time(network, bytes);
  const double alone = network.time_of(bytes);
  double served = own_.served(length);
  if (!others_.empty() && length > alone_) {
    served += others_.served(length - alone_);
  }
  return std::max(ready + alone, begin_ + served - (length - alone));
}

}  // namespace gridcast::network
