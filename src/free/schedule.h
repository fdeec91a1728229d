#pragma once
/// Internal: what each process does in a communication of free processes (docs/model.md §10): its
/// sends, receives and waits, in order. Who sends to whom is matched here, once per grid.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "gridcast/machine/cluster.h"
#include "gridcast/network/communication.h"
#include "gridcast/rules/pipeline_plan.h"
#include "gridcast/rules/portions.h"
#include "gridcast/rules/transfers.h"

namespace gridcast::model {

/// A message, and what it costs. Seconds.
struct FreeMessage {
  static constexpr std::uint32_t no_port = 0xffffffffU;

  std::uint32_t from = 0, to = 0;
  std::uint32_t out = no_port, in = no_port;  ///< ports that it passes; of other networks none
  bool eager = true;     ///< it starts when it is sent, not when it is asked for as well
  bool detached = true;  ///< its sender goes on before it has arrived
  double bytes = 0.0;
  double latency = 0.0;  ///< TStart
  double length = 0.0;   ///< what a port takes for it alone
  double send_time = 0.0, receive_time = 0.0;

  bool operator==(const FreeMessage&) const = default;
};

/// One thing that a process does.
struct FreeAction {
  enum class Kind : std::uint8_t {
    receive,  ///< asks for message `number`
    send,     ///< sends it, `seconds` later
    wait,     ///< for all messages of the actions from `number` up to this one
    pause,    ///< is busy with messages
    compute,  ///< computes
  };
  Kind kind = Kind::pause;
  std::uint32_t number = 0;
  double seconds = 0.0;

  bool operator==(const FreeAction&) const = default;
};

/// What all processes do.
struct FreeSchedule {
  std::vector<FreeMessage> messages;
  std::vector<FreeAction> actions;   ///< process by process
  std::vector<std::uint32_t> first;  ///< per process and one past the last: its first action
  std::vector<std::uint32_t> later;  ///< per process: its first one that has time until the wait
  std::uint32_t participants = 0;    ///< processes with actions

  bool operator==(const FreeSchedule&) const = default;
};

/// The portions of a pipelined loop, for PipelinePlan's processors.
struct FreePortions {
  const PipelinePlan* plan = nullptr;
  const Portions* portions = nullptr;
  std::span<const std::uint32_t> processors;  ///< numbers in the root grid
  double iteration_time = 0.0;                ///< of an iteration, times PipelineStage::work
  double cost = 0.0;                          ///< TPortion
};

/// Writes schedules for the processes of a grid.
class ScheduleWriter {
public:
  /// `system` must outlive it.
  ScheduleWriter(const machine::ProcessorSystem& system, std::size_t processes)
      : system_(&system), processes_(processes) {}

  /// All receives, all sends, wait; or the phases and rounds of a reduction.
  [[nodiscard]] FreeSchedule write(const Transfers& transfers);
  /// Processor 0 hands out values and does not wait until they have arrived.
  [[nodiscard]] FreeSchedule broadcast(const network::Communication& communication);
  /// Portion after portion: receives its edges, computes it, sends its edges.
  [[nodiscard]] FreeSchedule portions(const FreePortions& loop);

  /// One message of each of several processes, which take() takes.
  [[nodiscard]] FreeSchedule single(std::span<const network::Transfer> transfers);
  /// Those of this schedule are received; the messages are its.
  [[nodiscard]] FreeSchedule take(const FreeSchedule& sent);

  /// Ports of a system have numbers below this one.
  [[nodiscard]] static std::size_t ports(const machine::ProcessorSystem& system) noexcept {
    return 2 * (system.networks.size() + system.processors());
  }

private:
  std::uint32_t add(const network::Transfer& transfer);
  void act(std::uint32_t process, const FreeAction& action) { acts_.emplace_back(process, action); }
  void send(std::uint32_t message);
  void receive(std::uint32_t message);
  void blocking_send(std::uint32_t message);
  void blocking_receive(std::uint32_t message);
  void pause(std::span<const double> seconds);
  void exchange(const network::Communication& communication);
  void one_by_one(std::span<const network::Transfer> transfers, bool backwards);
  void round(std::span<const network::Transfer> transfers);
  /// That of the network whose overheads a message has.
  [[nodiscard]] std::size_t level_of(const network::Transfer& transfer) const noexcept;
  [[nodiscard]] std::uint32_t member(std::size_t level, std::uint32_t process) const noexcept;
  [[nodiscard]] FreeSchedule finish(bool overlaps);

  const machine::ProcessorSystem* system_;
  std::size_t processes_;
  std::vector<FreeMessage> messages_;
  std::vector<std::pair<std::uint32_t, FreeAction>> acts_;
  std::size_t split_ = 0;                    // of acts_: what comes from here on has time
  std::vector<std::uint32_t> sends_, gets_;  // per process: its message of the round
};

}  // namespace gridcast::model
