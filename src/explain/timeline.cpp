#include "gridcast/explain/timeline.h"

#include <algorithm>
#include <array>

#include "activities.h"
#include "gridcast/base/readable.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/rules/observer.h"

namespace gridcast::model {
namespace {

/// Ends a recording that would be too long.
struct TooManyPhases {};

class Recorder final : public Observer {
public:
  Recorder(const Script& script, std::size_t most, Timeline& result)
      : most_(most), result_(&result) {
    const auto& tables = script.tables();
    for (const PlaceSpec& place : tables.places) {
      result.places.push_back(std::string(script.text(place.file)) + ":" +
                              std::to_string(place.line));
    }
    const IntervalSpec& program = tables.intervals.front();
    result.places.push_back(std::string(script.text(program.file)) + ":" +
                            std::to_string(program.line));
    place_ = whole();
  }

  void started(const machine::ProcessorSystem&, const machine::Grid& grid) override {
    result_->processors = static_cast<std::size_t>(grid.processors());
    clocks_.assign(result_->processors, 0.0);
    last_.assign(result_->processors, none);
  }
  void operation(const Op& op) override {
    place_ = op.place == none ? whole() : op.place;
    activity_ = activity_of(op);
  }
  void worked(std::size_t processor, Work work, double seconds, double) override {
    const Activity activity = activity_of(work, activity_);
    add(processor, activity,
        work == Work::computing ? Doing::computing
        : work == Work::io      ? Doing::io
                                : Doing::library,
        seconds);
  }
  void waited(std::size_t processor, std::size_t, double seconds) override {
    add(processor, activity_, Doing::waiting, seconds);
  }
  void met(std::span<const std::uint32_t> processors, std::size_t last) override {
    // Equal clocks stay equal in spite of rounding.
    for (const std::uint32_t p : processors) {
      clocks_[p] = clocks_[last];
      if (last_[p] != none) {
        result_->phases[last_[p]].end = clocks_[p];
      }
    }
  }
  void paid(std::size_t processor, double seconds) override {
    add(processor, activity_, Doing::communicating, seconds);
  }
  void transferred(std::size_t processor, double seconds, const Transfers&, double) override {
    add(processor, activity_, Doing::communicating, seconds);
  }
  void delivered(std::size_t processor, double seconds, const Delivery&) override {
    add(processor, activity_, Doing::communicating, seconds);
  }
  void pipelined(std::size_t processor, double fill, double edges) override {
    add(processor, activity_, Doing::pipeline, fill + edges);
  }
  void finished(std::span<const double> clocks) override {
    place_ = whole();
    const double end = *std::max_element(clocks.begin(), clocks.end());
    result_->execution_time = end;
    for (std::size_t p = 0; p < clocks.size(); ++p) {
      if (clocks[p] < end) {
        add(p, Activity::program, Doing::idle, end - clocks_[p]);
      }
      if (last_[p] != none) {
        result_->phases[last_[p]].end = end;
      }
    }
  }

private:
  [[nodiscard]] std::uint32_t whole() const noexcept {
    return static_cast<std::uint32_t>(result_->places.size() - 1);
  }

  void add(std::size_t processor, Activity activity, Doing doing, double seconds) {
    if (!(seconds > 0.0)) {
      return;
    }
    double& clock = clocks_[processor];
    const double begin = clock;
    clock += seconds;
    std::uint32_t& last = last_[processor];
    if (last != none) {
      Phase& phase = result_->phases[last];
      if (phase.place == place_ && phase.activity == activity && phase.doing == doing) {
        phase.end = clock;
        return;
      }
    }
    if (result_->phases.size() == most_) {
      throw TooManyPhases{};
    }
    last = static_cast<std::uint32_t>(result_->phases.size());
    result_->phases.push_back(
        {static_cast<std::uint32_t>(processor), place_, activity, doing, begin, clock});
  }

  std::size_t most_;
  Timeline* result_;
  std::vector<double> clocks_;
  std::vector<std::uint32_t> last_;  // phase of each processor
  std::uint32_t place_ = 0;
  Activity activity_ = Activity::program;
};

std::string too_many(const machine::Grid& grid, std::size_t most) {
  return "the run on " + counted(grid.processors(), "processor") + " has more than " +
         counted(static_cast<std::int64_t>(most), "phase");
}

}  // namespace

const char* name(Doing doing) noexcept {
  constexpr std::array<const char*, doing_count> names{
      "computing", "library", "io", "communicating", "pipeline", "waiting", "idle"};
  return names[static_cast<std::size_t>(doing)];
}

Timeline record_timeline(const Script& places, const machine::Cluster& cluster,
                         const machine::Grid& grid, const ModelOptions& options, std::size_t most) {
  Timeline result;
  if (grid.processors() > static_cast<std::int64_t>(most)) {
    result.omitted = too_many(grid, most);
    return result;
  }
  ModelOptions reference = options;
  reference.engine = EngineKind::reference;
  reference.extrapolate_iterations = false;
  reference.iterations = 0;
  try {
    Recorder recorder(places, most, result);
    Predictor(places, cluster, reference).observe(grid, recorder);
  } catch (const TooManyPhases&) {
    result = {};
    result.omitted = too_many(grid, most);
  }
  return result;
}

}  // namespace gridcast::model
