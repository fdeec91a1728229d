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
  if (networks.remembered() > period_limit_) {
    networks.forget_before(clocks_.earliest());
    period_limit_ = std::max(remembered_periods, 2 * networks.remembered());
  }
  return networks;
}

const ClassEnds& ClassPredictor::shifted(const ClassEnds& ends, double later) {
  const double slack = 1e-15 * busy_until_;
  for (const network::ShiftedEnds& known : shifted_) {
    if (known.is(ends, later, slack)) {
      return known;
    }
  }
  return shifted_.emplace_back(mapping_.classes(), ends, later);
}

const ClassEnds* ClassPredictor::ends_behind(const Timed& timed, double start) {
  const Launched& before = launched_.back();
  const double gap = start - before.start;
  const double slack = 1e-15 * busy_until_;
  for (const Behind& known : behind_) {
    if (known.before == before.ends && known.source == timed.source &&
        std::abs(known.gap - gap) <= slack) {
      return known.ends;
    }
  }
  Behind& behind = behind_.emplace_back(networks_);
  behind.before = before.ends;
  behind.gap = gap;
  behind.source = timed.source;
  std::vector<double> taken;
  if (timed.source.communication != none) {
    const CommunicationSpec& spec = script_->tables().communications[timed.source.communication];
    behind.ends = behind.times.reduction_behind(mapping_.classes(), mapping_.layout(spec.placement),
                                                spec.bytes, *before.ends, gap);
  } else if (networks_.taken_behind(*before.ends, gap, taken)) {
    behind.ends = behind.times.broadcast_behind(mapping_.classes(), timed.shape, taken);
  }
  return behind.ends;
}

bool ClassPredictor::launch_behind(Timed& timed, double start, Pending& pending) {
  if (launched_.empty() || start < launched_.back().start) {
    return false;
  }
  if (networks_.ports()) {
    const CommunicationId id = timed.source.communication;
    const bool reduces =
        id != none &&
        script_->tables().communications[id].kind == CommunicationSpec::Kind::reduction &&
        reduction_of(script_->tables().communications[id]) == ReductionKind::linear;
    const bool alone = launched_.size() == 1 && all_launched_;
    const ClassEnds* const ends = reduces && alone ? ends_behind(timed, start) : nullptr;
    pending.ends = ends == nullptr ? pending.ends : ends;
    return ends != nullptr;
  }
  if (!told_ || !timed.gapless || !networks_.queue_up()) {
    return false;
  }
  // One channel is taken without gaps since the last communication started: this one comes behind,
  // if whole classes take part or do not, as with all but lists.
  if (networks_.one_channel() && timed.ends != &timed.times.list()) {
    pending.ends =
        timed.ends->last() > 0.0 ? &shifted(*timed.ends, busy_until_ - start) : timed.ends;
    return true;
  }
  if (timed.source.communication != none) {
    return false;
  }
  const ClassEnds* const ends = ends_behind(timed, start);
  pending.ends = ends == nullptr ? pending.ends : ends;
  return ends != nullptr;
}

bool ClassPredictor::same_occasion(const Among& known, const Timed& timed, double start) const {
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

void ClassPredictor::keep_occasion(Among& among, const Timed& timed, double start) const {
  among.sources.clear();
  among.later.clear();
  for (const Launched& launched : launched_) {
    among.sources.push_back(launched.source);
    among.later.push_back(launched.start - launched_.front().start);
  }
  among.sources.push_back(timed.source);
  among.later.push_back(start - launched_.front().start);
}

const ListedEnds& ClassPredictor::among_others(const Timed& timed, double start, Pending& pending) {
  const auto processors = static_cast<std::size_t>(mapping_.classes().processors());
  const bool repeats = all_launched_ && !launched_.empty();
  for (std::size_t i = 0; repeats && i < among_used_; ++i) {
    if (same_occasion(*among_[i], timed, start)) {
      return among_[i]->ends;
    }
  }
  ListedEnds* ends = &pending.own;
  bool once = true;
  if (repeats && among_used_ < std::clamp<std::size_t>(kept_ends / processors, 1, 16)) {
    if (among_used_ == among_.size()) {
      among_.push_back(std::make_unique<Among>());
    }
    Among& among = *among_[among_used_++];
    keep_occasion(among, timed, start);
    ends = &among.ends;
    once = false;
  }
  network::Networks& networks = live_networks();
  each_.resize(processors);
  networks.run(details_.transfers(timed.source), start, each_);
  ++replayed_;  // will be the next of launched_
  for (double& end : each_) {
    end -= start;
  }
  ends->assign(mapping_.classes(), each_, once, details_.timed(timed.source)->idle.overheads,
               networks.busy_until() - start);
  return *ends;
}

void ClassPredictor::launch(Timed& timed, double start, Pending& pending) {
  pending.start = start;
  pending.ends = timed.ends;
  if (timed.ends->silent() || !timed.ends->occupies() || networks_.links()) {
    return;
  }
  const double free_from = busy_until_ * (1.0 - network::relative_slack);
  if (start >= free_from) {
    // Earlier periods matter as long as a clock has not passed them: its processor may still send.
    if (clocks_.earliest() >= free_from) {
      launched_.clear();
      live_ = unseen_ = false;
      all_launched_ = true;
    }
    launched_.push_back({timed.source, start, timed.ends});
    busy_until_ = std::max(busy_until_, start + timed.ends->busy());
    told_ = timed.gapless;
    return;
  }
  if (launch_behind(timed, start, pending)) {
    launched_.push_back({timed.source, start, pending.ends});
    busy_until_ = std::max(busy_until_, start + pending.ends->busy());
    return;
  }
  // Something is still under way: the messages look for gaps.
  pending.ends = &among_others(timed, start, pending);
  told_ = false;
  launched_.push_back({timed.source, start, pending.ends});
  busy_until_ = std::max(busy_until_, start + pending.ends->busy());
}

}  // namespace gridcast::model
