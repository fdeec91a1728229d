#include "gridcast/sweep/dataset.h"

#include <spdlog/spdlog.h>

#include <boost/mpi/communicator.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dataset_job.h"
#include "gridcast/farm/farmed.h"
#include "gridcast/farm/shared_bytes.h"

namespace gridcast::sweep {
namespace {

/// Everything of the inputs that other ranks do not read from the design file, one copy per node:
/// the scripts, the texts of their options, then those of the machines.
class SharedInputs {
public:
  /// All ranks call it; the scripts and machines of rank 0 count. The inputs of each rank, rank 0's
  /// too, then use the copy of the node.
  SharedInputs(const boost::mpi::communicator& world, DatasetInputs& inputs)
      : shared_(world, blocks_of(world, inputs)) {
    const std::uint64_t scripts = *reinterpret_cast<const std::uint64_t*>(shared_.block(0).data());
    inputs.scripts.resize(scripts);
    for (std::size_t i = 0; i < scripts; ++i) {
      inputs.scripts[i] = model::Script::attach(shared_.block(1 + i));
    }
    if (world.rank() != 0) {
      for (std::size_t i = 0; i < scripts; ++i) {
        const std::string options(shared_.text(1 + scripts + i));
        inputs.options.push_back(model::ResolvedOptions::parse(options).options);
      }
      for (std::size_t i = 1 + 2 * scripts; i < shared_.size(); ++i) {
        inputs.clusters.push_back(machine::Cluster::parse(std::string(shared_.text(i)), "machine"));
      }
    }
  }

private:
  [[nodiscard]] std::vector<std::span<const std::byte>> blocks_of(
      const boost::mpi::communicator& world, DatasetInputs& inputs) {
    std::vector<std::span<const std::byte>> blocks;
    if (world.rank() != 0) {
      return blocks;
    }
    count_ = inputs.scripts.size();
    blocks.push_back(std::as_bytes(std::span(&count_, 1)));
    for (model::Script& script : inputs.scripts) {
      blocks.push_back(script.pack());
    }
    texts_.reserve(inputs.options.size() + inputs.clusters.size());
    for (const model::ModelOptions& options : inputs.options) {
      model::ResolvedOptions resolved;
      resolved.options = options;
      blocks.push_back(std::as_bytes(std::span(texts_.emplace_back(resolved.text()))));
    }
    for (const machine::Cluster& cluster : inputs.clusters) {
      blocks.push_back(std::as_bytes(std::span(texts_.emplace_back(cluster.text()))));
    }
    return blocks;
  }

  std::uint64_t count_ = 0;  ///< of scripts
  std::vector<std::string> texts_;
  SharedBytes shared_;
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
      settings.watch, [&] { return run_dataset(settings); },
      [&](const boost::mpi::communicator& world) { return run_dataset(settings, world); }, finish);
}

}  // namespace gridcast::sweep
