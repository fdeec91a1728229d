#pragma once
/// Internal: messages that pass ports at the same time share them max-min fair (docs/model.md §10).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gridcast::model {

/// All messages under way through ports. Lengths are seconds that a port takes for a message alone,
/// so that every port serves a second per second; rates are parts of that.
class PortFlows {
public:
  /// A message under way.
  struct Flow {
    double left = 0.0;   ///< seconds alone, at `since`
    double since = 0.0;  ///< when its rate changed last, seconds
    double rate = 0.0;
    std::uint32_t out = 0, in = 0;            ///< ports
    std::uint32_t out_slot = 0, in_slot = 0;  ///< its place in their lists
    std::uint32_t version = 0;                ///< raised with its rate, and when it has ended
    std::uint32_t next_change = 0;            ///< internal: of the component that is rated
    bool in_component = false;
    std::uint32_t block = 0, message = 0;  ///< whose message it is

    [[nodiscard]] double end() const noexcept { return since + left / rate; }
  };

  void reset(std::size_t ports);

  /// A message enters its ports at `now`; returns its number. Rates are those of before until
  /// settle().
  std::uint32_t enter(std::uint32_t out, std::uint32_t in, double length, double now);
  /// It is through.
  void leave(std::uint32_t flow);

  [[nodiscard]] Flow& flow(std::uint32_t number) noexcept { return flows_[number]; }

  /// Rates all again that changes since the last call can have changed; returns those whose rate
  /// is another one, valid until the next call.
  std::span<const std::uint32_t> settle(double now);

private:
  struct Port {
    std::vector<std::uint32_t> flows;
    double free = 1.0;       // of the component that is rated: what rated messages leave
    std::uint32_t open = 0;  // messages of it that are not rated
    bool in_component = false;
  };

  void touch(std::uint32_t port);
  void collect();
  void rate();

  std::vector<Flow> flows_;
  std::vector<std::uint32_t> unused_;
  std::vector<Port> ports_;
  std::vector<std::uint32_t> touched_;    // ports, all of the component after collect()
  std::vector<std::uint32_t> component_;  // flows
  std::vector<double> rates_;             // of these
  std::vector<std::uint32_t> open_ports_;
  std::vector<std::uint32_t> changed_;
};

}  // namespace gridcast::model
