#include <fmt/format.h>

#include <cmath>

#include "gridcast/base/printable.h"
#include "gridcast/base/readable.h"
#include "gridcast/report/difference.h"
#include "gridcast/report/format.h"
#include "losses.h"

namespace gridcast::report {
namespace {

constexpr std::size_t shown_lines = 10;

std::string right(std::string_view text, std::size_t width) {
  const std::size_t own = columns_of(text);
  return std::string(own < width ? width - own : 0, ' ') + std::string(text);
}

std::string signed_seconds(double seconds) {
  return (seconds > 0.0 ? "+" : "") + seconds_text(seconds);
}

std::string ratio_text(const FigureDifference& figure) {
  const auto ratio = figure.ratio();
  return ratio ? fmt::format("{:.3f}", *ratio) : std::string("-");
}

std::string side_text(const char* letter, const DifferenceSide& side) {
  const model::Prediction& prediction = side.prediction;
  const model::Characteristics& sums = prediction.intervals.front().sums;
  const std::string assumed = model::assumed_text(prediction.assumed);
  return fmt::format("{} {}: {} on {} of {}, {}, efficiency {}\n", letter, printable(side.name),
                     counted(prediction.grid.processors(), "processor"), prediction.grid.text(),
                     printable(prediction.machine), seconds_text(sums.execution_time),
                     format_efficiency(sums.efficiency)) +
         (assumed.empty() ? "" : "  assumed " + printable(assumed) + "\n");
}

std::string effect_line(double effect, const std::string& what) {
  return right(signed_seconds(effect), 12) + "  " + what + "\n";
}

std::string effects_text(const Difference& difference) {
  std::string text = "\nwhere the difference comes from: it is the sum of\n";
  if (!difference.omitted.empty()) {
    for (const PartDifference& part : difference.parts) {
      if (part.effect != 0.0) {
        text += effect_line(part.effect, part.name);
      }
    }
    return text + "by place and cause it was not worked out: " + printable(difference.omitted) +
           "\n";
  }
  text += effect_line(difference.productive_effect, "productive time, spread over the processors");
  double rest = 0.0;
  for (std::size_t i = 0; i < difference.losses.size(); ++i) {
    const LossDifference& place = difference.losses[i];
    if (i >= shown_lines) {
      rest += place.effect;
      continue;
    }
    text += effect_line(
        place.effect,
        fmt::format("{}  {}, {}: {} lost, was {}", printable(loss_place(place.loss)),
                    loss_activity(place.loss.activity), printable(loss_cause(place.loss)),
                    seconds_text(place.b), seconds_text(place.a)));
  }
  if (difference.losses.size() > shown_lines) {
    text += effect_line(
        rest,
        counted(static_cast<std::int64_t>(difference.losses.size() - shown_lines), "more place"));
  }
  return text;
}

std::string values_line(const FigureDifference& figure, const std::string& what) {
  const auto shown = [&figure](double value) {
    return figure.seconds ? seconds_text(value) : fmt::format("{:.6g}", value);
  };
  const std::string change = (figure.difference() > 0.0 ? "+" : "") + shown(figure.difference());
  return right(shown(figure.a), 12) + right(shown(figure.b), 12) + right(change, 12) +
         right(ratio_text(figure), 9) + "  " + what + "\n";
}

std::string heads_line(const std::string& what) {
  return right("A", 12) + right("B", 12) + right("B - A", 12) + right("B / A", 9) + "  " + what +
         "\n";
}

std::string unmatched_text(const char* letter, const DifferenceSide& side,
                           const std::vector<std::size_t>& indices) {
  std::string text;
  for (std::size_t i = 0; i < std::min(indices.size(), shown_lines); ++i) {
    text += fmt::format("only in {}: {}, {}\n", letter,
                        printable(interval_label(side.prediction.intervals[indices[i]].info)),
                        seconds_text(side.prediction.intervals[indices[i]].sums.execution_time));
  }
  if (indices.size() > shown_lines) {
    text += fmt::format("only in {}: {} more intervals\n", letter, indices.size() - shown_lines);
  }
  return text;
}

}  // namespace

std::string figures_text(const std::vector<FigureDifference>& figures, const std::string& title) {
  std::string text;
  for (const FigureDifference& figure : figures) {
    if (figure.changed()) {
      text += values_line(figure, figure.meaning);
    }
  }
  return text.empty() ? "no characteristic differs " + title + "\n" : heads_line(title) + text;
}

std::string difference_text(const Difference& difference) {
  const double change = difference.time.difference();
  std::string text = side_text("A", difference.a) + side_text("B", difference.b);
  text +=
      change == 0.0
          ? std::string("A and B take equally long\n")
          : fmt::format("B takes {} {} than A, {} times as long\n", seconds_text(std::abs(change)),
                        change > 0.0 ? "longer" : "less", ratio_text(difference.time));
  text += effects_text(difference);
  text += "\n" + heads_line("execution time of");
  for (std::size_t i = 0; i < std::min(difference.intervals.size(), shown_lines); ++i) {
    const IntervalDifference& interval = difference.intervals[i];
    text +=
        values_line(interval.time,
                    printable(interval_label(difference.a.prediction.intervals[interval.a].info)));
  }
  text += unmatched_text("A", difference.a, difference.only_a);
  text += unmatched_text("B", difference.b, difference.only_b);
  for (const IntervalDifference& interval : difference.intervals) {
    if (interval.a == 0) {
      text += "\n" + figures_text(interval.figures, "of the whole program, all processors");
    }
  }
  return text;
}

}  // namespace gridcast::report
