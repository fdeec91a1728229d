#pragma once
/// Internal: least clocks of processes that run free on the grids of a box (docs/search.md, "Free
/// processes").

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "free_exchange.h"
#include "gridcast/bound/box_bound.h"
#include "gridcast/rules/repetition.h"
#include "least_ends.h"
#include "least_machine.h"
#include "least_mapping.h"

namespace gridcast::model {

/// By which share rounding may change the clocks of a simulation, which handles ends of messages
/// within 1e-14 of each other as one: far more than that.
inline constexpr double clock_rounding = 1e-9;

/// Walks the operations of a program. Bounds after an operation follow from those before it by
/// differences that hold whatever the clocks were, so that iterations that a prediction leaves out
/// (docs/model.md §10) can be bounded, too.
class FreeBoxWalk {
public:
  /// `script` and `cluster` must outlive it.
  FreeBoxWalk(const Script& script, const machine::Cluster& cluster, const ModelOptions& options);

  BoxBounds run(const machine::GridBox& box, std::int64_t most);

  // What walk() asks for. In a task nothing is certain but that no clock goes back.
  void work(double call, double ret);
  void io_work(double seconds);
  void block_work(StatementId /*statement*/) {}
  void broadcast(double bytes);
  bool share(double seconds, PlacementId placement, PortionId portion);
  bool copied(CommunicationId communication, double ret);
  bool pipeline(PipelineId pipeline, double seconds);
  void vary() {}
  double synchronize(Operation, bool) { return 0.0; }
  void pay(double seconds, Operation operation, bool pipelined);
  double latest() { return 0.0; }
  void start(CommunicationId communication, std::uint32_t token, double start);
  void wait(std::uint32_t token, Operation operation);
  void transfer(CommunicationId communication, double start, Operation operation, bool pipelined);
  void begin_interval(IntervalId /*interval*/) {}
  void end_interval() {}
  void enter(ViewId view) { current_ = view; }
  void leave(ViewId view) { current_ = view; }
  [[nodiscard]] machine::LibraryCosts library() const {
    return options_.counted(cluster_->library());
  }
  [[nodiscard]] std::size_t members() const noexcept {
    return static_cast<std::size_t>(mapping_.view(current_).least);
  }

private:
  /// Lower bounds of clocks, seconds. Of iterations that are left out: of how much clocks grew
  /// since these began, `latest` and `earliest` counted from the latest clock then.
  struct Clocks {
    double latest = 0.0;
    double earliest = 0.0;
    double mean = 0.0;    ///< each clock weighted with the processor's performance
    double first = 0.0;   ///< of processor 0
    double inner = 0.0;   ///< the earliest of FreeNeighbours, if the box is a single grid
    double middle = 0.0;  ///< of LeastMapping::middle(), likewise
    /// False: all have not met since the iterations began, so that it is not known how the clock of
    /// one is to that of another.
    bool met = true;
  };
  /// A communication under way.
  struct Pending {
    CommunicationId communication{};
    double earliest = 0.0, inner = 0.0;
    bool met = false;
  };

  /// Parts of a loop that processors of a single grid have, at least.
  struct Shares {
    double middle = 0.0, inner = 0.0, each = 0.0;
  };

  void walk_all(std::span<const Op> ops, std::span<const Repetition> loops);
  void walk_loop(std::span<const Op> ops, const Repetition& loop);
  void advance(double least, double first);
  const Shares& shares_of(PlacementId placement, PortionId portion);
  /// No clock is below the earliest, none above the latest.
  void settle();
  void exchange(const Pending& pending, const FreeExchange& edges);
  /// How much later processes are through with a reduction, at least. Seconds.
  struct FreeReduction {
    double each = 0.0;  ///< each, after the earliest
    double last = 0.0;  ///< the last, after the latest, or after the earliest if not all depend
    double own = 0.0;   ///< each, after each
    bool all_depend = false;  ///< each waits for each other one
  };
  [[nodiscard]] FreeReduction free_reduction(const CommunicationSpec& spec);
  void reduce(const CommunicationSpec& spec);
  [[nodiscard]] const FreeExchange& edges_of(CommunicationId communication);
  /// From the moment on at which it may be sent, a message to a process at least so far away.
  [[nodiscard]] double message(double bytes, double distance) const;
  /// What its sender and its receiver pay for it, at least.
  [[nodiscard]] double overhead(double bytes, double distance) const;
  [[nodiscard]] bool at_root() const noexcept { return current_ == root_view; }

  const Script* script_;
  const machine::Cluster* cluster_;
  ModelOptions options_;
  LeastMachine machine_;  ///< without overheads, which long messages do not pay
  LeastMachine whole_;    ///< with them
  LeastMapping mapping_;
  LeastCommunications communications_;
  std::vector<Repetition> loops_;
  double productive_ = 0.0;  ///< seconds of the trace

  // Of the current box.
  double most_ = 1.0;
  Clocks clocks_;
  ViewId current_ = root_view;
  FreeNeighbours neighbours_;
  std::vector<Pending> pending_;
  std::map<CommunicationId, FreeExchange> edges_;
  std::map<std::pair<PlacementId, PortionId>, Shares> shares_;
};

}  // namespace gridcast::model
