#pragma once
/// Internal: messages that pass ports at the same time share them max-min fair (docs/model.md §10).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace gridcast::model {

/// All messages under way through ports. Lengths are seconds that a port takes for a message alone,
/// so that every port serves a second per second; rates are parts of that.
///
/// Messages with the same two ports are a flow: all of them get the same rate. A flow counts the
/// seconds that it has served each of its messages, so that a message ends when that count reaches
/// what it was at its entry and its length more; no change looks at messages one by one.
///
/// A port has a level: the most that it gives a message. A message has the lower one of its two
/// ports. Levels for which this uses up every port that holds a message back are the max-min fair
/// ones, and there are no others. So only ports whose level changes pass the change on, and only to
/// ports that it matters to: those whose messages get less from the other port than from theirs.
class PortFlows {
public:
  /// The earliest end of a message out of a port.
  struct Due {
    double time = 0.0;
    std::uint32_t port = 0;
    std::uint32_t version = 0;  ///< later ones of the port replace it
  };

  void reset(std::size_t ports);

  /// A message enters its ports at `now`; `block` and `message` say which it is. Nothing moves
  /// on until settle().
  void enter(std::uint32_t out, std::uint32_t in, double length, double now, std::uint32_t block,
             std::uint32_t message);

  /// Takes out the messages that a Due was about and that have ended until then; calls f(block,
  /// message) for each.
  template <class F>
  void end(std::uint32_t port, std::uint32_t version, double until, F&& f) {
    Port& own = ports_[port];
    if (own.version != version) {
      return;
    }
    own.told = never;
    mark(port, own.late, late_);
    for (std::size_t i = own.flows.size(); i-- > 0;) {
      Flow& flow = flows_[own.flows[i].flow];
      while (!flow.messages.empty() && flow.end() <= until) {
        const Message message = flow.messages.front();
        leave(flow);
        f(message.block, message.number);
      }
      if (flow.messages.empty()) {
        remove(own.flows[i].flow);
      }
    }
  }

  /// Works out all rates that changes since the last call can have changed; returns what ports
  /// have to be looked at again, and when. Valid until the next call.
  std::span<const Due> settle(double now);

private:
  static constexpr double never = std::numeric_limits<double>::infinity();

  struct Message {
    double until = 0.0;  // it ends when its flow has served so many seconds
    std::uint32_t block = 0, number = 0;
  };
  struct Flow {
    double served = 0.0;  // seconds alone of each message, at `since`
    double since = 0.0;   // when its rate changed last, seconds
    double rate = 0.0;
    std::uint32_t out = 0, in = 0;            // ports
    std::uint32_t out_slot = 0, in_slot = 0;  // its place in their lists
    std::vector<Message> messages;            // a heap, the earliest end first

    [[nodiscard]] double end() const {
      return since + std::max(messages.front().until - served, 0.0) / rate;
    }
    void serve(double now) {
      served += (now - since) * rate;
      since = now;
    }
  };
  struct Place {
    std::uint32_t flow = 0;
    std::uint32_t other = 0;  // the other port that it passes
    double messages = 0.0;
  };
  struct Port {
    std::vector<Place> flows;
    double messages = 0.0;
    double level = never;  // never: it holds nobody back
    double told = never;   // the last Due
    std::uint32_t version = 0;
    bool waits = false;    // for its level
    bool changed = false;  // its level, or messages of it
    bool late = false;     // its earliest end may be another one
  };

  static void mark(std::uint32_t port, bool& marked, std::vector<std::uint32_t>& list) {
    if (!marked) {
      marked = true;
      list.push_back(port);
    }
  }
  /// The flow of two ports, a new one if there is none.
  Flow& flow_of(std::uint32_t out, std::uint32_t in, double now);
  /// So many messages more, or fewer, pass the ports of a flow.
  void count(const Flow& flow, double messages);
  void leave(Flow& flow);
  void remove(std::uint32_t flow);
  [[nodiscard]] double level_of(const Port& port) const noexcept;
  void find_levels();
  void rate(double now);

  std::vector<Flow> flows_;
  std::vector<std::uint32_t> unused_;
  std::vector<Port> ports_;
  std::vector<std::uint32_t> waiting_, changed_, late_;  // ports
  std::vector<Due> due_;
};

}  // namespace gridcast::model
