/// Pipelined loops in a prediction by classes.

#include <numeric>

#include "class_predictor.h"
#include "gridcast/network/networks.h"

namespace gridcast::model {

PipelineMachine ClassPredictor::pipeline_machine() {
  const std::span<const NetworkLevel> tree = networks_.tree();
  // Other processors of the machine may be above the tree.
  return {tree.empty() ? networks_.top() : tree.back().network,
          tree,
          inverse_,
          library().portion,
          &interruption_,
          &kept_clocks_};
}

bool ClassPredictor::pipeline(PipelineId pipeline, double seconds) {
  const PipelineSpec& spec = script_->tables().pipelines[pipeline];
  const ClassShare& share = share_of(spec.placement, none);
  if (members() == 1 || !share.any ||
      !pipelines_[pipeline].depends(mapping_, spec, pipeline_machine())) {
    return false;
  }
  if (!pipeline_by_kinds(pipeline, seconds, share)) {
    pipeline_by_processors(pipeline, seconds, share);
  }
  return true;
}

bool ClassPredictor::carried_now(PipelineCarried& carried) const {
  if (networks_.links()) {
    return true;
  }
  const double earliest = clocks_.earliest() * (1.0 + network::relative_slack);
  if (earliest >= busy_until_) {
    return true;
  }
  // The last one alone matters if it has begun: channels are taken without gaps.
  if (launched_.empty() || !told_ || launched_.back().start > earliest) {
    return false;
  }
  const Launched& last = launched_.back();
  if (networks_.flat() && !networks_.ports()) {
    if (!last.ends->channel_ends(carried.channels, 0.0)) {
      return false;
    }
    for (double& end : carried.channels) {
      end += last.start;
    }
    return true;
  }
  const std::uint32_t id = last.source.communication;
  if (id == none || last.ends != timed_[id]->ends || timed_[id]->exchange.empty()) {
    return false;
  }
  carried.exchange = &timed_[id]->exchange;
  carried.start = last.start;
  return true;
}

bool ClassPredictor::pipeline_by_kinds(PipelineId pipeline, double seconds,
                                       const ClassShare& share) {
  PipelineCarried carried;
  if (!(networks_.flat() || !networks_.levels().empty()) || !by_kinds_ ||
      options_.pipeline == PipelineMode::exhaustive || !carried_now(carried)) {
    return false;
  }
  const ClassPipeline::Run* const run = pipelines_[pipeline].run(
      seconds, options_.pipeline != PipelineMode::full, clocks_, std::move(carried));
  if (run == nullptr) {
    return false;
  }
  const double start = clocks_.base();
  busy_until_ = std::max(busy_until_, start + run->times.busy_until);
  unseen_ = !networks_.links();
  told_ = all_launched_ = false;
  clocks_.go_to(*run->times.finish, start);
  clocks_.pipeline(seconds, share, run->times.waiting, run->times.overlap);
  return true;
}

void ClassPredictor::pipeline_by_processors(PipelineId pipeline, double seconds,
                                            const ClassShare& share) {
  clocks_.list(each_);
  network::Networks& networks = live_networks();
  details_.pipeline().prepare(script_->tables().pipelines[pipeline], seconds);
  details_.pipeline().run(options_.pipeline, each_, networks, pipeline_times_);
  busy_until_ = std::max(busy_until_, networks.busy_until());
  all_launched_ = false;
  clocks_.set(pipeline_times_.finish);
  const auto sum = [](const std::vector<double>& each) {
    return std::accumulate(each.begin(), each.end(), 0.0);
  };
  clocks_.pipeline(seconds, share, sum(pipeline_times_.waiting), sum(pipeline_times_.overlap));
}

}  // namespace gridcast::model
