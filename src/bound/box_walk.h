#pragma once
/// Internal: the walk over the operations of a program with least clocks (docs/search.md, "Bounds
/// of boxes").

#include <optional>
#include <utility>
#include <vector>

#include "gridcast/bound/box_bound.h"
#include "least_ends.h"
#include "least_machine.h"
#include "least_mapping.h"

namespace gridcast::model {

class BoxBound::Walk {
public:
  Walk(const Script& script, const machine::Cluster& cluster, const ModelOptions& options)
      : script_(&script),
        cluster_(&cluster),
        options_(options),
        machine_(cluster, options.placement != machine::Placement{}),
        mapping_(script, options),
        communications_(mapping_, machine_, options),
        ends_(script.tables().communications.size()),
        pending_(script.header().tokens) {
    for (const Op& op : script.tables().ops) {
      const bool moves = op.kind == Op::Kind::broadcast;
      productive_ += moves ? 0.0 : op.call * most_factor(script, op) + op.ret;
    }
  }

  BoxBounds run(const machine::GridBox& box, std::int64_t most);

  // What walk() asks for. Nothing is known of the ends of pipelines and of what differs within
  // classes, so that some of it is silent.
  void work(double call, double ret);
  void io_work(double seconds) {
    clocks_.first += seconds * machine_.inverse_of_first();
    clocks_.mean += at_root() ? seconds * machine_.inverse_sum() : 0.0;
  }
  void broadcast(double bytes);
  bool share(double seconds, PlacementId placement, PortionId portion);
  bool copied(CommunicationId communication, double ret);
  bool pipeline(PipelineId pipeline, double seconds);
  void block_work(StatementId /*statement*/) {}
  void vary() {}
  double synchronize(Operation operation, bool pipelined);
  void pay(double seconds, Operation operation, bool pipelined);
  double latest();
  void start(CommunicationId communication, std::uint32_t token, double start);
  void wait(std::uint32_t token, Operation operation);
  void transfer(CommunicationId communication, double start, Operation operation, bool pipelined);
  void begin_interval(IntervalId /*interval*/) {}
  void end_interval() {}
  void enter(ViewId view);
  void leave(ViewId view);
  [[nodiscard]] machine::LibraryCosts library() const {
    return options_.counted(cluster_->library());
  }
  [[nodiscard]] std::size_t members() const noexcept {
    return static_cast<std::size_t>(mapping_.view(current_).least);
  }

private:
  /// Lower bounds of the clocks, seconds.
  struct LeastClocks {
    double latest = 0.0;    ///< of the current system
    double mean = 0.0;      ///< mean of its clocks, each weighted with the processor's performance
    double earliest = 0.0;  ///< of the current system
    double first = 0.0;     ///< of processor 0
    double middle = 0.0;    ///< of LeastMapping::middle(), if the box is a single grid
  };

  /// When the processors are through with a communication, at the earliest.
  struct Pending {
    double start = 0.0;
    LeastEnds ends;
    ViewId view = root_view;
  };

  void advance(double least, double first);
  void settle();
  void raise(const Pending& pending);
  [[nodiscard]] Pending launch(CommunicationId communication, double start);
  [[nodiscard]] double slack() const;

  [[nodiscard]] bool at_root() const noexcept { return current_ == 0; }

  const Script* script_;
  const machine::Cluster* cluster_;
  ModelOptions options_;
  LeastMachine machine_;
  LeastMapping mapping_;
  LeastCommunications communications_;
  double productive_ = 0.0;  // seconds of the trace

  // Of the current box.
  double most_ = 1.0;  // processors
  LeastClocks clocks_;
  LeastReader reader_;  // clock of who waited last for a buffer, since the last synchronisation
  ViewId current_ = root_view;
  std::vector<std::pair<std::uint32_t, LeastClocks>> outer_;  // systems that were left for a task
  double aside_ = 0.0;  // latest clock of somebody in a task that was left
  std::vector<std::optional<LeastEnds>> ends_;
  std::vector<Pending> pending_;
};

}  // namespace gridcast::model
