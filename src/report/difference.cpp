#include "gridcast/report/difference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "breakdown.h"
#include "gridcast/figures/figures.h"
#include "gridcast/report/prediction_file.h"
#include "variations.h"

namespace gridcast::report {
namespace {

using model::IntervalResult;
using model::Prediction;

/// Differences below this part of the values are rounding.
constexpr double rounding = 1e-12;

std::string spaced_name(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

void add_operation(std::vector<FigureDifference>& figures, const std::string& kind,
                   const model::OperationTimes& a, const model::OperationTimes& b) {
  for (const model::OperationFigure& figure : model::operation_figures) {
    figures.push_back({kind + "_" + figure.name, spaced_name(kind) + ": " + figure.meaning, true,
                       a.*figure.value, b.*figure.value});
  }
}

/// What each interval is, in words that no other of the prediction has.
std::vector<std::string> identities_of(const Prediction& prediction) {
  std::vector<std::string> identities;
  std::map<std::string, int> alike;
  for (const IntervalResult& interval : prediction.intervals) {
    const model::IntervalInfo& info = interval.info;
    std::string words;
    if (info.parent >= 0) {
      words = identities[static_cast<std::size_t>(info.parent)] + '\n' +
              interval_type_name(info.type) + ' ' + std::to_string(info.line) + ' ' +
              (info.expression ? std::to_string(*info.expression) : "-") + ' ' + info.file;
    }
    const int number = alike[words]++;
    identities.push_back(words + ' ' + std::to_string(number));
  }
  return identities;
}

void match_intervals(Difference& difference) {
  const std::vector<IntervalResult>& first = difference.a.prediction.intervals;
  const std::vector<IntervalResult>& second = difference.b.prediction.intervals;
  const std::vector<std::string> names = identities_of(difference.a.prediction);
  std::map<std::string, std::size_t> places;
  for (std::string& name : identities_of(difference.b.prediction)) {
    const std::size_t index = places.size();
    places.emplace(std::move(name), index);
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto found = places.find(names[i]);
    if (found == places.end()) {
      difference.only_a.push_back(i);
      continue;
    }
    const std::size_t j = found->second;
    difference.intervals.push_back({i,
                                    j,
                                    {"execution_time", "execution time", true,
                                     first[i].sums.execution_time, second[j].sums.execution_time},
                                    figure_differences(first[i], second[j])});
    places.erase(found);
  }
  for (const auto& [name, index] : places) {
    difference.only_b.push_back(index);
  }
  std::sort(difference.only_b.begin(), difference.only_b.end());
  std::stable_sort(difference.intervals.begin(), difference.intervals.end(),
                   [](const IntervalDifference& one, const IntervalDifference& other) {
                     return std::abs(one.time.difference()) > std::abs(other.time.difference());
                   });
}

/// What a change of a sum over processors does to the execution time.
double effect_of(const Difference& difference, double a, double b) {
  const double first = a / static_cast<double>(difference.a.prediction.grid.processors());
  const double second = b / static_cast<double>(difference.b.prediction.grid.processors());
  const double change = second - first;
  return std::abs(change) > rounding * std::max(first, second) ? change : 0.0;
}

template <class Item>
void sort_by_effect(std::vector<Item>& items) {
  std::stable_sort(items.begin(), items.end(), [](const Item& one, const Item& other) {
    return std::abs(one.effect) > std::abs(other.effect);
  });
}

void compare_parts(Difference& difference) {
  constexpr std::array<const char*, part_count> names{"productive_cpu_time",
                                                      "productive_sys_time",
                                                      "io_time",
                                                      "insufficient_parallelism",
                                                      "io",
                                                      "reduction",
                                                      "shadow",
                                                      "pipelined",
                                                      "remote_access",
                                                      "redistribution",
                                                      "idle"};
  const auto first = parts_of_total(difference.a.prediction.intervals.front());
  const auto second = parts_of_total(difference.b.prediction.intervals.front());
  for (std::size_t i = 0; i < part_count; ++i) {
    difference.parts.push_back({names[i], first[i].seconds, second[i].seconds,
                                effect_of(difference, first[i].seconds, second[i].seconds)});
  }
}

/// Why the losses of a side are not known; empty if they are.
std::string losses_missing(const DifferenceSide& side) {
  if (!side.prediction.losses) {
    return side.name + " has no losses by place and cause";
  }
  return side.prediction.losses->omitted.empty()
             ? std::string()
             : side.name + " has no losses: " + side.prediction.losses->omitted;
}

using LossKey = std::tuple<std::string, std::int64_t, model::Activity, model::Cause, std::string>;

LossKey key_of(const model::Loss& loss) {
  return {loss.file, loss.line, loss.activity, loss.cause, loss.network};
}

void compare_losses(Difference& difference) {
  difference.omitted = losses_missing(difference.a);
  if (difference.omitted.empty()) {
    difference.omitted = losses_missing(difference.b);
  }
  if (!difference.omitted.empty()) {
    return;
  }
  std::map<LossKey, LossDifference> places;
  const auto add = [&places](const DifferenceSide& side, double LossDifference::*value) {
    for (const model::Loss& loss : side.prediction.losses->losses) {
      LossDifference& place = places[key_of(loss)];
      place.loss = {loss.file, loss.line, loss.activity, loss.cause, loss.network, 0.0, {}};
      place.*value += loss.seconds;
    }
  };
  add(difference.a, &LossDifference::a);
  add(difference.b, &LossDifference::b);
  std::map<std::string, PartDifference> causes;
  for (auto& [key, place] : places) {
    place.effect = effect_of(difference, place.a, place.b);
    PartDifference& cause = causes[name(place.loss.cause)];
    cause.a += place.a;
    cause.b += place.b;
    cause.effect += place.effect;
    difference.losses.push_back(place);
  }
  for (auto& [name, cause] : causes) {
    cause.name = name;
    difference.causes.push_back(cause);
  }
  sort_by_effect(difference.losses);
  sort_by_effect(difference.causes);
}

}  // namespace

std::optional<double> FigureDifference::ratio() const noexcept {
  return a == 0.0 ? std::nullopt : std::optional(b / a);
}

bool FigureDifference::changed() const noexcept {
  return std::abs(b - a) > rounding * std::max(std::abs(a), std::abs(b));
}

std::vector<FigureDifference> figure_differences(const model::IntervalResult& a,
                                                 const model::IntervalResult& b) {
  std::vector<FigureDifference> figures;
  for (const model::Figure& figure : model::figures()) {
    figures.push_back({figure.name, figure.meaning, std::string_view(figure.unit) == "s",
                       a.sums.*figure.value, b.sums.*figure.value});
  }
  for (std::size_t kind = 0; kind < model::operation_count; ++kind) {
    const std::string name = model::operation_names[kind];
    add_operation(figures, name, a.sums.operations[kind], b.sums.operations[kind]);
    if (variations_known(a) && variations_known(b)) {
      figures.push_back({name + "_time_variation", spaced_name(name) + ": time variation", true,
                         a.time_variations[kind], b.time_variations[kind]});
    }
    figures.push_back({name + "_operations", spaced_name(name) + ": number of operations", false,
                       static_cast<double>(a.sums.operation_counts[kind]),
                       static_cast<double>(b.sums.operation_counts[kind])});
  }
  add_operation(figures, "pipelined", a.pipelined, b.pipelined);
  std::stable_sort(figures.begin(), figures.end(),
                   [](const FigureDifference& one, const FigureDifference& other) {
                     return std::tuple(!one.seconds, -std::abs(one.difference())) <
                            std::tuple(!other.seconds, -std::abs(other.difference()));
                   });
  return figures;
}

Difference difference_of(DifferenceSide a, DifferenceSide b) {
  Difference difference;
  difference.a = std::move(a);
  difference.b = std::move(b);
  const model::Characteristics& first = difference.a.prediction.intervals.front().sums;
  const model::Characteristics& second = difference.b.prediction.intervals.front().sums;
  difference.time = {"execution_time", "execution time", true, first.execution_time,
                     second.execution_time};
  match_intervals(difference);
  compare_parts(difference);
  difference.productive_effect =
      effect_of(difference, first.productive_time, second.productive_time);
  compare_losses(difference);
  return difference;
}

}  // namespace gridcast::report
