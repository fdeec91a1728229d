#pragma once
/// Internal: the reference engine, a clock per processor (docs/model.md §2). Works out a
/// description of the script when it first meets it on a grid, and keeps its memory between grids.

#include <map>
#include <string>
#include <vector>

#include "gridcast/base/interruption.h"
#include "gridcast/network/networks.h"
#include "gridcast/predict/observer.h"
#include "gridcast/rules/grid_mapping.h"
#include "gridcast/rules/pipeline.h"
#include "gridcast/rules/transfers.h"
#include "ledger.h"

namespace gridcast::model {

class ProcessorClocks {
public:
  ProcessorClocks(const Script& script, const machine::Cluster& cluster,
                  const ModelOptions& options);

  /// The processors of the machine, for grids up to this one at least.
  const machine::ProcessorSystem& expand(const machine::Grid& grid);
  /// From now on the coordinates of grids are on the machine's processors in this order; empty: in
  /// theirs.
  void displace(std::vector<std::uint32_t> order);
  /// Whether that is another machine than the one in order.
  [[nodiscard]] bool displaced() const noexcept { return !order_.empty(); }

  /// Results per interval, as Predictor::evaluate gives them; with `per_processor` ledger() has the
  /// times of each.
  void run(const machine::Grid& grid, bool per_processor, std::vector<Characteristics>& results);
  /// Tells what each processor does; no iteration is left out.
  void observe(const machine::Grid& grid, Observer& observer);

  void ask(GiveUp give_up) noexcept { interruption_.ask(give_up); }
  /// Of the last run.
  [[nodiscard]] const Ledger& ledger() const noexcept { return ledger_; }
  [[nodiscard]] GridMapping& mapping() noexcept { return mapping_; }
  /// What was estimated in it, for the user.
  [[nodiscard]] std::vector<std::string> notes() const;

  // The clocks that walk() asks for, one per processor.
  void work(double call, double ret);
  void io_work(double seconds);
  void broadcast(double bytes);
  bool share(double seconds, PlacementId placement, PortionId portion);
  bool copied(CommunicationId communication, double ret);
  bool pipeline(PipelineId pipeline, double seconds);
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
  [[nodiscard]] const machine::LibraryCosts& library() const noexcept { return system_.library; }
  [[nodiscard]] std::size_t members() const noexcept { return members_.size(); }

private:
  /// A communication on this grid: transfers, their times on idle networks, and who writes what.
  struct Timed {
    bool ready = false;
    bool written_ready = false;
    Transfers transfers;
    network::Profile profile;
    bool silent = true;  ///< no transfer, no time
    double last = 0.0;   ///< on idle networks: end of the last transfer of the view's processors
    double variation = 0.0;  ///< on idle networks: Σ(last - own end) over them
    WrittenShares written;
  };

  /// An asynchronous operation under way: processor p completes at base + ends[p].
  struct Pending {
    ViewId view = root_view;
    double start = 0.0;
    double base = 0.0;
    const std::vector<double>* ends = nullptr;       ///< null: everybody completes at the start
    const Timed* profiled = nullptr;                 ///< set if it runs as on idle networks
    const std::vector<double>* overheads = nullptr;  ///< null: they cost processors nothing
    const Transfers* transfers = nullptr;
    std::vector<double> absolute;
  };

  /// How a loop's time is shared over the processors of the current view.
  struct Share {
    bool ready = false;
    ViewId view = none;
    bool any = false;               ///< false: nobody here has iterations, rule 1 applies
    std::vector<double> fraction;   ///< per processor of the view: its part of the work, over w
    std::vector<double> duplicate;  ///< the part of it that others compute as well
    double fraction_sum = 0.0;
    double duplicate_sum = 0.0;
    double once_sum = 0.0;  ///< of the fractions, each over the number of those that compute it
  };

  void prepare(const machine::Grid& grid);
  [[nodiscard]] const machine::ProcessorSystem& system() const noexcept {
    return displaced() ? displaced_system_ : system_;
  }
  void run_all();
  void step(const Op& op);

  void wait_profiled(Operation operation, const Pending& pending);
  /// What the communication costs processor p that cannot be hidden (docs/model.md §2.16).
  [[nodiscard]] static double overhead(const Pending& pending, std::size_t p) noexcept {
    return pending.overheads == nullptr ? 0.0 : (*pending.overheads)[p];
  }
  /// How much later than its own end the last processor's is, summed up.
  void add_variation(Operation operation, double start);
  void run_pipeline(const PipelineSpec& spec, double seconds, const Share& whole);
  /// The sums of a loop's share, and its figures of single processors.
  void add_computation(double seconds, const Share& share);

  void note(Field field, std::size_t processor, double seconds) noexcept {
    if (ledger_.per_processor()) {
      ledger_.note(field, processor, seconds);
    }
  }
  template <class F>
  void tell(F&& f) {
    if (observer_ != nullptr) {
      f(*observer_);
    }
  }
  /// Calls f(processor, its place in the current system) if that is of interest to anybody.
  template <class F>
  void detail_each(F&& f) {
    if (detail_) {
      for_each_current(f);
    }
  }
  /// A processor waits until another's clock, from which what follows starts.
  void tell_late(std::size_t processor, std::size_t last, double seconds);
  /// The same of all that take part in a blocking communication, before any of them is raised.
  void tell_latecomers(const network::Communication& communication, double start);
  /// How much of a processor's waiting for a communication passes before it starts.
  [[nodiscard]] double late_for(const Pending& pending, double start, std::size_t p) const;

  void flush();
  /// The first of the current processors with the latest clock.
  [[nodiscard]] std::size_t last_processor();
  Timed& timed(CommunicationId communication);
  /// Forgets other communications if with this one too much is kept.
  void make_room_beside(const Timed& latest);
  /// I/O broadcast of the current processor system.
  Timed& timed_broadcast(double bytes);
  const WrittenShares& written_of(CommunicationId communication);
  void time_transfers(Timed& timed);
  /// Networks beside those of the run, all channels free.
  network::Networks& idle_networks();
  /// Starts a communication; fills `pending` with its completion times.
  void launch(Timed& timed, double start, Pending& pending);
  void forget_periods();
  Share& share_of(PlacementId placement, PortionId portion);
  void sum_up(Timed& timed, ViewId view);
  /// The share of a pipelined loop whose portions have just been simulated, shapes included.
  const Share& shaped_share(const PipelineSpec& spec, const Share& whole);
  void work_out_here(Share& share, const mapping::Layout& loop);
  void work_out(Share& share, PlacementId placement, PortionId portion);

  template <class F>
  void for_each_current(F&& f) {
    if (contiguous_) {
      for (std::size_t i = 0; i < members_.size(); ++i) {
        f(members_.front() + i, i);
      }
    } else {
      for (std::size_t i = 0; i < members_.size(); ++i) {
        f(static_cast<std::size_t>(members_[i]), i);
      }
    }
  }

  Interruption interruption_;
  Observer* observer_ = nullptr;  // nobody is told
  bool detail_ = false;           // figures of single processors are noted, or an observer is told
  const Script* script_;
  const machine::Cluster* cluster_;
  ModelOptions options_;
  machine::ProcessorSystem system_;
  std::vector<std::uint32_t> order_;  // of the processors of a grid; empty: as the machine's
  machine::ProcessorSystem displaced_system_;
  GridMapping mapping_;
  TransferBuilder builder_;
  Pipeline pipeline_;
  Ledger ledger_;
  std::vector<network::Networks> networks_;  // one, made anew when the system grows
  std::vector<Timed> timed_;
  std::size_t kept_ = 0;  // messages and ends in timed_
  std::map<std::pair<ViewId, double>, Timed> broadcasts_;
  std::vector<Pending> pending_;
  Pending blocking_;
  std::vector<Share> shares_;
  Share shaped_;                 // of the pipelined loop that ran last
  std::size_t shares_kept_ = 0;  // numbers in them
  std::map<std::pair<PlacementId, PortionId>, Share> portion_shares_;
  PipelineTimes pipeline_times_;

  // The current processor system.
  ViewId current_ = root_view;
  std::span<const std::uint32_t> members_;
  bool contiguous_ = true;
  double inverse_sum_ = 0.0;  // Σ 1/w over it
  double idle_part_ = 0.0;    // (N-1)/N

  std::size_t processors_ = 1;
  std::vector<double> clock_;
  std::vector<double> busy_;     // CPU and SYS time so far
  std::vector<double> inverse_;  // 1/w
  double pending_work_ = 0.0;    // rule 1 time of the current view that is not on its clocks yet
  std::vector<double> ends_;
  std::vector<std::uint8_t> concerned_;  // scratch: processors of a blocking transfer
  std::size_t period_limit_ = 0;
};

}  // namespace gridcast::model
