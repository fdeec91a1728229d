#pragma once
/// Internal: the reference engine, a clock per processor (docs/model.md §2).

#include <algorithm>
#include <span>
#include <vector>

#include "gridcast/base/interruption.h"
#include "gridcast/rules/grid_details.h"
#include "gridcast/rules/ledger.h"
#include "gridcast/rules/observer.h"

namespace gridcast::model {

class ProcessorClocks {
public:
  /// What it is given must outlive it.
  ProcessorClocks(const Script& script, const ModelOptions& options, GridDetails& details,
                  Interruption& interruption);

  /// Gives the sums of each interval, valid until the next call; with `per_processor` ledger() has
  /// the times of each.
  [[nodiscard]] std::span<IntervalSums> run(const machine::Grid& grid, bool per_processor);
  /// Tells what each processor does; no iteration is left out.
  void observe(const machine::Grid& grid, Observer& observer);

  /// Of the last run.
  [[nodiscard]] const Ledger& ledger() const noexcept { return ledger_; }

  // The clocks that walk() asks for, one per processor.
  void work(double call, double ret);
  void io_work(double seconds);
  void broadcast(double bytes);
  bool share(double seconds, PlacementId placement, PortionId portion);
  bool copied(CommunicationId communication, double ret);
  bool pipeline(PipelineId pipeline, double seconds);
  void block_work(StatementId statement);
  void vary();
  double synchronize(Operation operation, bool pipelined);
  void pay(double seconds, Operation operation, bool pipelined);
  double latest();
  void start(CommunicationId communication, std::uint32_t token, double start);
  void wait(std::uint32_t token, Operation operation);
  void transfer(CommunicationId communication, double start, Operation operation, bool pipelined);
  void begin_interval(IntervalId interval);
  void end_interval();
  void enter(ViewId view);
  void leave(ViewId view) { enter(view); }
  [[nodiscard]] const machine::LibraryCosts& library() const noexcept { return library_; }
  [[nodiscard]] std::size_t members() const noexcept { return members_.size(); }

private:
  /// A communication under way.
  struct Pending {
    GridDetails::Known known;
    ViewId view = root_view;
    double start = 0.0;
    std::span<const double> ends;      ///< after the start; empty: everybody is through then
    std::vector<double> among_others;  ///< those, if it does not run as on idle networks

    [[nodiscard]] double end(std::size_t p) const noexcept { return start + ends[p]; }
    /// What it costs a processor that cannot be hidden (docs/model.md §2.16).
    [[nodiscard]] double overhead(std::size_t p) const noexcept {
      return known->idle.overheads.empty() ? 0.0 : known->idle.overheads[p];
    }
    /// How long a processor waits for its end, or is kept busy.
    [[nodiscard]] double waited(std::size_t p, double clock) const noexcept {
      return std::max(end(p) - clock, overhead(p));
    }
    /// Its clock when it is over for it.
    [[nodiscard]] double raised(std::size_t p, double clock) const noexcept {
      return std::max(clock + overhead(p), end(p));
    }
  };

  void prepare(const machine::Grid& grid, bool per_processor);
  void run_all();
  /// Starts a communication.
  void launch(const GridDetails::Source& source, double start, Pending& pending);
  void run_pipeline(const PipelineSpec& spec, double seconds, const Share& whole);
  /// The share of a pipelined loop whose portions have just been simulated, shapes included.
  [[nodiscard]] Share shaped(const PipelineSpec& spec, const Share& whole);
  /// Processors have their parts of a time, in the library or computing.
  void spend(double seconds, const Share& share, Work work,
             std::span<const std::uint32_t> processors);
  /// Figures of that.
  void count(double seconds, const Share& share, Work work,
             std::span<const std::uint32_t> processors);
  /// Those that wait until another's clock, from which what follows starts.
  void tell_late(std::size_t processor, std::size_t last, double seconds);
  /// The same of all that take part in a blocking communication, before any of them is raised.
  void tell_latecomers(double start);
  /// How much of a processor's waiting for it passes before it starts.
  [[nodiscard]] double late_for(std::size_t p, double start) const;
  void flush();
  /// The first of the current processors with the latest clock.
  [[nodiscard]] std::size_t last_processor();
  void forget_periods();

  template <class F>
  void tell(F&& f) {
    if (observer_ != nullptr) {
      f(*observer_);
    }
  }
  template <class F>
  static void for_each(std::span<const std::uint32_t> processors, F&& f) {
    const std::size_t first = processors.empty() ? 0 : processors.front();
    if (!processors.empty() && processors.back() - first + 1 == processors.size()) {
      for (std::size_t i = 0; i < processors.size(); ++i) {
        f(first + i);
      }
      return;
    }
    for (const std::uint32_t p : processors) {
      f(std::size_t{p});
    }
  }
  template <class F>
  void for_each_current(F&& f) {
    for_each(members_, f);
  }
  /// Calls f(processor) for all that send or receive in a communication, once each.
  template <class F>
  void for_each_in(const network::Communication& communication, F&& f) {
    concerned_.assign(processors_, 0);
    for (const network::Transfer& transfer : communication.transfers) {
      for (const std::uint32_t p : {transfer.from, transfer.to}) {
        if (concerned_[p] == 0) {
          concerned_[p] = 1;
          f(std::size_t{p});
        }
      }
    }
  }

  const Script* script_;
  ModelOptions options_;
  GridDetails* details_;
  Interruption* interruption_;
  Observer* observer_ = nullptr;  // nobody is told
  bool repeats_ = false;          // the grid decides how often something is done
  bool detail_ = false;           // figures of single processors are noted, or an observer is told
  machine::LibraryCosts library_;
  Ledger ledger_;
  std::vector<Pending> pending_;
  Pending blocking_;
  PipelineTimes pipeline_times_;

  // The current processor system.
  ViewId current_ = root_view;
  std::span<const std::uint32_t> members_;
  Share everyone_;  // of rule 1: all parts are 1/w

  std::size_t processors_ = 1;
  std::vector<double> clock_;
  std::vector<double> busy_;   // CPU and SYS time so far
  double pending_work_ = 0.0;  // rule 1 time of the current view that is not on its clocks yet
  std::vector<std::uint8_t> concerned_;
};

}  // namespace gridcast::model
