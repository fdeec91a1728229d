/// Set-up of a prediction, communications and shares; the time rules are in rules.cpp.

#include "engine.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/rules/idle_dimensions.h"
#include "gridcast/rules/shape_notes.h"

namespace gridcast::model {

namespace {

/// Networks remember at least this many periods before the past is looked through.
constexpr std::size_t least_periods = 64;

/// Messages and ends of communications that are kept at a time, about; 16 and 8 bytes each.
constexpr std::size_t most_kept = std::size_t{1} << 21;

}  // namespace

Predictor::Engine::Engine(const Script& script, const machine::Cluster& cluster,
                          const ModelOptions& options)
    : script_(&script),
      cluster_(&cluster),
      options_(options),
      mapping_(script, options),
      builder_(mapping_),
      pipeline_(mapping_) {
  timed_.resize(script.tables().communications.size());
  shares_.resize(script.tables().placements.size());
  pending_.resize(script.header().tokens);
  if (options.engine == EngineKind::fast) {
    by_classes_ = std::make_unique<ClassPredictor>(script, cluster, options);
  }
  // Costs of the run-time library are simulated call by call: sampling knows nothing of them.
  if (options.extrapolate_iterations && cluster.library() == machine::LibraryCosts{}) {
    repetitions_ = find_repetitions(script.tables().ops);
  }
}

void Predictor::Engine::prepare(const machine::Grid& grid) {
  processors_ = static_cast<std::size_t>(grid.processors());
  expand(grid);
  if (networks_.empty()) {
    networks_.emplace_back(system());
  }
  networks_.front().reset(grid);
  mapping_.reset(grid, system());
  const bool large = kept_ > most_kept / 2;  // or their memory stays for the next grid
  kept_ = 0;
  for (Timed& timed : timed_) {
    if (large) {
      timed = Timed{};
    }
    timed.ready = false;
    timed.written_ready = false;
  }
  for (Share& share : shares_) {
    share.ready = false;
  }
  portion_shares_.clear();
  broadcasts_.clear();
  clock_.assign(processors_, 0.0);
  busy_.assign(processors_, 0.0);
  ends_.assign(processors_, 0.0);
  inverse_.resize(processors_);
  for (std::size_t p = 0; p < processors_; ++p) {
    inverse_[p] = 1.0 / system().performance[p];
  }
  pending_work_ = 0.0;
  period_limit_ = least_periods;
}

bool Predictor::Engine::evaluate_by_classes(const machine::Grid& grid) {
  fallback_.clear();
  if (!by_classes_) {
    return false;
  }
  if (displaced()) {
    fallback_ = "grid coordinates that fill nodes by " + placement_.text(grid.rank());
    return false;
  }
  const std::vector<Characteristics>* const results = by_classes_->evaluate(grid);
  if (results == nullptr) {
    fallback_ = by_classes_->reason();
    return false;
  }
  results_.assign(results->begin(), results->end());
  return true;
}

void Predictor::Engine::evaluate_here(const machine::Grid& grid) {
  if (evaluate_by_classes(grid)) {
    return;
  }
  prepare(grid);
  ledger_.reset(*script_, processors_, false);
  run(repetitions_);
}

std::span<const Characteristics> Predictor::Engine::evaluate(const machine::Grid& grid) {
  if (options_.placement.kind == machine::Placement::Kind::search) {
    search_placement(grid);
  } else {
    place(grid);
    evaluate_here(grid);
  }
  return results_;
}

void Predictor::Engine::observe(const machine::Grid& grid, Observer& observer) {
  place(grid);
  prepare(grid);
  ledger_.reset(*script_, processors_, false);
  observer.started(system(), grid);
  observer_ = &observer;
  try {
    run({});
  } catch (...) {
    observer_ = nullptr;
    throw;
  }
  observer_ = nullptr;
  observer.finished(clock_);
}

Prediction Predictor::Engine::predict(const machine::Grid& grid, bool per_processor) {
  place(grid);
  const bool by_classes = !per_processor && evaluate_by_classes(grid);
  if (!by_classes) {
    prepare(grid);
    ledger_.reset(*script_, processors_, per_processor);
    if (per_processor) {
      fallback_ = "figures of single processors";
    }
    run(repetitions_);
  }
  Prediction prediction;
  prediction.grid = grid;
  prediction.machine = cluster_->name();
  prediction.recording = script_->header().recording;
  prediction.warnings = notes();  // of the run above
  if (const std::optional<std::string> idle = idle_dimensions(*script_, grid)) {
    prediction.warnings.insert(prediction.warnings.begin(), *idle);
  }
  for (std::string& note : extrapolated_shapes(mapping_)) {
    prediction.warnings.push_back(std::move(note));
  }
  tell_placement(prediction);
  const auto intervals = script_->tables().intervals;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const IntervalSpec& spec = intervals[i];
    IntervalResult result;
    result.info.parent = spec.parent;
    result.info.level = spec.level;
    result.info.type = spec.type;
    result.info.count = spec.count;
    result.info.file = script_->text(spec.file);
    result.info.line = spec.line;
    if (spec.has_expression) {
      result.info.expression = spec.expression;
    }
    result.sums = results_[i];
    result.pipelined = by_classes ? by_classes_->pipelined(i) : ledger_.pipelined(i);
    result.time_variations = by_classes ? by_classes_->variations(i) : ledger_.variations(i);
    if (per_processor) {
      result.per_processor = ledger_.times(i);
    }
    prediction.intervals.push_back(std::move(result));
  }
  return prediction;
}

std::vector<std::string> Predictor::Engine::notes() const {
  std::vector<std::string> notes;
  if (by_classes_ && fallback_.empty()) {
    return notes;  // neither happens there
  }
  if (mapping_.interpolated_lengths()) {
    notes.emplace_back(
        "block lengths (genblk_) were interpolated: the trace gives them for another number of "
        "processors");
  }
  for (std::string& note : loop_figures_.notes(script_->tables().ops.size())) {
    notes.push_back(std::move(note));
  }
  return notes;
}

// --- the current processor system
// ----------------------------------------------------------------------

void Predictor::Engine::enter(std::uint32_t view) {
  flush();
  current_ = view;
  members_ = mapping_.view(view).processors();
  contiguous_ = members_.back() - members_.front() + 1 == members_.size();
  inverse_sum_ = 0.0;
  for (const std::uint32_t p : members_) {
    inverse_sum_ += inverse_[p];
  }
  const auto count = static_cast<double>(members_.size());
  idle_part_ = (count - 1.0) / count;
  mean_inverse_ = inverse_sum_ / count;
  ledger_.involve(members_);
}

void Predictor::Engine::flush() {
  if (pending_work_ == 0.0) {
    return;
  }
  for_each_current([&](std::size_t p, std::size_t) {
    const double time = pending_work_ * inverse_[p];
    clock_[p] += time;
    busy_[p] += time;
  });
  pending_work_ = 0.0;
}

double Predictor::Engine::latest() {
  flush();
  double latest = 0.0;
  for_each_current([&](std::size_t p, std::size_t) { latest = std::max(latest, clock_[p]); });
  return latest;
}

std::size_t Predictor::Engine::last_processor() {
  std::size_t last = members_.front();
  for_each_current([&](std::size_t p, std::size_t) { last = clock_[p] > clock_[last] ? p : last; });
  return last;
}

// --- communications
// --------------------------------------------------------------------------------------

void Predictor::Engine::time_transfers(Timed& timed) {
  timed.ready = true;
  timed.silent = timed.transfers.communication.empty() && !timed.transfers.fixed_time;
  timed.profile.uses.clear();
  timed.profile.overheads.clear();
  if (timed.transfers.fixed_time) {
    timed.profile.ends.assign(processors_, *timed.transfers.fixed_time);
    return;
  }
  if (timed.silent) {
    return;
  }
  // On networks of its own: those of the run may be taken.
  idle_networks().profile(timed.transfers.communication, ends_, timed.profile);
}

network::Networks& Predictor::Engine::idle_networks() {
  if (networks_.size() == 1) {
    networks_.emplace_back(system());
  }
  networks_[1].reset(mapping_.grid());
  return networks_[1];
}

Predictor::Engine::Timed& Predictor::Engine::timed_broadcast(double bytes) {
  Timed& broadcast = broadcasts_[std::pair(current_, bytes)];
  if (!broadcast.ready) {
    builder_.broadcast(current_, bytes, broadcast.transfers);
    time_transfers(broadcast);
  }
  return broadcast;
}

const WrittenShares& Predictor::Engine::written_of(std::uint32_t communication) {
  Timed& copy = timed(communication);
  if (!copy.written_ready) {
    builder_.written(script_->tables().communications[communication], copy.written);
    kept_ += 3 * copy.written.share.size();
    copy.written_ready = true;
  }
  return copy.written;
}

void Predictor::Engine::sum_up(Timed& timed, std::uint32_t view) {
  timed.last = 0.0;
  timed.variation = 0.0;
  if (timed.silent) {
    return;
  }
  const auto processors = mapping_.view(view).processors();
  for (const std::uint32_t p : processors) {
    timed.last = std::max(timed.last, timed.profile.ends[p]);
  }
  for (const std::uint32_t p : processors) {
    timed.variation += timed.last - timed.profile.ends[p];
  }
}

Predictor::Engine::Timed& Predictor::Engine::timed(std::uint32_t communication) {
  Timed& timed = timed_[communication];
  if (!timed.ready) {
    const CommunicationSpec& spec = script_->tables().communications[communication];
    builder_.build(spec, timed.transfers);
    time_transfers(timed);
    sum_up(timed, spec.view);
    make_room_beside(timed);
  }
  return timed;
}

void Predictor::Engine::make_room_beside(const Timed& latest) {
  const auto size = [](const Timed& timed) {
    return timed.transfers.communication.transfers.size() + timed.profile.ends.size() +
           3 * timed.written.share.size();
  };
  kept_ += size(latest);
  if (kept_ <= most_kept) {
    return;
  }
  // What is under way or was waited for last is still looked at.
  const auto used = [](const Pending& pending, const Timed& timed) {
    return pending.profiled == &timed || pending.ends == &timed.profile.ends ||
           pending.transfers == &timed.transfers || pending.overheads == &timed.profile.overheads;
  };
  kept_ = 0;
  for (Timed& timed : timed_) {
    const bool keeps = &timed == &latest || used(blocking_, timed) ||
                       std::any_of(pending_.begin(), pending_.end(),
                                   [&](const Pending& pending) { return used(pending, timed); });
    if (!keeps && timed.ready) {
      timed = Timed{};
    }
    kept_ += size(timed);
  }
}

void Predictor::Engine::forget_periods() {
  network::Networks& networks = networks_.front();
  if (networks.remembered() <= period_limit_) {
    return;
  }
  networks.forget_before(*std::min_element(clock_.begin(), clock_.end()));
  period_limit_ = std::max(least_periods, 2 * networks.remembered());
}

void Predictor::Engine::launch(Timed& timed, double start, Pending& pending) {
  pending.view = current_;
  pending.start = start;
  pending.base = start;
  pending.profiled = nullptr;
  pending.transfers = &timed.transfers;
  pending.overheads = timed.profile.overheads.empty() ? nullptr : &timed.profile.overheads;
  if (timed.silent) {
    pending.ends = nullptr;
    return;
  }
  network::Networks& networks = networks_.front();
  if (networks.idle_for(timed.profile, start)) {
    networks.occupy(timed.profile, start);
    pending.ends = &timed.profile.ends;
    pending.profiled = &timed;
  } else {
    pending.absolute.resize(processors_);
    networks.run(timed.transfers.communication, start, pending.absolute);
    pending.base = 0.0;
    pending.ends = &pending.absolute;
  }
  forget_periods();
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

void Predictor::observe(const machine::Grid& grid, Observer& observer) {
  engine_->observe(grid, observer);
}

std::vector<std::string> Predictor::notes() const { return engine_->notes(); }

const std::string& Predictor::fallback() const noexcept { return engine_->fallback(); }

const machine::Placement& Predictor::placement() const noexcept { return engine_->placement(); }

}  // namespace gridcast::model
