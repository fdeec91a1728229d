#include "gridcast/measure/samples.h"

#include <algorithm>
#include <utility>

namespace gridcast::measure {
namespace {

template <class Time>
Sample repeated(int messages, double delay, std::int64_t bytes, int repetitions, const Time& time) {
  Sample sample{messages, delay, bytes, {}};
  static_cast<void>(time());
  for (int i = 0; i < repetitions; ++i) {
    sample.seconds.push_back(time());
  }
  return sample;
}

/// 1, 2, 4, ... and the greatest.
std::vector<int> pair_counts(int most) {
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) {
    counts.push_back(count);
  }
  if (most > 0) {
    counts.push_back(most);
  }
  return counts;
}

/// Seconds from one message of a train to the next; half a round trip if that cannot be told.
double spacing_of(const Sample& train, const std::vector<Sample>& single) {
  for (const Sample& sample : single) {
    if (sample.bytes == train.bytes) {
      const double spacing = (train.median() - sample.median()) / (train.messages - 1);
      return spacing > 0.0 ? spacing : 0.5 * sample.median();
    }
  }
  return train.median();
}

}  // namespace

double Sample::median() const {
  if (seconds.empty()) {
    return 0.0;
  }
  std::vector<double> sorted = seconds;
  std::ranges::sort(sorted);
  const std::size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : 0.5 * (sorted[half - 1] + sorted[half]);
}

MeasurePlan measure_plan(bool quick) {
  constexpr std::int64_t largest = std::int64_t{4} << 20U;
  MeasurePlan plan;
  for (std::int64_t size = 1; size <= largest; size *= quick ? 8 : 2) {
    plan.sizes.push_back(size);
  }
  plan.train_sizes = quick ? std::vector<std::int64_t>{1, 4096}
                           : std::vector<std::int64_t>{1, 64, 1024, 16384, 262144};
  plan.repetitions = quick ? 5 : 21;
  return plan;
}

LinkSamples collect(Transport& transport, const MeasurePlan& plan) {
  LinkSamples samples;
  for (const std::int64_t size : plan.sizes) {
    samples.single.push_back(repeated(1, 0.0, size, plan.repetitions,
                                      [&] { return transport.round_trip(1, 0.0, size); }));
  }
  for (const std::int64_t size : plan.train_sizes) {
    samples.trains.push_back(repeated(plan.train, 0.0, size, plan.repetitions,
                                      [&] { return transport.round_trip(plan.train, 0.0, size); }));
    // Longer messages wait for their receiver, and taking them is no matter of overhead alone.
    constexpr std::int64_t sent_at_once = 4096;
    if (size > sent_at_once) {
      continue;
    }
    // Longer than what a message takes of any part of the way, and no longer: the delay is taken
    // off again.
    const double delay = 2.0 * spacing_of(samples.trains.back(), samples.single);
    samples.delayed.push_back(repeated(plan.train, delay, size, plan.repetitions, [&] {
      return transport.round_trip(plan.train, delay, size);
    }));
    samples.late.push_back(
        repeated(1, 0.0, size, plan.repetitions, [&] { return transport.late_receive(size); }));
  }
  for (const int pairs : pair_counts(transport.most_pairs())) {
    const std::int64_t size = plan.sizes.back() / 4;
    Sample mean{pairs, 0.0, size, {}};
    samples.together.push_back(repeated(pairs, 0.0, size, plan.repetitions, [&] {
      const Arrivals arrivals = transport.together(pairs, size);
      mean.seconds.push_back(arrivals.mean);
      return arrivals.last;
    }));
    mean.seconds.erase(mean.seconds.begin());  // repeated() does not count the first
    samples.mean.push_back(std::move(mean));
  }
  return samples;
}

}  // namespace gridcast::measure
