/// What the networks carry while a prediction by classes goes on.

#include <algorithm>
#include <cmath>

#include "class_predictor.h"
#include "gridcast/network/networks.h"

namespace gridcast::model {

namespace {

/// Ends of processors that are kept for communications that come again, in all.
constexpr std::size_t kept_ends = std::size_t{1} << 20U;

}  // namespace

network::Networks& ClassPredictor::live_networks() {
  again_ = again_ || unseen_;
  told_ = false;
  network::Networks& networks = details_.networks();
  if (!live_) {
    live_ = true;
    replayed_ = 0;
    networks.reset(details_.mapping().grid());
  }
  each_.resize(static_cast<std::size_t>(mapping_.classes().processors()));
  std::vector<double> ends;
  for (; replayed_ < launched_.size(); ++replayed_) {
    const double start = launched_[replayed_].start;
    const GridDetails::Known& known = details_.timed(launched_[replayed_].source);
    // Lengths of many messages are added up from 0 on: sums from a late start on lose digits.
    if (networks.idle_for(known->idle, start)) {
      networks.occupy({known, &known->idle}, start);
    } else {
      ends.resize(each_.size());
      networks.run(known->transfers.communication, start, ends);
    }
  }
  networks.forget_before([this] { return clocks_.earliest(); });
  return networks;
}

const ClassEnds* ClassPredictor::ends_behind(Timed& timed, double start,
                                             network::ClassCommunication& times) {
  if (launched_.empty() || start < launched_.back().start) {
    return nullptr;
  }
  const ClassEnds& before = *launched_.back().ends;
  const double gap = start - launched_.back().start;
  const CommunicationId id = timed.source.communication;
  if (networks_.ports()) {
    const bool alone = launched_.size() == 1 && all_launched_;
    if (id == none || !alone) {
      return nullptr;
    }
    const CommunicationSpec& spec = script_->tables().communications[id];
    return spec.kind == CommunicationSpec::Kind::reduction &&
                   reduction_of(spec) == ReductionKind::linear
               ? times.reduction_behind(mapping_.classes(), mapping_.layout(spec.placement),
                                        spec.bytes, before, gap)
               : nullptr;
  }
  if (!told_ || !timed.gapless || !networks_.queue_up()) {
    return nullptr;
  }
  // One channel is taken without gaps since the last communication started: this one comes behind,
  // if whole classes take part or do not, as with all but lists.
  if (networks_.one_channel() && timed.ends != &timed.times.list()) {
    times.start_behind(busy_until_ - start);
    return timed.ends->last() > 0.0 ? time(timed, times) : timed.ends;
  }
  return id == none ? times.broadcast_behind(mapping_.classes(), {timed.source.bytes}, before, gap)
                    : nullptr;
}

bool ClassPredictor::same_occasion(const Occasion& known, const Timed& timed, double start) const {
  const std::size_t others = launched_.size();
  if (known.sources.size() != others + 1 || known.sources.back() != timed.source) {
    return false;
  }
  const double slack = 1e-15 * busy_until_;
  for (std::size_t i = 0; i < others; ++i) {
    if (known.sources[i] != launched_[i].source ||
        !(std::abs(known.later[i] - (launched_[i].start - launched_.front().start)) <= slack)) {
      return false;
    }
  }
  return std::abs(known.later.back() - (start - launched_.front().start)) <= slack;
}

void ClassPredictor::keep_occasion(Occasion& occasion, const Timed& timed, double start) const {
  for (const Launched& launched : launched_) {
    occasion.sources.push_back(launched.source);
    occasion.later.push_back(launched.start - launched_.front().start);
  }
  occasion.sources.push_back(timed.source);
  occasion.later.push_back(start - launched_.front().start);
}

void ClassPredictor::look_for_gaps(const Timed& timed, double start, bool once, ListedEnds& ends) {
  network::Networks& networks = live_networks();
  networks.run(details_.transfers(timed.source), start, each_);
  ++replayed_;  // will be the next of launched_
  for (double& end : each_) {
    end -= start;
  }
  ends.assign(mapping_.classes(), each_, once, details_.timed(timed.source)->idle.overheads,
              networks.busy_until() - start);
}

const ClassEnds& ClassPredictor::among_others(Timed& timed, double start, Pending& pending) {
  const bool repeats = all_launched_ && !launched_.empty();
  for (std::size_t i = 0; repeats && i < occasions_used_; ++i) {
    if (same_occasion(*occasions_[i], timed, start)) {
      told_ = occasions_[i]->told;
      return *occasions_[i]->ends;
    }
  }
  if (occasions_used_ == occasions_.size()) {
    occasions_.push_back(std::make_unique<Occasion>(networks_));
  }
  Occasion& occasion = *occasions_[occasions_used_];
  occasion.sources.clear();
  occasion.later.clear();
  occasion.ends = ends_behind(timed, start, occasion.times);
  if (occasion.ends == nullptr) {
    told_ = false;
    const std::size_t most_lists = std::clamp<std::size_t>(kept_ends / members(), 1, 16);
    if (!repeats || lists_used_ == most_lists) {
      look_for_gaps(timed, start, true, pending.own);
      return pending.own;
    }
    ++lists_used_;
    look_for_gaps(timed, start, false, occasion.times.list());
    occasion.ends = &occasion.times.list();
  }
  occasion.told = told_;
  if (repeats) {
    keep_occasion(occasion, timed, start);
  }
  ++occasions_used_;
  return *occasion.ends;
}

void ClassPredictor::launch(Timed& timed, double start, Pending& pending) {
  pending.start = start;
  pending.ends = timed.ends;
  if (timed.ends->silent() || networks_.links()) {
    return;
  }
  const double free_from = busy_until_ * (1.0 - network::relative_slack);
  if (start < free_from) {
    pending.ends = &among_others(timed, start, pending);
  } else {
    // Earlier periods matter as long as a clock has not passed them: its processor may still send.
    if (clocks_.earliest() >= free_from) {
      launched_.clear();
      live_ = unseen_ = false;
      all_launched_ = true;
    }
    told_ = timed.gapless;
  }
  launched_.push_back({timed.source, start, pending.ends});
  busy_until_ = std::max(busy_until_, start + pending.ends->busy());
}

}  // namespace gridcast::model
