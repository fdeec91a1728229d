#include "shortened_script.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gridcast/figures/figures.h"

namespace gridcast::model {
namespace {

/// The part of the execution time that an estimate may be off, as far as can be told.
constexpr double accepted_error = 0.004;

/// Standard errors that an estimate may be off.
constexpr double believed_errors = 4.0;

/// Of what a loop costs, seconds: how much groups of the sample differ in what the differences of
/// their times cost.
double standard_error(const ShortenedSample& sample, std::span<const IntervalSums> intervals) {
  const auto cost = [&](std::size_t interval) { return intervals[interval].times.execution_time; };
  std::array<double, ShortenedSample::groups> more{};
  for (std::size_t g = 0; g < more.size(); ++g) {
    more[g] = -cost(sample.means[g]);
  }
  for (std::size_t k = 0; k < sample.iterations.size(); ++k) {
    more[k % more.size()] += cost(sample.iterations[k]) / ShortenedSample::group_size;
  }
  constexpr auto groups = static_cast<double>(ShortenedSample::groups);
  const double mean = std::accumulate(more.begin(), more.end(), 0.0) / groups;
  double squares = 0.0;
  for (const double each : more) {
    squares += (each - mean) * (each - mean);
  }
  return sample.count * std::sqrt(squares / (groups - 1.0) / groups);
}

std::string iterations_of(std::size_t count, const char* rest) {
  return std::to_string(count) + (count == 1 ? " iteration" : " iterations") + rest;
}

}  // namespace

bool possible(std::span<const Characteristics> intervals) {
  return std::all_of(intervals.begin(), intervals.end(), [](const Characteristics& sums) {
    return std::all_of(figures().begin(), figures().end(), [&](const Figure& figure) {
      return sums.*figure.value >= -1e-9 * sums.total_time;
    });
  });
}

ShortenedScript::ShortenedScript(const Script& script) : ops_(script.tables().ops.size()) {
  ScriptShortener shortener(script);
  script_ = shortener.script();
  shortening_ = shortener.take();
}

bool ShortenedScript::expand(std::span<IntervalSums> intervals) const {
  double squares = 0.0;
  for (const ShortenedSample& sample : shortening_.samples) {
    const double error = standard_error(sample, intervals);
    squares += error * error;
  }
  for (const ShortenedTerm& term : shortening_.terms) {
    add(intervals[term.to], intervals[term.from], term.factor);
  }
  // Whether samples tell well enough what differences of times cost.
  return believed_errors * std::sqrt(squares) <=
         accepted_error * intervals.front().times.execution_time;
}

void ShortenedScript::expand(std::span<std::vector<ProcessorTimes>> intervals) const {
  for (const ShortenedTerm& term : shortening_.terms) {
    for (std::size_t p = 0; p < intervals[term.to].size(); ++p) {
      add(intervals[term.to][p], intervals[term.from][p], term.factor);
    }
  }
}

std::vector<std::string> ShortenedScript::notes(bool in_full) const {
  const ShortenedCounts& counts = shortening_.counts;
  std::vector<std::string> notes;
  if (in_full) {
    notes.push_back(iterations_of(counts.left_out + counts.few + counts.unsynchronized,
                                  " of equal calls simulated in full: some of them might be more "
                                  "than 0.5 % off"));
    return notes;
  }
  if (counts.left_out > 0) {
    const auto percent =
        std::lround(100.0 * static_cast<double>(counts.left_out_ops) / static_cast<double>(ops_));
    notes.push_back("extrapolated " + iterations_of(counts.left_out, " of ") +
                    std::to_string(counts.loops) +
                    (counts.loops == 1 ? " sequential loop (" : " sequential loops (") +
                    std::to_string(percent) + " % of the operations were not simulated)");
  }
  if (counts.few > 0) {
    notes.push_back(iterations_of(counts.few,
                                  " of equal calls simulated in full: too few for the differences "
                                  "of their times"));
  }
  if (counts.uneven > 0) {
    notes.push_back(iterations_of(
        counts.uneven, " of equal calls simulated in full: their times differ too much"));
  }
  if (counts.unsynchronized > 0) {
    notes.push_back(
        iterations_of(counts.unsynchronized,
                      " of equal calls simulated in full: no call waits for all processors"));
  }
  return notes;
}

}  // namespace gridcast::model
