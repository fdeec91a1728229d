#pragma once
/// Internal: the clocks of free processes for walk(): they write down what each process has to do,
/// which is simulated afterwards (docs/model.md §10).

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "free_steps.h"
#include "gridcast/rules/ledger.h"
#include "gridcast/rules/repetition.h"
#include "single_messages.h"

namespace gridcast::model {

class FreeClocks {
public:
  /// What it is given must outlive it.
  FreeClocks(const Script& script, const ModelOptions& options, GridDetails& details,
             Ledger& ledger);

  /// Writes down the program for the grid that `details` are about; valid until the next call.
  [[nodiscard]] const FreeProgram& write(std::size_t processes) { return write(processes, false); }
  /// Likewise for FreeSimulation::least().
  [[nodiscard]] const FreeProgram& write_least(std::size_t processes) {
    return write(processes, true);
  }

  /// Iterations of the script, and how many of them are simulated.
  struct Left {
    double all = 0.0, simulated = 0.0;
  };
  [[nodiscard]] const Left& left() const noexcept { return left_; }

  // The clocks that walk() asks for. Nothing is known of time here: all clocks are 0.
  void work(double call, double ret);
  void io_work(double seconds);
  void broadcast(double bytes);
  bool share(double seconds, PlacementId placement, PortionId portion);
  bool copied(CommunicationId communication, double ret);
  bool pipeline(PipelineId pipeline, double seconds);
  void block_work(StatementId statement);
  void vary() {}
  double synchronize(Operation, bool) { return 0.0; }
  void pay(double seconds, Operation operation, bool pipelined);
  double latest() { return 0.0; }
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
  const FreeProgram& write(std::size_t processes, bool least);
  /// Walks operations, of the loops in `loops` the first iterations.
  void walk_all(std::span<const Op> ops, std::span<const Repetition> loops, std::uint32_t depth);
  void walk_loop(std::span<const Op> ops, const Repetition& loop, std::uint32_t depth);
  FreeStep& add(FreeStep::Kind kind, Operation operation, const Share* share, double call);
  /// The schedule of a communication; step kinds name it by this number.
  std::uint32_t schedule(const GridDetails::Source& source);
  /// The same share as long as the grid is.
  const Share* kept(const Share& share, PlacementId placement, PortionId portion);

  const Script* script_;
  ModelOptions options_;
  GridDetails* details_;
  Ledger* ledger_;
  machine::LibraryCosts library_;
  bool least_ = false;        // a few iterations are enough
  bool repeats_ = false;      // the grid decides how often something is done
  std::vector<Op> unrolled_;  // then
  std::vector<Repetition> loops_;
  FreeProgram program_;
  Left left_;
  ViewId current_ = root_view;
  std::span<const std::uint32_t> members_;
  const Op* op_ = nullptr;                // that is walked
  const Share* everyone_ = nullptr;       // of rule 1: all parts are 1/w
  std::vector<std::uint32_t> started_;    // per token: the step
  std::vector<std::uint32_t> scheduled_;  // per communication: its schedule
  std::map<std::pair<ViewId, double>, std::uint32_t> broadcasts_;
  std::map<std::pair<PipelineId, double>, std::uint32_t> pipelines_;
  std::map<std::tuple<ViewId, PlacementId, PortionId>, const Share*> shares_;
  std::map<ViewId, const Share*> views_;
  std::map<CommunicationId, const Share*> written_;
  std::map<StatementId, const Share*> works_;
  SingleMessages singles_;
};

}  // namespace gridcast::model
