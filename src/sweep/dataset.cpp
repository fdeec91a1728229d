#include "gridcast/sweep/dataset.h"

#include <spdlog/spdlog.h>

#include <boost/mpi/communicator.hpp>
#include <functional>
#include <memory>
#include <utility>

#include "dataset_job.h"
#include "idle.h"
#include "ranks.h"
#include "shared_bytes.h"

namespace gridcast::sweep {
namespace {

/// Everything of the inputs that other ranks do not read from the design file, one copy per node.
class SharedInputs {
public:
  /// Collective; the scripts and machines of rank 0 count. The inputs of each rank, rank 0's too,
  /// then use the copy of the node.
  SharedInputs(const boost::mpi::communicator& world, DatasetInputs& inputs) : world_(&world) {
    const bool has_all = world.rank() == 0;
    const std::size_t scripts = agreed(has_all ? inputs.scripts.size() : 0);
    const std::size_t clusters = agreed(has_all ? inputs.clusters.size() : 0);
    inputs.scripts.resize(scripts);
    for (model::Script& script : inputs.scripts) {
      shared_.push_back(std::make_unique<SharedBytes>(world, script.pack()));
      script = model::Script::attach(shared_.back()->bytes());
    }
    inputs.clusters.resize(clusters);
    for (machine::Cluster& cluster : inputs.clusters) {
      const std::string text = broadcast_text(world, has_all ? cluster.text() : std::string());
      if (!has_all) {
        cluster = machine::Cluster::parse(text, "machine");
      }
    }
  }

  void abandon() noexcept {
    for (const auto& bytes : shared_) {
      bytes->abandon();
    }
  }

private:
  [[nodiscard]] std::size_t agreed(std::size_t number) const {
    return std::stoul(broadcast_text(*world_, std::to_string(number)));
  }

  const boost::mpi::communicator* world_;
  std::vector<std::unique_ptr<SharedBytes>> shared_;
};

void log_warnings(const ReadDataset& read) {
  for (const std::string& warning : read.warnings) {
    spdlog::warn("{}", warning);
  }
}

void take_outcome(DatasetOutcome& outcome, const DatasetJob& job) {
  outcome = job.outcome();
  if (!outcome.message.empty()) {
    print_line(outcome.message);
  }
}

DatasetOutcome run_rank_0(const DatasetSettings& settings, const boost::mpi::communicator& world) {
  const double begin = seconds_now();
  const StopSignals signals(StopSignals::Reaction::request);
  DatasetOutcome outcome;
  ReadDataset read;
  std::unique_ptr<DatasetJob> job;
  guarded(outcome, [&] {
    read = read_dataset(settings);
    log_warnings(read);
    job = std::make_unique<DatasetJob>(settings, read, signals, begin, world.size());
  });
  send_ready(world, outcome.exit_code);
  if (outcome.exit_code != 0) {
    return outcome;
  }
  SharedInputs shared(world, read.inputs);
  SchedulerOptions options;
  options.lease_seconds = settings.lease_seconds;
  MasterEnd end;
  guarded(outcome, [&] {
    DatasetEvaluator evaluator(read.inputs);
    run_master(
        world, *job, std::ref(evaluator), options,
        [&] {
          job->finish();
          return job->outcome().exit_code;
        },
        end);
    take_outcome(outcome, *job);
  });
  outcome.lost_ranks = end.lost_ranks;
  outcome.unreachable_ranks = end.unreachable;
  if (end.lost_ranks) {
    shared.abandon();
  }
  return outcome;
}

DatasetOutcome run_other_rank(const DatasetSettings& settings,
                              const boost::mpi::communicator& world) {
  const StopSignals signals(StopSignals::Reaction::ignore);
  DatasetOutcome outcome;
  outcome.exit_code = wait_for_ready(world);
  if (outcome.exit_code != 0) {
    return outcome;
  }
  DatasetInputs inputs{effective_design(settings), {}, {}};
  SharedInputs shared(world, inputs);
  DatasetEvaluator evaluator(inputs);
  const WorkerEnd end = run_worker(world, std::ref(evaluator));
  outcome.exit_code = end.exit_code;
  outcome.lost_ranks = end.lost_ranks;
  if (end.lost_ranks) {
    shared.abandon();
  }
  return outcome;
}

}  // namespace

DatasetOutcome run_dataset(const DatasetSettings& settings) {
  const double begin = seconds_now();
  const StopSignals signals(StopSignals::Reaction::request);
  DatasetOutcome outcome;
  guarded(outcome, [&] {
    const ReadDataset read = read_dataset(settings);
    log_warnings(read);
    DatasetJob job(settings, read, signals, begin, 1);
    DatasetEvaluator evaluator(read.inputs);
    run_alone(job, std::ref(evaluator));
    job.finish();
    take_outcome(outcome, job);
  });
  return outcome;
}

int run_dataset_program(const DatasetSettings& settings,
                        const std::function<int(const DatasetOutcome&)>& finish) {
  const auto together = [&](const boost::mpi::communicator& world) {
    return run_side<DatasetOutcome>(
        world, [&] { return run_rank_0(settings, world); },
        [&] { return run_other_rank(settings, world); });
  };
  return run_program<DatasetOutcome>([&] { return run_dataset(settings); }, together, finish);
}

}  // namespace gridcast::sweep
