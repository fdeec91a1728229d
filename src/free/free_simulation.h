#pragma once
/// Internal: the simulation of processes that run free, event by event (docs/model.md §10).

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "event_queue.h"
#include "free_steps.h"
#include "gridcast/base/interruption.h"
#include "gridcast/network/networks.h"
#include "gridcast/rules/ledger.h"
#include "gridcast/rules/observer.h"
#include "port_flows.h"

namespace gridcast::model {

/// Each process runs ahead until it has to wait for a message whose end is not known yet; messages
/// enter the network, and leave it, in order of time.
class FreeSimulation {
public:
  explicit FreeSimulation(Interruption& interruption) : interruption_(&interruption) {}

  /// Runs a program, which must outlive the call, from idle networks on; tells `observer`, if any,
  /// what each process does. Throws RunError if processes wait for each other for ever.
  void run(const FreeProgram& program, network::Networks& networks, Ledger& ledger,
           Observer* observer);

  /// No run of a program takes less, seconds: every message passes its ports alone
  /// (docs/search.md, "Free processes"). The program is one that FreeClocks wrote for this.
  double least(const FreeProgram& program, network::Networks& networks, Ledger& ledger);

private:
  static constexpr std::uint32_t nothing = 0xffffffffU;
  static constexpr double unknown = std::numeric_limits<double>::infinity();

  struct Process {
    double clock = 0.0;
    double told = 0.0;    // the same without what was left out
    double busy = 0.0;    // of that: computing and in the library
    double waited = 0.0;  // for messages, of the clock
    double weight = 1.0;  // iterations that each simulated one stands for
    std::uint32_t step = 0;
    std::uint32_t at = nothing;  // action of the schedule; nothing: none begun
    std::uint32_t pending = 0;   // messages that it waits for
  };
  /// A message on its way.
  struct State {
    double sent = unknown, asked = unknown, arrived = unknown;
    bool sender_waits = false, receiver_waits = false;
  };
  /// The messages of a schedule that runs.
  struct Block {
    std::uint32_t schedule = 0;
    std::span<const FreeMessage> messages;
    std::uint32_t step = 0;   // that it is of
    std::uint32_t users = 0;  // processes that are not through with it
    std::vector<State> states;
  };
  /// Something that a process waits for.
  struct Completion {
    double time = 0.0;
    double other = 0.0;  // when the other process was there
    double begin = 0.0;  // when both were
    std::uint32_t message = 0;
    double receive_time = 0.0;
    std::size_t number = 0;  // in the order in which they were asked for
  };
  /// The iterations of a loop that stand for those left out.
  struct Saved {
    double clock = 0.0, weight = 1.0, waited = 0.0;
  };

  void start(const FreeProgram& program, network::Networks& networks, Ledger& ledger,
             Observer* observer);
  void run_process(std::uint32_t p);
  void run_ready();
  void handle_next();
  /// False if the process has to wait.
  bool perform(std::uint32_t p, const FreeStep& step);
  void act(std::uint32_t p, const FreeStep& step, const FreeAction& action, std::uint32_t block);
  bool finish_wait(std::uint32_t p, const FreeStep& step, std::uint32_t from, std::uint32_t block);
  /// When a process is through with the completions at the earliest, seconds.
  double through_ports(std::uint32_t p, std::span<const FreeMessage> messages);
  std::uint32_t block_of(std::uint32_t step, std::uint32_t schedule);
  void release(std::uint32_t step);
  [[nodiscard]] const FreeMessage& message_of(const FreeEvent& event) const {
    return blocks_[event.a].messages[event.b];
  }
  void launch(std::uint32_t block, std::uint32_t message, double start);
  void arrive(std::uint32_t block, std::uint32_t message, double time);
  void place(double until);
  void compute(std::uint32_t p, const FreeStep& step, double own, double once, bool library);
  void pay(std::uint32_t p, const FreeStep& step, double seconds);
  [[nodiscard]] Saved& saved(std::uint32_t p, const FreeStep& step) {
    return saved_[step.number * processes_.size() + p];
  }
  /// What a process has done by itself since the half of a loop, seconds: as much in each iteration
  /// as in another one that is like it.
  [[nodiscard]] double own_since(std::uint32_t p, const FreeStep& step) {
    const Saved& half = saved(p, step);
    return processes_[p].clock - half.clock - (processes_[p].waited - half.waited);
  }
  /// False if the process has to wait for the others.
  bool leap(std::uint32_t p, const FreeStep& step);
  void leap_together(const FreeStep& step);
  void communicate(std::uint32_t p, const FreeStep& step, double seconds, double late);
  void complete(std::uint32_t p, const FreeStep& step, const Completion& each,
                const FreeMessage& message);
  template <class F>
  void tell(const FreeStep& step, F&& f) {
    if (observer_ != nullptr) {
      observer_->operation(*step.op);
      f(*observer_);
    }
  }
  void require_finished() const;

  Interruption* interruption_;
  const FreeProgram* program_ = nullptr;
  network::Networks* networks_ = nullptr;
  Ledger* ledger_ = nullptr;
  Observer* observer_ = nullptr;  // null: nobody
  std::vector<Process> processes_;
  std::vector<Saved> saved_;  // loop * processes
  std::vector<Block> blocks_;
  std::vector<std::vector<std::uint32_t>> unused_blocks_;  // per schedule
  std::vector<std::uint32_t> block_of_step_;
  EventQueue events_;
  std::vector<FreeEvent> placed_, others_;  // at the same time
  std::vector<std::uint32_t> ready_;
  std::vector<Completion> completions_;
  PortFlows flows_;
  bool alone_ = false;       // no message holds another back
  std::size_t arrived_ = 0;  // processes at a leap
  double somebody_ = 0.0;    // a clock that one of them reaches, nobody knows which
};

}  // namespace gridcast::model
