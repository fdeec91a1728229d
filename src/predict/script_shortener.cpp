#include "script_shortener.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gridcast::model {
namespace {

/// Iterations whose times differ by so small a part of them are all like their mean.
constexpr double negligible_deviation = 0.002;
/// Of those that differ by more than this a sample may miss what decides.
constexpr double most_deviation = 0.2;

bool has_times(const Op& op) { return op.kind != Op::Kind::broadcast; }

bool only_computes(std::span<const Op> ops) {
  return std::all_of(ops.begin(), ops.end(), [](const Op& op) {
    return op.kind == Op::Kind::work || op.kind == Op::Kind::share ||
           op.kind == Op::Kind::io_work || op.kind == Op::Kind::begin_interval ||
           op.kind == Op::Kind::end_interval;
  });
}

}  // namespace

struct ScriptShortener::Iterations {
  std::span<const Op> ops;
  std::size_t period = 1;

  [[nodiscard]] std::size_t count() const { return ops.size() / period; }
  [[nodiscard]] std::span<const Op> operator[](std::size_t k) const {
    return ops.subspan(k * period, period);
  }

  [[nodiscard]] Iteration mean_of(std::span<const std::size_t> numbers) const {
    Iteration mean((*this)[0].begin(), (*this)[0].end());
    const auto size = static_cast<double>(numbers.size());
    for (std::size_t i = 0; i < period; ++i) {
      if (has_times(mean[i])) {
        mean[i].call = mean[i].ret = 0.0;
        for (const std::size_t k : numbers) {
          mean[i].call += (*this)[k][i].call / size;
          mean[i].ret += (*this)[k][i].ret / size;
        }
      }
    }
    return mean;
  }

  /// The part by which times differ from their mean: of loops that processors share, or of all
  /// else, whichever is more. By no more do the clocks of a processor.
  [[nodiscard]] double deviation(const Iteration& mean) const {
    std::array<double, 2> times{};  // of what is shared, of what is not; seconds
    std::array<double, 2> deviations{};
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const Op& op = ops[i];
      const Op& usual = mean[i % period];
      if (has_times(op)) {
        const bool shared = op.kind == Op::Kind::share || op.kind == Op::Kind::pipeline;
        times[shared ? 0 : 1] += op.call + op.ret;
        deviations[shared ? 0 : 1] += std::abs(op.call - usual.call) + std::abs(op.ret - usual.ret);
      }
    }
    return std::max(times[0] > 0.0 ? deviations[0] / times[0] : 0.0,
                    times[1] > 0.0 ? deviations[1] / times[1] : 0.0);
  }

  /// Their numbers, from the lightest to the heaviest.
  [[nodiscard]] std::vector<std::size_t> by_weight() const {
    std::vector<double> weights(count(), 0.0);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      weights[i / period] += has_times(ops[i]) ? ops[i].call + ops[i].ret : 0.0;
    }
    std::vector<std::size_t> order(count());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return weights[a] < weights[b]; });
    return order;
  }
};

ScriptShortener::ScriptShortener(const Script& script)
    : all_(script.tables().ops), header_(script.header()), tables_(script.builder()) {
  tables_.ops.clear();
  nothing_ = static_cast<std::uint32_t>(tables_.communications.size());
  tables_.communications.emplace_back();
  const std::vector<Repetition> loops = find_repetitions(all_);
  copy(0, all_.size(), loops);
}

void ScriptShortener::copy(std::size_t begin, std::size_t end, std::span<const Repetition> loops) {
  std::size_t at = begin;
  for (const Repetition& loop : loops) {
    copy(all_.subspan(at, begin + loop.begin - at));
    at = begin + loop.begin;
    if (!loop.nested_pays && shorten(loop, all_.subspan(at, loop.period * loop.count))) {
      at = begin + loop.end();
    }
    for (; at < begin + loop.end(); at += loop.period) {
      copy(at, at + loop.period, loop.nested);
    }
  }
  copy(all_.subspan(at, end - at));
}

void ScriptShortener::copy(std::span<const Op> ops) {
  for (const Op& op : ops) {
    open_.follow(op);
    tables_.ops.push_back(op);
  }
}

void ScriptShortener::Open::follow(const Op& op) {
  under_way.follow(op);
  if (op.kind == Op::Kind::begin_interval) {
    intervals.push_back(op.a);
  } else if (op.kind == Op::Kind::end_interval) {
    intervals.pop_back();
  }
}

/// False if all iterations have to be simulated.
bool ScriptShortener::shorten(const Repetition& loop, std::span<const Op> ops) {
  if (only_computes(ops.first(loop.period))) {
    sum_up({ops, loop.period});
    return true;
  }
  const std::size_t tried = loop.nested.empty() ? loop.count : 0;
  const std::size_t cut = first_level(ops.first(loop.period), open_.under_way);
  if (cut == loop.period) {
    result_.counts.unsynchronized += tried;
    return false;
  }
  const Iterations iterations{ops.subspan(cut, (loop.count - 1) * loop.period), loop.period};
  const std::vector<std::size_t> order = iterations.by_weight();
  const Iteration mean = iterations.mean_of(order);
  const double deviation = iterations.deviation(mean);
  const bool alike = deviation <= negligible_deviation;
  if (!alike && (loop.count < least_sampled_iterations || deviation > most_deviation)) {
    (deviation > most_deviation ? result_.counts.uneven : result_.counts.few) += tried;
    return false;
  }
  around_ = open_.intervals;
  copy(ops.first(cut));
  inside_.assign(open_.intervals.begin() + static_cast<std::ptrdiff_t>(around_.size()),
                 open_.intervals.end());
  for (std::size_t i = 0; i < inside_.size(); ++i) {
    interval_op(Op::Kind::end_interval);
  }
  if (alike) {
    simulate(mean, places_[&loop].all, static_cast<double>(iterations.count()));
    leave_out(iterations, 1);
  } else {
    sample(iterations, order, places_[&loop]);
    leave_out(iterations, ShortenedSample::simulated);
  }
  for (const std::uint32_t interval : inside_) {
    interval_op(Op::Kind::begin_interval, interval);
  }
  copy(ops.last(loop.period - cut));
  return true;
}

/// Nobody waits for anybody: one iteration with the sum of all times is the same.
void ScriptShortener::sum_up(const Iterations& iterations) {
  Iteration sum(iterations[0].begin(), iterations[0].end());
  for (std::size_t i = iterations.period; i < iterations.ops.size(); ++i) {
    sum[i % iterations.period].call += iterations.ops[i].call;
    sum[i % iterations.period].ret += iterations.ops[i].ret;
  }
  copy(sum);
  leave_out(iterations, 1);
}

/// The mean stands for all that is linear in the times; what the sample costs more than its mean
/// is what all cost more than theirs.
void ScriptShortener::sample(const Iterations& iterations, std::span<const std::size_t> order,
                             Places& places) {
  using Sample = ShortenedSample;
  const auto count = static_cast<double>(iterations.count());
  std::array<std::size_t, Sample::size> chosen{};
  std::array<std::array<std::size_t, Sample::group_size>, Sample::groups> groups{};
  for (std::size_t k = 0; k < Sample::size; ++k) {
    chosen[k] = order[(2 * k + 1) * order.size() / (2 * Sample::size)];
    groups[k % Sample::groups][k / Sample::groups] = chosen[k];
  }
  const bool first_time = places.sample.interval == none;
  simulate(iterations.mean_of(order), places.all, count);
  simulate(iterations.mean_of(chosen), places.sample, -count);
  for (std::size_t k = 0; k < Sample::size; ++k) {
    simulate(iterations[chosen[k]], places.iterations[k], count / Sample::size);
  }
  for (std::size_t g = 0; g < Sample::groups; ++g) {
    simulate(iterations.mean_of(groups[g]), places.groups[g], 0.0);
  }
  if (first_time) {
    Sample sample;
    sample.count = count;
    const auto interval = [](const Place& place) { return std::size_t{place.interval}; };
    std::transform(places.iterations.begin(), places.iterations.end(), sample.iterations.begin(),
                   interval);
    std::transform(places.groups.begin(), places.groups.end(), sample.means.begin(), interval);
    result_.samples.push_back(sample);
  }
}

/// An iteration from one moment when all clocks are equal to the next.
void ScriptShortener::simulate(std::span<const Op> iteration, Place& place, double factor) {
  open(place, factor);
  wait_for_all(iteration.front());
  interval_op(Op::Kind::begin_interval, place.interval);
  for (const std::uint32_t interval : inside_) {
    interval_op(Op::Kind::begin_interval, nested(place, interval));
  }
  for (Op op : iteration) {
    if (op.kind == Op::Kind::begin_interval) {
      op.a = nested(place, op.a);
    }
    tables_.ops.push_back(op);
  }
  wait_for_all(iteration.front());
  for (std::size_t i = 0; i <= inside_.size(); ++i) {
    interval_op(Op::Kind::end_interval);
  }
}

/// What the operation does before it begins, and nothing else.
void ScriptShortener::wait_for_all(const Op& op) {
  Op wait;
  wait.kind = op.kind == Op::Kind::synchronize ? op.kind : Op::Kind::transfer;
  wait.operation = op.operation;
  wait.a = op.kind == Op::Kind::synchronize ? op.a : nothing_;
  wait.place = op.place;
  tables_.ops.push_back(wait);
}

void ScriptShortener::interval_op(Op::Kind kind, std::uint32_t interval) {
  Op op;
  op.kind = kind;
  op.a = interval;
  tables_.ops.push_back(op);
}

std::uint32_t ScriptShortener::new_interval(std::uint32_t parent) {
  IntervalSpec interval;
  interval.parent = static_cast<std::int32_t>(parent);
  tables_.intervals.push_back(interval);
  return static_cast<std::uint32_t>(tables_.intervals.size() - 1);
}

void ScriptShortener::open(Place& place, double factor) {
  if (place.interval != none) {
    return;
  }
  place.interval = new_interval(around_.back());
  place.factor = factor;
  for (const std::uint32_t interval : around_) {
    result_.terms.push_back({interval, place.interval, factor - 1.0});  // once as a part of them
  }
}

std::uint32_t ScriptShortener::nested(Place& place, std::uint32_t interval) {
  const auto known = place.nested.find(interval);
  if (known != place.nested.end()) {
    return known->second;
  }
  const auto parent =
      place.nested.find(static_cast<std::uint32_t>(tables_.intervals[interval].parent));
  const std::uint32_t copy =
      new_interval(parent == place.nested.end() ? place.interval : parent->second);
  result_.terms.push_back({interval, copy, place.factor});
  return place.nested[interval] = copy;
}

void ScriptShortener::leave_out(const Iterations& iterations, std::size_t simulated) {
  const std::size_t left_out = iterations.count() - std::min(simulated, iterations.count());
  ShortenedCounts& counts = result_.counts;
  counts.loops += 1;
  counts.left_out += left_out;
  counts.left_out_ops += left_out * iterations.period;
}

}  // namespace gridcast::model
