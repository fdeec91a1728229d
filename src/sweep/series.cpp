#include "gridcast/sweep/series.h"

#include <algorithm>
#include <boost/mpi/communicator.hpp>

#include "gridcast/farm/idle.h"
#include "gridcast/farm/ranks.h"
#include "gridcast/sweep/sweep.h"

namespace gridcast::sweep {
namespace {

template <class Outcome>
void add_to(SeriesOutcome& all, const Outcome& one) {
  all.exit_code = one.exit_code;
  all.message = one.message;
  all.lost_ranks = all.lost_ranks || one.lost_ranks;
  all.unreachable_ranks = all.unreachable_ranks || one.unreachable_ranks;
  all.completed += one.exit_code == 0 ? 1 : 0;
}

/// The run with what is left of the time for all of them.
SeriesRun with_rest_of_time(SeriesRun run, double begin) {
  std::visit(
      [begin](auto& settings) {
        if (settings.time_limit) {
          settings.time_limit = std::max(0.0, *settings.time_limit - (seconds_now() - begin));
        }
      },
      run);
  return run;
}

/// `world` is null if this process is alone.
SeriesOutcome run_series(const std::vector<SeriesRun>& runs,
                         const boost::mpi::communicator* world) {
  SeriesOutcome outcome;
  const double begin = seconds_now();
  for (const SeriesRun& each : runs) {
    const SeriesRun run = with_rest_of_time(each, begin);
    if (const auto* sweep = std::get_if<SweepSettings>(&run)) {
      add_to(outcome, world == nullptr ? run_sweep(*sweep) : run_sweep(*sweep, *world));
    } else {
      const auto& dataset = std::get<DatasetSettings>(run);
      add_to(outcome, world == nullptr ? run_dataset(dataset) : run_dataset(dataset, *world));
    }
    if (outcome.exit_code != 0 || outcome.lost_ranks) {
      break;
    }
  }
  return outcome;
}

}  // namespace

int run_series_program(const WatchLimits& limits, const std::vector<SeriesRun>& runs,
                       const std::function<int(const SeriesOutcome&)>& finish) {
  return run_program<SeriesOutcome>(
      limits, [&] { return run_series(runs, nullptr); },
      [&](const boost::mpi::communicator& world) { return run_series(runs, &world); }, finish);
}

}  // namespace gridcast::sweep
