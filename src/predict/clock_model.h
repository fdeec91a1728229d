#pragma once
/// Internal: the clocks alone of some processors through one iteration of a loop, from a moment
/// when all clocks are equal and all networks idle to the next. It has no characteristics,
/// communications last as on idle networks where they cannot meet others, and pipelines are
/// interpolated: much cheaper than a simulation and, as long as the processors are those that
/// others wait for, mostly exact.

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "processor_clocks.h"

namespace gridcast::model {

class ProcessorClocks::ClockModel {
public:
  /// `iterations` begins with the iterations that will be asked for, `period` operations each. The
  /// current processor system is that at their begin, and holds all processors.
  ClockModel(ProcessorClocks& all, std::span<const Op> iterations, std::size_t period);

  /// Chooses the processors: all those that keep others waiting in any of these iterations.
  void choose_processors(std::span<const std::size_t> iterations);

  /// Seconds from the begin of an iteration to the begin of the next.
  [[nodiscard]] double cost(std::size_t iteration);

  /// How often a pipelined loop was simulated for this, at most.
  [[nodiscard]] std::size_t pipelines_simulated() const;

  // The clocks that walk() asks for: what the step under way was prepared for happens to them.
  void work(double call, double ret);
  void io_work(double seconds) { work(seconds, 0.0); }
  void broadcast(double bytes);
  bool share(double seconds, PlacementId placement, PortionId portion);
  bool copied(CommunicationId communication, double ret);
  bool pipeline(PipelineId pipeline, double seconds);
  void vary() {}
  double synchronize(Operation operation, bool pipelined);
  void pay(double seconds, Operation operation, bool pipelined);
  double latest();
  void start(CommunicationId communication, std::uint32_t token, double start);
  void wait(std::uint32_t token, Operation operation);
  void transfer(CommunicationId communication, double start, Operation operation, bool pipelined);
  void begin_interval(IntervalId /*interval*/) {}
  void end_interval() {}
  void enter(ViewId /*view*/) {}
  void leave(ViewId /*view*/) {}
  [[nodiscard]] const machine::LibraryCosts& library() const noexcept { return all_.library(); }
  [[nodiscard]] std::size_t members() const noexcept { return now_->members; }

private:
  /// A pipelined loop: when each processor ends. The library cuts it into as many portions as suit
  /// its time, so that this jumps where that number changes; in between it is nearly linear.
  struct Cut {
    double portion = 0.0;  // points of the first portion
    std::int64_t quanta = 1;
    double least = 0.0, most = 0.0;   // times of the loops that are cut like this, seconds
    std::vector<double> base, slope;  // end = base + slope * time; slope below 0: takes no part
  };
  struct Table {
    std::vector<Cut> cuts;         // ascending in portion
    std::vector<double> portions;  // per iteration
  };
  struct Step {
    std::size_t members = 1;                          // processors of the view
    const std::vector<std::uint8_t>* here = nullptr;  // per chosen processor: in the view
    std::vector<double> call, ret;  // per chosen processor: what its clock feels of the times
    std::vector<double> ends;       // of a communication, after its start; empty: it costs nothing
    std::vector<double> overheads;  // of it, that nothing hides
    bool pipelined = false;         // a loop whose processors wait for each other
    std::size_t index = 0;          // of it
    std::size_t started = 0;        // wait: the step that started it
    const Timed* timed = nullptr;   // of a communication
    double start = 0.0;             // of the communication, in this iteration
    bool contended = false;         // it found networks taken
    std::vector<double> absolute;   // then: its ends, of all processors
  };

  void choose(std::vector<std::uint32_t> processors);
  [[nodiscard]] const std::vector<std::uint8_t>& chosen_here();
  Step make_step(std::size_t index);
  void make_share(Step& step, PlacementId placement, PortionId portion);
  void make_copied(Step& step, CommunicationId communication);
  void make_communication(Step& step, const Timed& timed);
  void make_pipeline(Step& step, std::size_t index);
  /// Raises the clocks of chosen processors (of those `here`, if given) to a communication's ends.
  void raise_to(const Step& communication, const std::vector<std::uint8_t>* here);
  void launch(Step& step, double start);
  [[nodiscard]] bool networks_contended() const;
  Table tabulate(const Step& step);
  void simulate_cut(const PipelineSpec& spec, const std::vector<std::uint8_t>& here, Cut& cut);

  ProcessorClocks& all_;
  std::span<const Op> ops_;
  std::size_t period_;
  std::vector<std::uint32_t> processors_;
  std::map<std::uint32_t, std::vector<std::uint8_t>> members_;  // per view
  std::vector<Step> steps_;
  Step* now_ = nullptr;                           // of steps_: under way
  std::size_t iteration_ = 0;                     // under way
  std::map<std::size_t, Table> tables_;           // per operation; ends of all processors
  std::map<std::uint32_t, std::size_t> started_;  // step, per token
  bool contended_ = false;
  std::vector<double> clocks_;
  std::set<std::uint32_t> last_;  // processors for which others waited
};

}  // namespace gridcast::model
