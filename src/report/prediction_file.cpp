#include "gridcast/report/prediction_file.h"

#include <algorithm>
#include <cmath>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "gridcast/base/error.h"
#include "gridcast/figures/figures.h"

namespace gridcast::report {
namespace {

using nlohmann::json;

constexpr const char* wanted_file = "expected the JSON that gridcast predict --json writes";

/// Takes values out of a document and says where one is missing or wrong.
class Members {
public:
  Members(const std::string& file, const json& object, std::string place)
      : file_(&file), object_(&object), place_(std::move(place)) {
    if (!object.is_object()) {
      fail("is no object");
    }
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw InputError(*file_, 0, (place_.empty() ? "the prediction" : place_) + " " + problem,
                     wanted_file);
  }

  [[nodiscard]] bool has(const char* name) const { return object_->contains(name); }

  [[nodiscard]] const json& at(const char* name) const {
    const auto found = object_->find(name);
    if (found == object_->end()) {
      fail(std::string("has no \"") + name + "\"");
    }
    return *found;
  }

  [[nodiscard]] double number(const char* name) const {
    const json& value = at(name);
    if (!value.is_number()) {
      fail(std::string("has no number for \"") + name + "\"");
    }
    return value.get<double>();
  }

  [[nodiscard]] std::int64_t integer(const char* name) const {
    const json& value = at(name);
    if (!value.is_number_integer()) {
      fail(std::string("has no integer for \"") + name + "\"");
    }
    return value.get<std::int64_t>();
  }

  [[nodiscard]] std::string text(const char* name) const {
    const json& value = at(name);
    if (!value.is_string()) {
      fail(std::string("has no text for \"") + name + "\"");
    }
    return value.get<std::string>();
  }

  /// A text, or empty where it is null.
  [[nodiscard]] std::string text_or_null(const char* name) const {
    return at(name).is_null() ? std::string() : text(name);
  }

  [[nodiscard]] const json& list(const char* name) const {
    const json& value = at(name);
    if (!value.is_array()) {
      fail(std::string("has no list for \"") + name + "\"");
    }
    return value;
  }

  [[nodiscard]] std::vector<double> numbers(const char* name) const {
    std::vector<double> result;
    for (const json& each : list(name)) {
      if (!each.is_number()) {
        fail(std::string("has something else than numbers in \"") + name + "\"");
      }
      result.push_back(each.get<double>());
    }
    return result;
  }

  [[nodiscard]] std::vector<std::string> texts(const char* name) const {
    std::vector<std::string> result;
    for (const json& each : list(name)) {
      if (!each.is_string()) {
        fail(std::string("has something else than text in \"") + name + "\"");
      }
      result.push_back(each.get<std::string>());
    }
    return result;
  }

  /// The object of a name.
  [[nodiscard]] Members inside(const char* name) const {
    return {*file_, at(name), (place_.empty() ? "" : place_ + ", ") + name};
  }

  /// An object of a list.
  [[nodiscard]] Members element(const json& object, const char* what, std::size_t index) const {
    return {*file_, object, std::string(what) + " " + std::to_string(index + 1)};
  }

private:
  const std::string* file_;
  const json* object_;
  std::string place_;
};

/// The value that is written under a name: `count` values of which name(value) is the text.
template <class Value, class Name>
Value named(const Members& from, const char* member, std::size_t count, Name&& name) {
  const std::string text = from.text(member);
  for (std::size_t i = 0; i < count; ++i) {
    if (text == name(static_cast<Value>(i))) {
      return static_cast<Value>(i);
    }
  }
  from.fail(std::string("has an unknown \"") + member + "\"");
}

trace::IntervalType interval_type(const Members& from) {
  using enum trace::IntervalType;
  const std::string text = from.text("type");
  for (const trace::IntervalType type : {main, user, sequential, parallel}) {
    if (text == interval_type_name(type)) {
      return type;
    }
  }
  from.fail("has an unknown \"type\"");
}

model::IntervalInfo identity_of(const Members& from, std::size_t index,
                                const std::vector<model::IntervalResult>& before) {
  model::IntervalInfo info;
  if (!from.at("parent").is_null()) {
    const std::int64_t parent = from.integer("parent");
    if (parent < 1 || parent > static_cast<std::int64_t>(index)) {
      from.fail("is inside of one that does not come before it");
    }
    info.parent = static_cast<std::int32_t>(parent - 1);
    info.level = before[static_cast<std::size_t>(info.parent)].info.level + 1;
  } else if (index > 0) {
    from.fail("is inside of none");
  }
  info.type = interval_type(from);
  info.count = from.integer("count");
  info.line = from.integer("line");
  info.file = from.text("file");
  if (!from.at("expression").is_null()) {
    info.expression = from.integer("expression");
  }
  return info;
}

void read_sums(const Members& from, model::IntervalResult& interval) {
  model::Characteristics& sums = interval.sums;
  for (const model::Figure& figure : model::figures()) {
    sums.*figure.value = from.number(figure.name);
  }
  for (std::size_t kind = 0; kind < model::operation_count; ++kind) {
    const Members operation = from.inside(model::operation_names[kind]);
    sums.operation_counts[kind] = operation.integer("operations");
    for (const model::OperationFigure& figure : model::operation_figures) {
      sums.operations[kind].*figure.value = operation.number(figure.name);
    }
    if (operation.has("time_variation")) {
      interval.time_variations[kind] = operation.number("time_variation");
    }
  }
  const Members pipelined = from.inside("pipelined");
  for (const model::OperationFigure& figure : model::operation_figures) {
    interval.pipelined.*figure.value = pipelined.number(figure.name);
  }
  if (from.has("execution_time_low") && from.has("execution_time_high")) {
    interval.execution_time_low = from.number("execution_time_low");
    interval.execution_time_high = from.number("execution_time_high");
  }
}

model::Losses read_losses(const Members& from) {
  model::Losses losses;
  losses.omitted = from.text_or_null("omitted");
  losses.lost_time = from.number("lost_time");
  std::size_t index = 0;
  for (const json& each : from.list("alternatives")) {
    const Members one = from.element(each, "alternative", index++);
    losses.alternatives.push_back({one.text("change"), one.number("execution_time"),
                                   one.number("total_time"), one.number("lost_time")});
  }
  index = 0;
  for (const json& each : from.list("places")) {
    const Members one = from.element(each, "place", index++);
    model::Loss loss{one.text("file"),
                     one.integer("line"),
                     named<model::Activity>(one, "activity", model::activity_count,
                                            [](model::Activity value) { return name(value); }),
                     named<model::Cause>(one, "cause", model::cause_count,
                                         [](model::Cause value) { return name(value); }),
                     one.text_or_null("network"),
                     one.number("seconds"),
                     one.numbers("instead")};
    std::size_t neighbour = 0;
    for (const json& part : one.has("neighbours") ? one.list("neighbours") : json::array()) {
      const Members with = one.element(part, "neighbour", neighbour++);
      model::NeighbourLoss& read = loss.neighbours.emplace_back();
      for (const double step : with.numbers("from")) {
        if (step != 0.0 && std::abs(step) != 1.0) {
          with.fail("has something else than -1, 0 and 1 in \"from\"");
        }
        read.from.push_back(static_cast<int>(step));
      }
      read.seconds = with.number("seconds");
    }
    losses.losses.push_back(std::move(loss));
  }
  return losses;
}

machine::Grid grid_of(const Members& from) {
  std::vector<std::int64_t> extents;
  for (const json& each : from.list("grid")) {
    if (!each.is_number_integer()) {
      from.fail("has something else than integers in \"grid\"");
    }
    extents.push_back(each.get<std::int64_t>());
  }
  return machine::Grid(extents);
}

json document_of(std::istream& in, const std::string& file) {
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  try {
    return json::parse(text);
  } catch (const json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    const auto line = std::count(text.begin(), end, '\n') + 1;
    throw InputError(file, static_cast<std::size_t>(line), "is no JSON", wanted_file);
  }
}

}  // namespace

const char* interval_type_name(trace::IntervalType type) noexcept {
  switch (type) {
    case trace::IntervalType::main:
      return "main";
    case trace::IntervalType::sequential:
      return "seq";
    case trace::IntervalType::parallel:
      return "par";
    case trace::IntervalType::user:
      break;
  }
  return "user";
}

model::Prediction read_prediction(std::istream& in, const std::string& file) {
  const json document = document_of(in, file);
  const Members from(file, document, {});
  if (!from.has("schema") || document["schema"] != prediction_schema) {
    from.fail(std::string("is not of the schema ") + prediction_schema);
  }
  model::Prediction prediction;
  prediction.grid = grid_of(from);
  prediction.machine = from.text("machine");
  prediction.traces = from.texts("trace");
  prediction.warnings = from.texts("warnings");
  if (from.has("assumed")) {
    for (const auto& [name, word] : document["assumed"].items()) {
      prediction.assumed.emplace_back(name, word.is_string() ? word.get<std::string>() : "");
    }
  }
  if (from.has("placement")) {
    prediction.placement = machine::Placement::parse(from.text("placement"));
  }
  if (from.has("memory_per_processor")) {
    prediction.memory_per_processor = from.number("memory_per_processor");
  }
  for (const json& each : from.list("intervals")) {
    const std::size_t index = prediction.intervals.size();
    const Members one = from.element(each, "interval", index);
    model::IntervalResult interval;
    interval.info = identity_of(one, index, prediction.intervals);
    read_sums(one, interval);
    prediction.intervals.push_back(std::move(interval));
  }
  if (prediction.intervals.empty()) {
    from.fail("has no intervals");
  }
  if (from.has("losses")) {
    prediction.losses = read_losses(from.inside("losses"));
  }
  return prediction;
}

}  // namespace gridcast::report
