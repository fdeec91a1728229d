#include "loop_sampler.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "sampling.h"

namespace gridcast::model {
namespace {

/// The estimate may be this much of the loop's time off, as far as can be told.
constexpr double accepted_error = 0.004;
/// Iterations whose times differ so little (as a part of their cost) need no sample.
constexpr double negligible_deviation = 0.002;
constexpr std::size_t least_sample = 7;
constexpr std::size_t usual_sample = 10;
/// Iterations in which the model looks for processors that keep others waiting.
constexpr std::size_t most_telling = 16;

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

bool has_time(const Op& op) { return op.kind != Op::Kind::broadcast; }

bool waits_for_all(Op::Kind kind) {
  return kind == Op::Kind::synchronize || kind == Op::Kind::start || kind == Op::Kind::transfer;
}

void add(std::vector<double>& sum, const std::vector<double>& values, double factor) {
  sum.resize(values.size(), 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum[i] += factor * values[i];
  }
}

}  // namespace

ProcessorClocks::LoopSampler::LoopSampler(ProcessorClocks& all, const Repetition& loop,
                                          std::size_t begin)
    : all_(all), loop_(loop), begin_(begin), detail_(all.ledger_.per_processor()) {}

std::size_t ProcessorClocks::LoopSampler::run() {
  if (loop_.nested_pays) {
    return begin_;
  }
  all_.flush();
  choose_intervals();
  if (linear()) {
    return run_linear();
  }
  cut_ = find_cut();
  if (cut_ == nowhere) {
    all_.loop_figures_.unsynchronized += loop_.nested.empty() ? loop_.count : 0;
    return begin_;
  }
  return run_from_cut();
}

std::span<const Op> ProcessorClocks::LoopSampler::iteration(std::size_t k) const {
  return all_.script_->tables().ops.subspan(first_ + k * loop_.period, loop_.period);
}

std::span<const Op> ProcessorClocks::LoopSampler::iteration_range() const {
  return all_.script_->tables().ops.subspan(first_, count_ * loop_.period);
}

// --- what the loop is like
// ---------------------------------------------------------------------------

void ProcessorClocks::LoopSampler::choose_intervals() {
  intervals_.push_back(all_.ledger_.innermost());
  for (const Op& op : all_.script_->tables().ops.subspan(begin_, loop_.period)) {
    if (op.kind == Op::Kind::begin_interval) {
      intervals_.push_back(op.a);
    }
  }
  std::sort(intervals_.begin(), intervals_.end());
  intervals_.erase(std::unique(intervals_.begin(), intervals_.end()), intervals_.end());
}

bool ProcessorClocks::LoopSampler::linear() const {
  // One processor never waits; otherwise nothing but computation may happen.
  const auto ops = all_.script_->tables().ops.subspan(begin_, loop_.period);
  return all_.processors_ == 1 || std::all_of(ops.begin(), ops.end(), [](const Op& op) {
           return op.kind == Op::Kind::work || op.kind == Op::Kind::share ||
                  op.kind == Op::Kind::io_work || op.kind == Op::Kind::begin_interval ||
                  op.kind == Op::Kind::end_interval;
         });
}

std::size_t ProcessorClocks::LoopSampler::find_cut() const {
  const auto ops = all_.script_->tables().ops.subspan(begin_, loop_.period);
  std::size_t members = all_.members_.size();
  std::ptrdiff_t pending = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Op& op = ops[i];
    if (waits_for_all(op.kind) && members == all_.processors_ && pending == 0) {
      return i;
    }
    if (op.kind == Op::Kind::enter_view || op.kind == Op::Kind::leave_view) {
      members = all_.mapping_.view(op.view()).size();
    }
    pending += op.kind == Op::Kind::start || op.kind == Op::Kind::send ? 1 : 0;
    pending -= op.kind == Op::Kind::wait ? 1 : 0;
  }
  return nowhere;
}

void ProcessorClocks::LoopSampler::weigh_operations() {
  const auto ops = iteration(0);
  parts_.assign(loop_.period, 0.0);
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const Op& op = ops[i];
    double& part = parts_[i];
    if (op.kind == Op::Kind::enter_view || op.kind == Op::Kind::leave_view) {
      all_.enter(op.view());
    } else if (op.kind == Op::Kind::io_work) {
      part = all_.inverse_[0];
    } else if (has_time(op)) {
      all_.for_each_current(
          [&](std::size_t p, std::size_t) { part = std::max(part, all_.inverse_[p]); });
      if (op.kind == Op::Kind::share) {
        const Share& share = all_.share_of(op.placement(), op.portion());
        part = share.any ? *std::max_element(share.fraction.begin(), share.fraction.end()) : part;
      }
    }
  }
}

void ProcessorClocks::LoopSampler::weigh_iterations() {
  std::vector<std::size_t> all(count_);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const Iteration mean = mean_of(all);
  weights_.assign(count_, 0.0);
  deviation_ = 0.0;
  for (std::size_t k = 0; k < count_; ++k) {
    const auto ops = iteration(k);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      if (has_time(ops[i])) {
        weights_[k] += parts_[i] * (ops[i].call + ops[i].ret);
        deviation_ +=
            parts_[i] * (std::abs(ops[i].call - mean[i].call) + std::abs(ops[i].ret - mean[i].ret));
      }
    }
  }
  by_weight_ = all;
  std::sort(by_weight_.begin(), by_weight_.end(), [&](std::size_t a, std::size_t b) {
    return weights_[a] != weights_[b] ? weights_[a] < weights_[b] : a < b;
  });
}

auto ProcessorClocks::LoopSampler::mean_of(std::span<const std::size_t> numbers) const
    -> Iteration {
  const auto pattern = iteration(0);
  Iteration mean(pattern.begin(), pattern.end());
  for (std::size_t i = 0; i < mean.size(); ++i) {
    if (!has_time(mean[i])) {
      continue;
    }
    double call = 0.0;
    double ret = 0.0;
    for (const std::size_t k : numbers) {
      call += iteration(k)[i].call;
      ret += iteration(k)[i].ret;
    }
    mean[i].call = call / static_cast<double>(numbers.size());
    mean[i].ret = ret / static_cast<double>(numbers.size());
  }
  return mean;
}

bool ProcessorClocks::LoopSampler::same_portions() {
  // Pipelined loops are cut into as many portions as suit their time.
  const auto pattern = iteration(0);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i].kind != Op::Kind::pipeline) {
      continue;
    }
    if (all_.options_.pipeline == PipelineMode::exhaustive) {
      return false;
    }
    double least = pattern[i].call;
    double most = least;
    for (std::size_t k = 0; k < count_; ++k) {
      least = std::min(least, iteration(k)[i].call);
      most = std::max(most, iteration(k)[i].call);
    }
    const PipelineSpec& spec = all_.script_->tables().pipelines[pattern[i].a];
    if (least == most || !all_.pipeline_.prepare(spec, least)) {
      continue;
    }
    const auto portions = all_.pipeline_.shape().best_quanta();
    if (!all_.pipeline_.prepare(spec, most) || all_.pipeline_.shape().best_quanta() != portions) {
      return false;
    }
  }
  return true;
}

// --- the loop
// ----------------------------------------------------------------------------------------

std::size_t ProcessorClocks::LoopSampler::run_linear() {
  first_ = begin_;
  count_ = loop_.count;
  capture(start_);
  std::vector<std::size_t> all(count_);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (const Op& op : mean_of(all)) {
    all_.step(op);
  }
  all_.flush();
  capture(at_);
  Values total = start_;
  add(total, at_, static_cast<double>(count_));
  add(total, start_, -static_cast<double>(count_));
  simulated_ = 1;
  finish(total);
  return begin_ + loop_.period * loop_.count;
}

std::size_t ProcessorClocks::LoopSampler::run_from_cut() {
  first_ = begin_ + cut_;
  count_ = loop_.count - 1;
  const auto ops = all_.script_->tables().ops;
  for (std::size_t at = begin_; at < first_; ++at) {
    all_.step(ops[at]);
  }
  synchronize();
  std::size_t end = begin_ + loop_.period;
  if (networks_idle()) {
    capture(start_);
    at_ = start_;
    if (!estimate()) {
      run_in_order();
    }
    end += loop_.period * count_;
  } else {
    all_.loop_figures_.unsynchronized += loop_.nested.empty() ? loop_.count : 0;
  }
  for (std::size_t at = end - loop_.period + cut_; at < end; ++at) {
    all_.step(ops[at]);
  }
  return end;
}

bool ProcessorClocks::LoopSampler::estimate() {
  weigh_operations();
  weigh_iterations();
  std::vector<std::size_t> all(count_);
  std::iota(all.begin(), all.end(), std::size_t{0});
  Values cost;
  usual_time_ = simulate(mean_of(all), cost);
  const auto n = static_cast<double>(count_);
  const bool cut_alike = same_portions();
  if (idle_ && deviation_ <= negligible_deviation * n * usual_time_ && cut_alike) {
    Values total = start_;
    add(total, cost, n);
    finish(total);
    return true;
  }
  if (loop_.count < least_sampled_iterations) {
    all_.loop_figures_.few += count_;
    return false;
  }
  if (!cut_alike && all_.options_.pipeline == PipelineMode::exhaustive) {
    all_.loop_figures_.uneven += count_;
    return false;
  }
  ClockModel clocks(all_, iteration_range(), loop_.period);
  clocks.choose_processors(telling_iterations());
  if (sample(clocks)) {
    Values curved;
    simulate(mean_of(sampled_), curved);
    double time = n * model_excess_;
    for (std::size_t k = 0; k < count_; ++k) {
      time += clocks.cost(k);
    }
    simulated_ += clocks.pipelines_simulated();
    // A small sample may ask for less of something than there is: then it counts in part.
    for (const double trust : {1.0, 0.5, 0.25, 0.0}) {
      Values total = start_;
      add(total, cost, n);
      add(total, sample_sum_, trust * n / static_cast<double>(sampled_.size()));
      add(total, curved, -trust * n);
      wait_more(total, time - (total[0] - start_[0]));
      if (idle_ && plausible(total)) {
        finish(total);
        return true;
      }
    }
  }
  all_.loop_figures_.uneven += count_;
  return false;
}

std::vector<std::size_t> ProcessorClocks::LoopSampler::telling_iterations() const {
  // Spread over all, and for each operation the iteration in which it is longest.
  std::set<std::size_t> result;
  for (std::size_t i = 0; i < most_telling / 2; ++i) {
    result.insert(by_weight_[i * (count_ - 1) / (most_telling / 2 - 1)]);
  }
  std::vector<std::pair<double, std::size_t>> longest;
  for (std::size_t i = 0; i < loop_.period; ++i) {
    std::pair<double, std::size_t> most{0.0, 0};
    double sum = 0.0;
    for (std::size_t k = 0; k < count_; ++k) {
      const Op& op = iteration(k)[i];
      const double time = has_time(op) ? parts_[i] * (op.call + op.ret) : 0.0;
      sum += time;
      most = time > most.first ? std::pair(time, k) : most;
    }
    longest.emplace_back(most.first - sum / static_cast<double>(count_), most.second);
  }
  std::sort(longest.begin(), longest.end(), std::greater<>{});
  for (const auto& [excess, k] : longest) {
    if (result.size() < most_telling) {
      result.insert(k);
    }
  }
  return {result.begin(), result.end()};
}

bool ProcessorClocks::LoopSampler::sample(ClockModel& clocks) {
  const std::size_t most = std::max(usual_sample, count_ * 3 / 10);
  double sum = 0.0;
  std::map<std::size_t, double> excesses;  // by place in the order of weights
  Values cost;
  while (sampled_.size() < most && idle_) {
    auto place = static_cast<std::size_t>(spread(sampled_.size()) * static_cast<double>(count_));
    while (excesses.contains(place)) {
      place = (place + 1) % count_;
    }
    const std::size_t k = by_weight_[place];
    const double excess = simulate(iteration(k), cost) - clocks.cost(k);
    add(sample_sum_, cost, 1.0);
    sampled_.push_back(k);
    excesses[place] = excess;
    sum += excess;
    model_excess_ = sum / static_cast<double>(sampled_.size());
    if (sampled_.size() < least_sample) {
      continue;
    }
    const double error = standard_error(excesses, count_) / usual_time_;
    const double doubt = believed_errors(sampled_.size()) * error;
    if (doubt <= accepted_error) {
      return true;
    }
    // Errors fall with the root of the sample: no use to go on with what cannot succeed.
    const double needed = static_cast<double>(sampled_.size()) *
                          std::pow(believed_errors(most) * error / accepted_error, 2.0);
    if (sampled_.size() >= usual_sample && needed > 1.5 * static_cast<double>(most)) {
      return false;
    }
  }
  return false;
}

void ProcessorClocks::LoopSampler::finish(const Values& total) {
  load(total);
  if (!linear()) {
    all_.networks_.front().reset(all_.mapping_.grid());
  }
  LoopFigures& figures = all_.loop_figures_;
  ++figures.loops;
  const std::size_t left_out = count_ - std::min(simulated_, count_);
  figures.left_out += left_out;
  figures.left_out_ops += left_out * loop_.period;
}

void ProcessorClocks::LoopSampler::run_in_order() {
  load(start_);
  all_.networks_.front().reset(all_.mapping_.grid());
  for (std::size_t k = 0; k < count_; ++k) {
    for (const Op& op : iteration(k)) {
      all_.step(op);
    }
  }
}

}  // namespace gridcast::model
