#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "gridcast/measure/link_fit.h"

namespace gridcast::measure::test {
namespace {

/// Numbers of a network of ports, seconds.
struct Known {
  double latency;
  double send;
  double receive;
  double gap;
  double per_byte;
};

/// Messages between two processors, one after the other through ports (docs/model.md §4), written
/// down message by message.
class SimulatedNetwork final : public Transport {
public:
  SimulatedNetwork(const Known& known, double noise, int channels = 4)
      : known_(known), noise_(0.0, noise), channels_(channels) {}

  double round_trip(int messages, double delay, std::int64_t bytes) override {
    double clock = 0.0;
    double port_out = 0.0;
    double port_in = 0.0;
    double receiver = 0.0;
    for (int i = 0; i < messages; ++i) {
      clock += (i == 0 ? 0.0 : delay) + known_.send;
      const double leaves = std::max(clock, port_out);
      port_out = leaves + period(bytes);
      const double enters = std::max(leaves + known_.latency, port_in);
      port_in = enters + period(bytes);
      receiver = std::max(receiver, port_in) + known_.receive;
    }
    return noisy(receiver + known_.send + known_.latency + period(bytes) + known_.receive);
  }

  double late_receive(std::int64_t) override { return noisy(known_.receive); }

  Arrivals together(int pairs, std::int64_t bytes) override {
    const double one = known_.send + known_.latency + period(bytes) + known_.receive;
    if (shares_) {  // all of them one port
      const double last = noisy(one + (pairs - 1) * period(bytes));
      return {last, last};
    }
    double sum = 0.0;
    for (int i = 1; i <= pairs; ++i) {
      sum += std::ceil(static_cast<double>(i) / channels_) * one;
    }
    return {noisy(std::ceil(static_cast<double>(pairs) / channels_) * one), noisy(sum / pairs)};
  }

  void share() { shares_ = true; }

  [[nodiscard]] int most_pairs() const override { return 16; }

private:
  [[nodiscard]] double period(std::int64_t bytes) const {
    return std::max(known_.gap, static_cast<double>(bytes) * known_.per_byte);
  }
  double noisy(double seconds) { return seconds * (1.0 + noise_(random_)); }

  Known known_;
  std::mt19937_64 random_{5};
  std::normal_distribution<double> noise_;
  int channels_;
  bool shares_ = false;
};

bool within(const Estimate& estimate, double value) {
  return estimate.low <= value * (1.0 + 1e-6) && value * (1.0 - 1e-6) <= estimate.high;
}

}  // namespace

TEST_CASE("LogGP numbers of a simulated machine come back exactly") {
  const Known known{5e-6, 1.2e-6, 0.7e-6, 2.5e-6, 0.4e-9};
  SimulatedNetwork network(known, 0.0);
  const LinkFit fit = fit_link(collect(network, measure_plan(false)), {2, 1});
  CHECK(fit.latency.value == Approx(known.latency).epsilon(1e-4));
  CHECK(fit.send.value == Approx(known.send).epsilon(1e-4));
  CHECK(fit.receive.value == Approx(known.receive).epsilon(1e-4));
  CHECK(fit.gap.value == Approx(known.gap).epsilon(1e-4));
  CHECK(fit.per_byte.value == Approx(known.per_byte).epsilon(1e-4));
  CHECK(fit.start.value == Approx(6.9e-6).epsilon(1e-4));
  CHECK(fit.worst < 1e-3);
  CHECK(fit.channels == 4);
  CHECK_FALSE(fit.all_at_once);
  CHECK(fit.waiting == Waiting::queued);
}

TEST_CASE("messages that share a port arrive together") {
  SimulatedNetwork network({5e-6, 1.2e-6, 0.7e-6, 2.5e-6, 0.4e-9}, 0.02);
  network.share();
  CHECK(fit_link(collect(network, measure_plan(false)), {2, 1}).waiting == Waiting::shared);
}

TEST_CASE("a gap that overheads hide is 0") {
  const Known known{5e-6, 3e-6, 2e-6, 1e-9, 0.4e-9};
  SimulatedNetwork network(known, 0.0, 64);
  const LinkFit fit = fit_link(collect(network, measure_plan(false)), {2, 1});
  CHECK(fit.gap.value < 1e-7);
  CHECK(fit.latency.value == Approx(known.latency).epsilon(0.02));
  CHECK(fit.send.value == Approx(known.send).epsilon(1e-3));
  CHECK(fit.receive.value == Approx(known.receive).epsilon(1e-3));
  CHECK(fit.channels == 16);
  CHECK(fit.all_at_once);
  CHECK(fit.waiting == Waiting::none);
}

TEST_CASE("bootstrap intervals of a noisy network hold its numbers") {
  const Known known{20e-6, 2e-6, 3e-6, 0.0, 1e-9};
  SimulatedNetwork network(known, 0.05);
  const LinkFit fit = fit_link(collect(network, measure_plan(false)), {40, 1});
  CHECK(fit.latency.value == Approx(known.latency).epsilon(0.05));
  CHECK(fit.send.value == Approx(known.send).epsilon(0.2));
  CHECK(fit.receive.value == Approx(known.receive).epsilon(0.05));
  CHECK(fit.per_byte.value == Approx(known.per_byte).epsilon(0.05));
  CHECK(within(fit.per_byte, known.per_byte));
  CHECK(fit.latency.low < fit.latency.value);
  CHECK(fit.latency.high > fit.latency.value);
  CHECK(fit.segments.size() == 1);
}

TEST_CASE("a change of protocol takes two lines") {
  std::vector<Sample> single;
  for (std::int64_t bytes = 1; bytes <= (1 << 20); bytes *= 2) {
    const double one_way = bytes <= 4096 ? 1e-6 + 2e-9 * static_cast<double>(bytes)
                                         : 30e-6 + 0.5e-9 * static_cast<double>(bytes);
    single.push_back({1, 0.0, bytes, {2.0 * one_way}});
  }
  const std::vector<Segment> segments = segments_of(single);
  REQUIRE(segments.size() == 2);
  CHECK(segments[0].first == 1);
  CHECK(segments[0].last == 4096);
  CHECK(segments[0].start == Approx(1e-6));
  CHECK(segments[0].per_byte == Approx(2e-9));
  CHECK(segments[1].first == 8192);
  CHECK(segments[1].last == 1 << 20);
  CHECK(segments[1].start == Approx(30e-6));
  CHECK(segments[1].per_byte == Approx(0.5e-9));
}

TEST_CASE("one line is one segment") {
  std::vector<Sample> single;
  for (std::int64_t bytes = 1; bytes <= (1 << 20); bytes *= 2) {
    single.push_back({1, 0.0, bytes, {2.0 * (3e-6 + 1e-9 * static_cast<double>(bytes))}});
  }
  const std::vector<Segment> segments = segments_of(single);
  REQUIRE(segments.size() == 1);
  CHECK(segments[0].start == Approx(3e-6));
  CHECK(segments[0].per_byte == Approx(1e-9));
}

}  // namespace gridcast::measure::test
