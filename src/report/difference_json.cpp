#include <ostream>

#include "gridcast/base/json_writer.h"
#include "gridcast/report/difference.h"
#include "gridcast/report/prediction_file.h"
#include "json_members.h"

namespace gridcast::report {
namespace {

void put_side(JsonWriter& json, const char* key, const DifferenceSide& side) {
  const model::Prediction& prediction = side.prediction;
  json.key(key);
  json.begin_object(Layout::line);
  json.member("file", side.name);
  put_subject(json, prediction);
  put_placement(json, prediction);
  json.end_object();
}

void put_interval_identity(JsonWriter& json, const model::IntervalInfo& info) {
  json.member("level", std::int64_t{info.level});
  json.member("type", std::string(interval_type_name(info.type)));
  json.member("file", info.file);
  json.member("line", info.line);
  json.member("expression", info.expression);
}

void put_interval_difference(JsonWriter& json, const Difference& difference,
                             const IntervalDifference& interval) {
  const auto& first = difference.a.prediction.intervals[interval.a].info;
  const auto& second = difference.b.prediction.intervals[interval.b].info;
  json.begin_object(Layout::lines);
  json.member("id_a", static_cast<std::int64_t>(interval.a) + 1);
  json.member("id_b", static_cast<std::int64_t>(interval.b) + 1);
  put_interval_identity(json, first);
  json.member("count_a", first.count);
  json.member("count_b", second.count);
  json.key("characteristics");
  write_figures_json(json, interval.figures);
  json.end_object();
}

void put_unmatched(JsonWriter& json, const char* key, const model::Prediction& prediction,
                   const std::vector<std::size_t>& indices) {
  json.key(key);
  json.begin_array(Layout::lines);
  for (const std::size_t index : indices) {
    json.begin_object(Layout::line);
    json.member("id", static_cast<std::int64_t>(index) + 1);
    put_interval_identity(json, prediction.intervals[index].info);
    json.member("execution_time", prediction.intervals[index].sums.execution_time);
    json.end_object();
  }
  json.end_array();
}

void put_parts(JsonWriter& json, const char* key, const std::vector<PartDifference>& parts) {
  json.key(key);
  json.begin_array(Layout::lines);
  for (const PartDifference& part : parts) {
    json.begin_object(Layout::line);
    json.member("name", part.name);
    json.member("a", part.a);
    json.member("b", part.b);
    json.member("effect", part.effect);
    json.end_object();
  }
  json.end_array();
}

void put_places(JsonWriter& json, const Difference& difference) {
  json.key("places");
  json.begin_array(Layout::lines);
  for (const LossDifference& place : difference.losses) {
    json.begin_object(Layout::line);
    json.member("file", place.loss.file);
    json.member("line", place.loss.line);
    json.member("activity", std::string(model::name(place.loss.activity)));
    json.member("cause", std::string(model::name(place.loss.cause)));
    json.text_or_null("network", place.loss.network);
    json.member("a", place.a);
    json.member("b", place.b);
    json.member("difference", place.b - place.a);
    json.key("ratio");
    if (place.a == 0.0) {
      json.null();
    } else {
      json.number(place.b / place.a);
    }
    json.member("effect", place.effect);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void write_figure_values(JsonWriter& json, const FigureDifference& figure) {
  json.member("a", figure.a);
  json.member("b", figure.b);
  json.member("difference", figure.difference());
  json.key("ratio");
  if (const auto ratio = figure.ratio()) {
    json.number(*ratio);
  } else {
    json.null();
  }
}

void write_figures_json(JsonWriter& json, const std::vector<FigureDifference>& figures) {
  json.begin_array(Layout::lines);
  for (const FigureDifference& figure : figures) {
    json.begin_object(Layout::line);
    json.member("name", figure.name);
    write_figure_values(json, figure);
    json.end_object();
  }
  json.end_array();
}

void write_difference_json(std::ostream& out, const Difference& difference) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.member("schema", std::string("gridcast.difference/1"));
  put_side(json, "a", difference.a);
  put_side(json, "b", difference.b);
  json.key("execution_time");
  json.begin_object(Layout::line);
  write_figure_values(json, difference.time);
  json.end_object();
  put_parts(json, "parts", difference.parts);
  json.text_or_null("losses_omitted", difference.omitted);
  json.member("productive_effect", difference.productive_effect);
  put_parts(json, "causes", difference.causes);
  put_places(json, difference);
  json.key("intervals");
  json.begin_array(Layout::lines);
  for (const IntervalDifference& interval : difference.intervals) {
    put_interval_difference(json, difference, interval);
  }
  json.end_array();
  put_unmatched(json, "only_a", difference.a.prediction, difference.only_a);
  put_unmatched(json, "only_b", difference.b.prediction, difference.only_b);
  json.end_object();
  out << "\n";
}

}  // namespace gridcast::report
