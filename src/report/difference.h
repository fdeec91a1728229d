#pragma once
/// What differs between two predictions, and where the difference of their times comes from
/// (`gridcast compare A.json B.json`).

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/base/json_writer.h"
#include "gridcast/predict/prediction.h"

namespace gridcast::report {

/// A characteristic of both predictions.
struct FigureDifference {
  std::string name;     ///< as in JSON; of operations KIND_NAME
  std::string meaning;  ///< a phrase for people
  bool seconds = true;  ///< else a plain number
  double a = 0.0;
  double b = 0.0;

  [[nodiscard]] double difference() const noexcept { return b - a; }
  /// b / a; nothing if a is 0.
  [[nodiscard]] std::optional<double> ratio() const noexcept;
  /// Whether they differ by more than rounding.
  [[nodiscard]] bool changed() const noexcept;
};

/// An interval that both predictions have.
struct IntervalDifference {
  std::size_t a = 0;  ///< index in the first prediction
  std::size_t b = 0;
  FigureDifference time;                  ///< execution time
  std::vector<FigureDifference> figures;  ///< times first; those that changed most before others
};

/// A part of the processors' time, summed over them, and what its change does to the execution
/// time.
struct PartDifference {
  std::string name;  ///< as in JSON
  double a = 0.0;
  double b = 0.0;
  /// b per processor of the second less a per processor of the first, seconds.
  double effect = 0.0;
};

/// Time lost at one place for one cause.
struct LossDifference {
  model::Loss loss;  ///< its identity: place, activity, cause and network
  double a = 0.0;
  double b = 0.0;
  double effect = 0.0;  ///< as of a part
};

/// One of the two predictions.
struct DifferenceSide {
  std::string name;  ///< of the file
  model::Prediction prediction;
};

/// All that differs. Intervals and places are matched by what they are: nesting, type, file and
/// line, expression, number among equal ones.
struct Difference {
  DifferenceSide a, b;
  FigureDifference time;                      ///< execution time of the whole program
  std::vector<IntervalDifference> intervals;  ///< those whose time changed most first
  std::vector<std::size_t> only_a, only_b;    ///< indices of intervals that the other has not
  std::vector<PartDifference> parts;          ///< their effects add up to the difference
  std::vector<PartDifference> causes;         ///< of `losses`, largest effect first
  std::vector<LossDifference> losses;         ///< largest effect first
  double productive_effect = 0.0;             ///< with those of `losses`: the difference
  std::string omitted;                        ///< why there are no losses; empty if there are
};

/// All characteristics of two intervals: seconds first, those that changed most before others.
[[nodiscard]] std::vector<FigureDifference> figure_differences(const model::IntervalResult& a,
                                                               const model::IntervalResult& b);

/// A line per characteristic that changed, under a line of heads that ends with `title`.
[[nodiscard]] std::string figures_text(const std::vector<FigureDifference>& figures,
                                       const std::string& title);

/// Compares two predictions; each has at least one interval, the whole program.
[[nodiscard]] Difference difference_of(DifferenceSide a, DifferenceSide b);

/// The values of one figure, or of all of a list as an array of objects with their names.
void write_figure_values(JsonWriter& json, const FigureDifference& figure);
void write_figures_json(JsonWriter& json, const std::vector<FigureDifference>& figures);

/// The JSON of schema `gridcast.difference/1` (docs/json.md). The caller checks `out` afterwards.
void write_difference_json(std::ostream& out, const Difference& difference);

/// Lines of UTF-8 for a terminal: where the difference comes from, intervals and characteristics
/// that changed most.
[[nodiscard]] std::string difference_text(const Difference& difference);

/// One self-contained HTML5 page. The caller checks `out` afterwards.
void write_difference_html(std::ostream& out, const Difference& difference);

}  // namespace gridcast::report
