#include "gridcast/sweep/sweep.h"

#include <algorithm>
#include <boost/mpi/communicator.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gridcast/evaluate/bounds.h"
#include "gridcast/evaluate/evaluator.h"
#include "gridcast/farm/farmed.h"
#include "gridcast/farm/shared_bytes.h"
#include "session.h"

namespace gridcast::sweep {
namespace {

class FarmedSweep final : public Farmed {
public:
  explicit FarmedSweep(const SweepSettings& settings) : settings_(&settings) {}

  Job& open(const StopSignals& signals, double begin, int ranks) override {
    inputs_ = read_inputs(*settings_);
    return session_.emplace(*settings_, inputs_, signals, begin, ranks);
  }

  void share(const boost::mpi::communicator& world) override {
    const bool has_all = world.rank() == 0;
    std::vector<std::span<const std::byte>> blocks;
    const std::string cluster = has_all ? inputs_.cluster.text() : std::string();
    const std::string options = has_all ? inputs_.resolved.text() : std::string();
    if (has_all) {
      blocks = {inputs_.script.pack(), std::as_bytes(std::span(cluster)),
                std::as_bytes(std::span(options))};
    }
    shared_.emplace(world, blocks);
    // From here on the script of rank 0, too, is the copy of its node.
    inputs_.script = model::Script::attach(shared_->block(0));
    if (!has_all) {
      inputs_.cluster =
          machine::Cluster::parse(std::string(shared_->text(1)), settings_->machine.string());
      inputs_.clusters = {inputs_.cluster, settings_->questions.threads};
      inputs_.resolved = model::ResolvedOptions::parse(std::string(shared_->text(2)));
    }
  }

  [[nodiscard]] Evaluate evaluate() override {
    const model::ModelOptions& options = inputs_.resolved.options;
    const std::size_t intervals =
        settings_->intervals ? inputs_.script.tables().intervals.size() : 0;
    const search::SearchSpaces spaces = search_spaces(*settings_, inputs_);
    workers_.reserve(spaces.size());
    for (const search::SearchSpace& space : spaces) {
      const machine::Cluster& cluster = inputs_.clusters.of(space.threads);
      workers_.push_back({space.threads,
                          {inputs_.script, cluster, options, settings_->intervals},
                          {{inputs_.script, cluster, options, settings_->margin},
                           space.max_processors,
                           intervals}});
    }
    return [this](const Task& task, Results& results) {
      Worker& worker = *std::ranges::find(workers_, task.grid.threads(), &Worker::threads);
      if (task.bounds != 0) {
        worker.bounder(task, results);
      } else {
        worker.evaluator(task.grid, results);
      }
    };
  }

  int finish() override {
    session_->finish();
    if (settings_->best_html && session_->outcome().best) {
      session_->describe_best(inputs_);
    }
    return session_->outcome().exit_code;
  }

  [[nodiscard]] SweepOutcome run() {
    return run_by_itself<SweepOutcome>(
        *this, [&](SweepOutcome& outcome) { announce(outcome, session_->outcome()); });
  }

  [[nodiscard]] SweepOutcome run(const boost::mpi::communicator& world) {
    return run_together<SweepOutcome>(
        *this, {settings_->lease_seconds, settings_->group_size, settings_->max_batch}, world,
        [&](SweepOutcome& outcome) { announce(outcome, session_->outcome()); });
  }

private:
  /// Evaluates grids of one number of threads.
  struct Worker {
    std::int32_t threads = 1;
    Evaluator evaluator;
    Bounder bounder;
  };

  const SweepSettings* settings_;
  std::optional<SharedBytes> shared_;
  Inputs inputs_;
  std::optional<Session> session_;
  std::vector<Worker> workers_;
};

}  // namespace

SweepOutcome run_sweep(const SweepSettings& settings) { return FarmedSweep(settings).run(); }

SweepOutcome run_sweep(const SweepSettings& settings, const boost::mpi::communicator& world) {
  if (world.size() == 1) {
    return run_sweep(settings);
  }
  return run_side<SweepOutcome>([&] { return FarmedSweep(settings).run(world); }, world);
}

int run_sweep_program(const SweepSettings& settings, const Finish& finish) {
  return run_program<SweepOutcome>(
      settings.watch, [&] { return run_sweep(settings); },
      [&](const boost::mpi::communicator& world) { return run_sweep(settings, world); }, finish);
}

}  // namespace gridcast::sweep
