// What a sweep leaves when it ends: the chosen rows, the front, the outcome.

#include <spdlog/spdlog.h>

#include "comparison_text.h"
#include "gridcast/base/readable.h"
#include "gridcast/explain/critical_path.h"
#include "gridcast/explain/losses.h"
#include "gridcast/explain/timeline.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/rules/memory.h"
#include "session.h"

namespace gridcast::sweep {

std::optional<store::Best> Session::best_rows() {
  const std::optional<search::Outcome> best = best_.best();
  if (!best || !unconstrained_row_) {
    return std::nullopt;
  }
  if (best_row_->grid() != best->grid) {
    // The limit of --within has moved on to a grid that came before.
    store_->show_rows();
    best_row_ = stored_rows(settings_->store, {best->grid}).front();
  }
  return store::Best{*best_row_, *unconstrained_row_};
}

/// A grid that is tried again by the next run may be the answer.
std::vector<search::FrontEntry> Session::front() const {
  if (nodes_ == nullptr) {
    return {};
  }
  const auto states =
      outcome_.postponed > 0 ? std::vector<search::FrontState>() : strategy_->front_states();
  return search::make_front(steps_, settings_->front, states);
}

void Session::fill_outcome() {
  outcome_.best = best_.best();
  outcome_.unconstrained = best_.unconstrained();
  outcome_.top = best_.choices();
  outcome_.front = front();
  outcome_.proof = strategy_->proof();
  outcome_.comparison = outcome_.exit_code == 0 ? strategy_->comparison() : std::nullopt;
  if (outcome_.comparison) {
    outcome_.comparison_text = comparison_text(*outcome_.comparison, goal_);
  }
}

void Session::finish() {
  settle();
  if (mode_ == search::Mode::exact) {
    store_->keep_proof(proof_of(*strategy_, search::most_cores(spaces_)));
  }
  // An empty front is what nobody asked for, not what is not known yet.
  if (const auto entries = front(); !entries.empty() || nodes_ == nullptr) {
    store_->keep_front(stored_front(entries));
  }
  end_store(outcome_.exit_code == 0 ? best_rows() : std::nullopt);
  fill_outcome();
  spdlog::info("grids: {}, {} without empty processors, {} evaluated, {} failed",
               counted(static_cast<std::int64_t>(outcome_.candidates), "candidate"),
               outcome_.not_bad, outcome_.evaluated, outcome_.failed);
  if (outcome_.proof) {
    events_.proof(*outcome_.proof);
  }
  tell_end();
}

void Session::describe_best(const Inputs& inputs) {
  const machine::Grid& best = outcome_.best->grid;
  const machine::Cluster& cluster = inputs.clusters.of(best.threads());
  model::Predictor predictor(inputs.script, cluster, options_);
  model::Prediction& prediction =
      outcome_.best_prediction.emplace(predictor.predict(best.with_threads(1), false));
  prediction.threads = best.threads();
  model::ModelOptions options = options_;
  options.placement = predictor.placement();
  prediction.memory_per_processor =
      model::MemoryModel(inputs.script, cluster, options).peak(prediction.grid);
  prediction.losses =
      model::explain_losses(inputs.places.value(), cluster, prediction.grid, options_);
  if (options_.processes == model::ProcessKind::free) {
    prediction.critical_path = model::critical_path(*inputs.places, cluster, prediction.grid,
                                                    options, model::most_loss_steps);
  }
  outcome_.best_run = model::record_timeline(*inputs.places, cluster, prediction.grid, options,
                                             model::most_phases_of_page);
  for (const std::filesystem::path& trace : settings_->traces) {
    prediction.traces.push_back(trace.string());
  }
  prediction.assumed = inputs.resolved.assumed;
  prediction.warnings.insert(prediction.warnings.begin(), inputs.warnings.begin(),
                             inputs.warnings.end());
}

}  // namespace gridcast::sweep
