#include "gridcast/free/free_processes.h"

#include <fmt/format.h>

#include "free_clocks.h"
#include "free_simulation.h"

namespace gridcast::model {

class FreeProcesses::Run {
public:
  Run(const Script& script, const ModelOptions& options, GridDetails& details,
      Interruption& interruption)
      : script_(&script),
        details_(&details),
        clocks_(script, options, details, ledger_),
        simulation_(interruption) {}

  std::span<IntervalSums> operator()(const machine::Grid& grid, bool per_processor,
                                     Observer* observer = nullptr) {
    const FreeProgram& program = clocks_.write(begin(grid, per_processor));
    if (observer != nullptr) {
      observer->started(details_->system(), grid);
    }
    simulation_.run(program, details_->networks(), ledger_, observer);
    return ledger_.sums();
  }

  double least(const machine::Grid& grid) {
    const FreeProgram& program = clocks_.write_least(begin(grid, false));
    return simulation_.least(program, details_->networks(), ledger_);
  }

  [[nodiscard]] const Ledger& ledger() const noexcept { return ledger_; }
  [[nodiscard]] const FreeClocks::Left& left() const noexcept { return clocks_.left(); }

private:
  /// The number of processes.
  std::size_t begin(const machine::Grid& grid, bool per_processor) {
    details_->reset(grid);
    const auto processes = static_cast<std::size_t>(grid.processors());
    ledger_.reset(*script_, processes, per_processor);
    return processes;
  }

  const Script* script_;
  GridDetails* details_;
  Ledger ledger_;
  FreeClocks clocks_;
  FreeSimulation simulation_;
};

FreeProcesses::FreeProcesses(const Script& script, const ModelOptions& options,
                             GridDetails& details, Interruption& interruption)
    : run_(std::make_unique<Run>(script, options, details, interruption)) {}
FreeProcesses::~FreeProcesses() = default;
FreeProcesses::FreeProcesses(FreeProcesses&&) noexcept = default;
FreeProcesses& FreeProcesses::operator=(FreeProcesses&&) noexcept = default;

std::span<IntervalSums> FreeProcesses::run(const machine::Grid& grid, bool per_processor) {
  return (*run_)(grid, per_processor);
}

double FreeProcesses::least(const machine::Grid& grid) { return run_->least(grid); }

void FreeProcesses::observe(const machine::Grid& grid, Observer& observer) {
  (*run_)(grid, false, &observer);
}

const Ledger& FreeProcesses::ledger() const noexcept { return run_->ledger(); }

std::vector<std::string> FreeProcesses::notes() const {
  const FreeClocks::Left& left = run_->left();
  if (!(left.simulated < left.all)) {
    return {};
  }
  return {fmt::format(
      "{:.0f} of {:.0f} iterations were simulated; each of the others costs the mean of the last "
      "of them (--iterations=all simulates all)",
      left.simulated, left.all)};
}

}  // namespace gridcast::model
