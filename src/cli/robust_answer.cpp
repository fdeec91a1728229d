#include "robust_answer.h"

#include <fmt/format.h>

#include <limits>
#include <optional>

namespace gridcast::cli {
namespace {

/// Where another grid wins first: the number of the machine, and by how many times it changes.
struct FirstLoss {
  const store::RobustNumber* number = nullptr;
  bool above = true;
  double times = std::numeric_limits<double>::infinity();
};

FirstLoss first_loss(const store::Robustness& found) {
  FirstLoss first;
  for (const store::RobustNumber& number : found.numbers) {
    const auto look = [&](bool above, const std::string& winner, double times) {
      if (!winner.empty() && times < first.times) {
        first = {&number, above, times};
      }
    };
    if (number.value > 0.0 && number.low > 0.0) {
      look(true, number.above, number.high / number.value);
      look(false, number.below, number.value / number.low);
    }
  }
  return first;
}

/// How the start times of all networks may grow, for the largest share.
std::string latency_words(const store::Robustness& found) {
  const store::RobustLatency* widest = nullptr;
  for (const store::RobustLatency& each : found.latency) {
    if (each.network.empty() && (widest == nullptr || each.share > widest->share)) {
      widest = &each;
    }
  }
  if (widest == nullptr) {
    return {};
  }
  const std::string cost = fmt::format("{:g} % more time", 100.0 * widest->share);
  return widest->times < 0.0
             ? "; start times never cost " + cost
             : fmt::format("; start times {:.3g} times as long cost {}", widest->times, cost);
}

}  // namespace

std::string placed_grid_text(const machine::Grid& grid, const machine::Placement& placement) {
  return grid.text() +
         (placement == machine::Placement{} ? "" : " placed by " + placement.text(grid.rank()));
}

std::string placed_grid_text(const search::Outcome& outcome) {
  return placed_grid_text(outcome.grid, machine::placement_of(outcome.grid, outcome.placement));
}

store::Robustness stored_robustness(const sweep::Robustness& found,
                                    const sweep::RobustnessQuestion& question) {
  const auto text = [](const std::optional<search::Outcome>& outcome) {
    return outcome ? placed_grid_text(*outcome) : std::string();
  };
  store::Robustness result{question.reach,
                           question.precision,
                           text(found.best),
                           text(found.runner_up),
                           found.runner_up ? found.gap : 0.0,
                           {},
                           {}};
  for (const sweep::NumberRange& range : found.ranges) {
    result.numbers.push_back(
        {range.name, range.value, range.low, range.high, text(range.below), text(range.above)});
  }
  for (const sweep::LatencyTolerance& each : found.tolerances) {
    result.latency.push_back({each.network, each.share, each.times.value_or(-1.0)});
  }
  return result;
}

bool is_about(const store::Robustness& found, const report::Answer& answer) {
  return answer.best && found.best == placed_grid_text(answer.best->grid, answer.best->placement);
}

std::string robust_sentence(const store::Robustness& found) {
  const FirstLoss first = first_loss(found);
  const std::string text =
      first.number == nullptr
          ? fmt::format(
                "the best with any one number of the machine up to {:g} times as large or "
                "small",
                found.reach)
          : fmt::format("the best until {} is {} {:.4g} (it is {:.4g}), then {}",
                        first.number->name, first.above ? "above" : "below",
                        first.above ? first.number->high : first.number->low, first.number->value,
                        first.above ? first.number->above : first.number->below);
  return text + latency_words(found);
}

void put_robustness(JsonWriter& json, const store::Robustness& found) {
  json.begin_object(Layout::line);
  json.member("reach", found.reach);
  json.member("precision", found.precision);
  json.text_or_null("best", found.best);
  json.text_or_null("runner_up", found.runner_up);
  json.member("gap", found.gap);
  json.key("numbers");
  json.begin_array(Layout::line);
  for (const store::RobustNumber& each : found.numbers) {
    json.begin_object(Layout::line);
    json.text_or_null("name", each.name);
    json.member("value", each.value);
    json.member("low", each.low);
    json.member("high", each.high);
    json.text_or_null("below", each.below);
    json.text_or_null("above", each.above);
    json.end_object();
  }
  json.end_array();
  json.key("latency");
  json.begin_array(Layout::line);
  for (const store::RobustLatency& each : found.latency) {
    json.begin_object(Layout::line);
    json.text_or_null("network", each.network);
    json.member("share", each.share);
    json.member("times", each.times < 0.0 ? std::nullopt : std::optional(each.times));
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

}  // namespace gridcast::cli
