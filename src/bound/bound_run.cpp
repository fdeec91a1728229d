#include "bound_run.h"

#include <algorithm>

namespace gridcast::model {
namespace {

constexpr double most_messages = 600.0;
constexpr std::int64_t most_processors = 300;

}  // namespace

void BoundTimes::reset(std::size_t candidates) {
  ready = true;
  last = 0.0;
  last_shared = 0.0;
  top = 0.0;
  top_free = 0.0;
  last_top = 0.0;
  own_top.assign(candidates, 0.0);
  own.assign(candidates, 0.0);
  own_shared.assign(candidates, 0.0);
}

void BoundTimes::raise(std::size_t i, double end, double shared) noexcept {
  own[i] = std::max(own[i], end);
  own_shared[i] = std::max(own_shared[i], shared);
  raise_last(end, shared);
}

void BoundTimes::raise_last(double end, double shared) noexcept {
  last = std::max(last, end);
  last_shared = std::max(last_shared, shared);
}

bool BoundRun::pays(double messages) const noexcept {
  return messages <= most_messages && mapping_->shape().processors <= most_processors;
}

network::Communication& BoundRun::list() {
  communication_.clear();
  phase_.clear();
  return communication_;
}

void BoundRun::end_phase() {
  // What was listed since the phase before is one phase: order and sums as in a prediction.
  const std::size_t begin =
      communication_.later_phases.empty() ? 0 : communication_.later_phases.back();
  auto& transfers = communication_.transfers;
  phase_.assign(transfers.begin() + static_cast<std::ptrdiff_t>(begin), transfers.end());
  network::normalize(phase_);
  transfers.resize(begin);
  transfers.insert(transfers.end(), phase_.begin(), phase_.end());
  communication_.later_phases.push_back(transfers.size());
}

void BoundRun::run(std::span<const std::int64_t> candidates, BoundTimes& result) {
  const machine::ProcessorSystem& system = mapping_->machine().system();
  if (networks_.empty() || known_processors_ != system.processors()) {
    networks_.clear();
    networks_.emplace_back(system);
    known_processors_ = system.processors();
  }
  network::Networks& networks = networks_.front();
  networks.reset(mapping_->grid());
  ends_.assign(static_cast<std::size_t>(mapping_->shape().processors), 0.0);
  networks.run(communication_, 0.0, ends_);
  networks.reset(mapping_->grid());
  result.raise_last(*std::max_element(ends_.begin(), ends_.end()), 0.0);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    result.raise(i, ends_[static_cast<std::size_t>(candidates[i])], 0.0);
  }
}

}  // namespace gridcast::model
