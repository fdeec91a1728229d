#include "gridcast/measure/link_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "gridcast/base/contract.h"
#include "gridcast/calibrate/fit.h"

namespace gridcast::measure {
namespace {

enum LinkNumber : std::size_t { latency, send, receive, gap, per_byte, place_count };

/// What a row of the fit is the time of.
enum class Kind : std::uint8_t { one_way, spacing, send, receive };

struct Row {
  Kind kind;
  double bytes;
};

/// Rows with their times from the medians of the samples.
struct Rows {
  std::vector<Row> rows;
  std::vector<double> seconds;

  void add(Kind kind, std::int64_t bytes, double time) {
    // What is lost in the noise of the clock tells nothing.
    if (time > 0.0) {
      rows.push_back({kind, static_cast<double>(bytes)});
      seconds.push_back(time);
    }
  }
};

double single_of(const LinkSamples& samples, std::int64_t bytes) {
  for (const Sample& sample : samples.single) {
    if (sample.bytes == bytes) {
      return sample.median();
    }
  }
  return 0.0;
}

Rows rows_of(const LinkSamples& samples) {
  Rows rows;
  for (const Sample& sample : samples.single) {
    rows.add(Kind::one_way, sample.bytes, 0.5 * sample.median());
  }
  for (const Sample& sample : samples.trains) {
    const double more = sample.median() - single_of(samples, sample.bytes);
    rows.add(Kind::spacing, sample.bytes, more / (sample.messages - 1));
  }
  for (const Sample& sample : samples.delayed) {
    const double more = sample.median() - single_of(samples, sample.bytes);
    rows.add(Kind::send, sample.bytes, more / (sample.messages - 1) - sample.delay);
  }
  for (const Sample& sample : samples.late) {
    rows.add(Kind::receive, sample.bytes, sample.median());
  }
  return rows;
}

/// Seconds of a row on a network of ports (docs/model.md §4).
double time_of(const calibrate::Point& point, const Row& row) {
  const double period = std::max(point[gap], row.bytes * point[per_byte]);
  switch (row.kind) {
    case Kind::one_way:
      return point[send] + point[latency] + period + point[receive];
    case Kind::spacing:
      return std::max({point[send], period, point[receive]});
    case Kind::send:
      return point[send];
    case Kind::receive:
      break;
  }
  return point[receive];
}

calibrate::FitProblem link_problem(const Rows& rows) {
  double least = rows.seconds.front();
  double largest_bytes = 1.0;
  double largest_time = 0.0;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    if (rows.rows[i].kind == Kind::one_way && rows.rows[i].bytes >= largest_bytes) {
      largest_bytes = rows.rows[i].bytes;
      largest_time = rows.seconds[i];
    }
    least = std::min(least, rows.seconds[i]);
  }
  const double slope = std::max(largest_time / largest_bytes, 1e-15);
  constexpr double most = 1e6;
  calibrate::FitProblem problem;
  problem.numbers.resize(place_count);
  const auto number = [&](LinkNumber place, const char* name, double initial, double scale) {
    problem.numbers[place] = {name, initial, 0.0, most * scale, scale, false};
  };
  number(latency, "L", least, least);
  number(send, "o_s", least, least);
  number(receive, "o_r", least, least);
  number(gap, "g", 0.0, least);
  number(per_byte, "G", slope, slope);
  problem.measured = rows.seconds;
  problem.simulate = [rows](const calibrate::Point& point, std::span<const std::size_t> wanted) {
    std::vector<double> times;
    for (const std::size_t row : wanted) {
      times.push_back(time_of(point, rows.rows[row]));
    }
    return times;
  };
  return problem;
}

calibrate::Fit fit_rows(const Rows& rows, const calibrate::FitOptions& options) {
  std::vector<std::size_t> all(rows.rows.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = i;
  }
  return calibrate::fit(link_problem(rows), all, options);
}

void resample(std::vector<Sample>& samples, std::mt19937_64& random) {
  for (Sample& sample : samples) {
    const std::vector<double> seconds = sample.seconds;
    for (double& value : sample.seconds) {
      value = seconds[random() % seconds.size()];
    }
  }
}

LinkSamples resampled(LinkSamples samples, std::mt19937_64& random) {
  for (auto* part : {&samples.single, &samples.trains, &samples.delayed, &samples.late}) {
    resample(*part, random);
  }
  return samples;
}

Estimate estimate(double value, std::vector<double> others) {
  if (others.empty()) {
    return {value, value, value};
  }
  std::ranges::sort(others);
  const auto at = [&others](double part) {
    return others[static_cast<std::size_t>(
        std::lround(part * static_cast<double>(others.size() - 1)))];
  };
  constexpr double tail = 0.025;
  return {value, std::min(value, at(tail)), std::max(value, at(1.0 - tail))};
}

/// Channels: the number c for which ceil(k / c) waves explain the times of k messages at once best.
void fit_channels(const std::vector<Sample>& together, LinkFit& result) {
  if (together.empty()) {
    return;
  }
  const double one = together.front().median();
  const int most = together.back().messages;
  double least = -1.0;
  for (int channels = 1; channels <= most; ++channels) {
    double cost = 0.0;
    for (const Sample& sample : together) {
      const double waves = std::ceil(static_cast<double>(sample.messages) / channels);
      cost += std::abs(std::log(waves * one / sample.median()));
    }
    if (least < 0.0 || cost < least) {
      least = cost;
      result.channels = channels;
    }
  }
  result.all_at_once = result.channels == most;
}

/// Of k equal messages in one queue the mean arrives halfway between the first and the last; where
/// they share, all arrive with the last.
Waiting waiting_of(const LinkSamples& samples) {
  constexpr double waits = 1.3;  // times as long as one message alone
  constexpr double between = 0.75;
  if (samples.together.empty()) {
    return Waiting::none;
  }
  const double one = samples.together.front().median();
  const double last = samples.together.back().median();
  if (last < waits * one) {
    return Waiting::none;
  }
  const double mean = samples.mean.back().median();
  return mean - one > between * (last - one) ? Waiting::shared : Waiting::queued;
}

}  // namespace

std::string_view waiting_word(Waiting waiting) noexcept {
  constexpr std::array<std::string_view, 3> words{"none", "shared", "queued"};
  return words[static_cast<std::size_t>(waiting)];
}

LinkFit fit_link(const LinkSamples& samples, const BootstrapOptions& options) {
  expects(samples.single.size() >= 3, "three sizes tell a line");
  const Rows rows = rows_of(samples);
  const calibrate::Fit best = fit_rows(rows, {});
  calibrate::FitOptions near;
  near.starts = 1;
  near.also_from = best.point();
  std::array<std::vector<double>, place_count + 1> values;
  std::mt19937_64 random(options.seed);
  for (int i = 0; i < options.samples; ++i) {
    const calibrate::Point point = fit_rows(rows_of(resampled(samples, random)), near).point();
    for (std::size_t place = 0; place < place_count; ++place) {
      values[place].push_back(point[place]);
    }
    values[place_count].push_back(point[latency] + point[send] + point[receive]);
  }
  const calibrate::Point point = best.point();
  LinkFit result;
  result.latency = estimate(point[latency], values[latency]);
  result.send = estimate(point[send], values[send]);
  result.receive = estimate(point[receive], values[receive]);
  result.gap = estimate(point[gap], values[gap]);
  result.per_byte = estimate(point[per_byte], values[per_byte]);
  result.start = estimate(point[latency] + point[send] + point[receive], values[place_count]);
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    if (rows.rows[i].kind == Kind::one_way) {
      result.worst = std::max(result.worst, std::abs(best.predicted[i] / rows.seconds[i] - 1.0));
    }
  }
  result.segments = segments_of(samples.single);
  fit_channels(samples.together, result);
  result.waiting = waiting_of(samples);
  return result;
}

}  // namespace gridcast::measure
