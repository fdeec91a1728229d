#include "engine.h"

#include <algorithm>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/rules/idle_dimensions.h"
#include "gridcast/rules/shape_notes.h"

namespace gridcast::model {

Predictor::Engine::Engine(const Script& script, const machine::Cluster& cluster,
                          const ModelOptions& options)
    : script_(&script),
      cluster_(&cluster),
      options_(options),
      shortened_(options.extrapolate_iterations ? std::make_optional<ShortenedScript>(script)
                                                : std::nullopt),
      details_(shorter(), cluster, options, interruption_),
      by_processors_(shorter(), options, details_, interruption_) {
  if (options.processes == ProcessKind::free) {
    free_ = std::make_unique<FreeProcesses>(shorter(), options, details_, interruption_);
  } else if (options.engine == EngineKind::fast) {
    by_classes_ =
        std::make_unique<ClassPredictor>(shorter(), cluster, options, details_, interruption_);
  }
}

Predictor::Engine& Predictor::Engine::in_full() {
  if (!shortened_) {
    return *this;
  }
  if (!in_full_) {
    ModelOptions all = options_;
    all.extrapolate_iterations = false;
    in_full_ = std::make_unique<Engine>(*script_, *cluster_, all);
  }
  in_full_->ask(give_up_);
  return *in_full_;
}

void Predictor::Engine::ask(GiveUp give_up) noexcept {
  give_up_ = give_up;
  interruption_.ask(give_up);
}

void Predictor::Engine::run(const machine::Grid& grid, bool per_processor) {
  fallback_.clear();
  if (free_) {
    sums_ = free_->run(grid, per_processor);
    return;
  }
  if (per_processor) {
    fallback_ = "figures of single processors";
  } else if (by_classes_ && details_.displaced()) {
    fallback_ = "grid coordinates that fill nodes by " + placement_.text(grid.rank());
  } else if (by_classes_) {
    fallback_ = by_classes_->evaluate(grid, sums_);
    if (fallback_.empty()) {
      return;
    }
  }
  sums_ = by_processors_.run(grid, per_processor);
}

void Predictor::Engine::evaluate_here(const machine::Grid& grid, bool per_processor) {
  run(grid, per_processor);
  const bool told = !shortened_ || shortened_->expand(sums_);
  const auto intervals = script_->tables().intervals;
  results_.resize(intervals.size());
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    results_[i] = characteristics(sums_[i], static_cast<double>(grid.processors()), intervals[i]);
  }
  doubtful_ = doubtful_ || !told || (shortened_ && !possible(results_));
}

std::span<const Characteristics> Predictor::Engine::evaluate(const machine::Grid& grid) {
  doubtful_ = false;
  if (options_.placement.kind == machine::Placement::Kind::search) {
    search_placement(grid);
  } else {
    place(grid);
    evaluate_here(grid, false);
  }
  return doubtful_ ? in_full().evaluate(grid) : results_;
}

void Predictor::Engine::observe(const machine::Grid& grid, Observer& observer) {
  if (shortened_) {
    in_full().observe(grid, observer);
    return;
  }
  place(grid);
  if (free_) {
    free_->observe(grid, observer);
  } else {
    by_processors_.observe(grid, observer);
  }
}

Prediction Predictor::Engine::predict(const machine::Grid& grid, bool per_processor) {
  place(grid);
  doubtful_ = false;
  evaluate_here(grid, per_processor);
  if (!doubtful_) {
    return describe(grid, per_processor);
  }
  Prediction prediction = in_full().predict(grid, per_processor);
  for (std::string& note : shortened_->notes(true)) {
    prediction.warnings.push_back(std::move(note));
  }
  return prediction;
}

Prediction Predictor::Engine::describe(const machine::Grid& grid, bool per_processor) {
  Prediction prediction;
  prediction.grid = grid;
  prediction.machine = cluster_->name();
  prediction.recording = script_->header().recording;
  prediction.warnings = notes();  // of the run
  if (const std::optional<std::string> idle = idle_dimensions(*script_, grid)) {
    prediction.warnings.insert(prediction.warnings.begin(), *idle);
  }
  if (!script_->tables().shapes.empty()) {
    for (std::string& note : extrapolated_shapes(details_.mapping())) {
      prediction.warnings.push_back(std::move(note));
    }
  }
  tell_placement(prediction);
  std::vector<std::vector<ProcessorTimes>> times(sums_.size());
  if (per_processor) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      times[i] = this->times(i);
    }
    if (shortened_) {
      shortened_->expand(times);
    }
  }
  for (std::size_t i = 0; i < results_.size(); ++i) {
    IntervalResult& result = prediction.intervals.emplace_back();
    result.info = info(i);
    result.sums = results_[i];
    result.pipelined = sums_[i].pipelined;
    result.time_variations = sums_[i].variations;
    result.per_processor = std::move(times[i]);
  }
  return prediction;
}

std::vector<ProcessorTimes> Predictor::Engine::times(std::size_t interval) const {
  return free_ ? free_->ledger().times(interval) : by_processors_.ledger().times(interval);
}

IntervalInfo Predictor::Engine::info(std::size_t interval) const {
  const IntervalSpec& spec = script_->tables().intervals[interval];
  IntervalInfo info;
  info.parent = spec.parent;
  info.level = spec.level;
  info.type = spec.type;
  info.count = spec.count;
  info.file = script_->text(spec.file);
  info.line = spec.line;
  if (spec.has_expression) {
    info.expression = spec.expression;
  }
  return info;
}

std::vector<std::string> Predictor::Engine::notes() const {
  std::vector<std::string> notes;
  if (last().details_.interpolated_lengths()) {
    notes.emplace_back(
        "block lengths (genblk_) were interpolated: the trace gives them for another number of "
        "processors");
  }
  if (free_) {
    for (std::string& note : free_->notes()) {
      notes.push_back(std::move(note));
    }
  }
  if (shortened_) {
    for (std::string& note : shortened_->notes(doubtful_)) {
      notes.push_back(std::move(note));
    }
  }
  return notes;
}

// --- the outside
// -----------------------------------------------------------------------------------------

Predictor::Predictor(const Script& script, const machine::Cluster& cluster,
                     const ModelOptions& options)
    : engine_(std::make_unique<Engine>(script, cluster, options)) {}
Predictor::~Predictor() = default;
Predictor::Predictor(Predictor&&) noexcept = default;
Predictor& Predictor::operator=(Predictor&&) noexcept = default;

std::span<const Characteristics> Predictor::evaluate(const machine::Grid& grid) {
  return engine_->evaluate(grid);
}

Prediction Predictor::predict(const machine::Grid& grid, bool per_processor) {
  return engine_->predict(grid, per_processor);
}

void Predictor::ask(GiveUp give_up) noexcept { engine_->ask(give_up); }

void Predictor::observe(const machine::Grid& grid, Observer& observer) {
  engine_->observe(grid, observer);
}

const std::string& Predictor::fallback() const noexcept { return engine_->fallback(); }

const machine::Placement& Predictor::placement() const noexcept { return engine_->placement(); }

}  // namespace gridcast::model
