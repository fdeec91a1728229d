#include "gridcast/sweep/dataset.h"

#include <spdlog/spdlog.h>

#include <boost/mpi/communicator.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "dataset_job.h"
#include "gridcast/farm/farmed.h"
#include "gridcast/farm/shared_bytes.h"

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
    inputs.options.resize(scripts);
    for (model::ModelOptions& options : inputs.options) {
      model::ResolvedOptions resolved;
      resolved.options = options;
      options = model::ResolvedOptions::parse(broadcast_text(world, resolved.text())).options;
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

class FarmedDataset final : public Farmed {
public:
  explicit FarmedDataset(const DatasetSettings& settings) : settings_(&settings) {}

  Job& open(const StopSignals& signals, double begin, int ranks) override {
    read_ = read_dataset(*settings_);
    for (const std::string& warning : read_.warnings) {
      spdlog::warn("{}", warning);
    }
    return job_.emplace(*settings_, read_, signals, begin, ranks);
  }

  void share(const boost::mpi::communicator& world) override {
    if (world.rank() != 0) {
      read_.inputs.design = effective_design(*settings_);
    }
    shared_.emplace(world, read_.inputs);
  }

  void abandon() noexcept override {
    if (shared_) {
      shared_->abandon();
    }
  }

  [[nodiscard]] Evaluate evaluate() override { return std::ref(evaluator_.emplace(read_.inputs)); }

  int finish() override {
    job_->finish();
    return job_->outcome().exit_code;
  }

  [[nodiscard]] DatasetOutcome run() {
    return run_by_itself<DatasetOutcome>(
        *this, [&](DatasetOutcome& outcome) { announce(outcome, job_->outcome()); });
  }

  [[nodiscard]] DatasetOutcome run(const boost::mpi::communicator& world) {
    return run_together<DatasetOutcome>(
        *this, {settings_->lease_seconds, settings_->group_size}, world,
        [&](DatasetOutcome& outcome) { announce(outcome, job_->outcome()); });
  }

private:
  const DatasetSettings* settings_;
  std::optional<SharedInputs> shared_;
  ReadDataset read_;
  std::optional<DatasetJob> job_;
  std::optional<DatasetEvaluator> evaluator_;
};

}  // namespace

DatasetOutcome run_dataset(const DatasetSettings& settings) {
  return FarmedDataset(settings).run();
}

DatasetOutcome run_dataset(const DatasetSettings& settings, const boost::mpi::communicator& world) {
  if (world.size() == 1) {
    return run_dataset(settings);
  }
  return run_side<DatasetOutcome>([&] { return FarmedDataset(settings).run(world); }, world);
}

int run_dataset_program(const DatasetSettings& settings,
                        const std::function<int(const DatasetOutcome&)>& finish) {
  return run_program<DatasetOutcome>(
      [&] { return run_dataset(settings); },
      [&](const boost::mpi::communicator& world) { return run_dataset(settings, world); }, finish);
}

}  // namespace gridcast::sweep
