#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gridcast/base/json_writer.h"
#include "gridcast/base/readable.h"
#include "gridcast/calibrate/calibration.h"
#include "gridcast/predict/assumed.h"

namespace gridcast::calibrate {
namespace {

const char* word_of(Told told) {
  switch (told) {
    case Told::told:
      return "told";
    case Told::roughly:
      return "roughly";
    case Told::hardly:
      return "hardly";
    case Told::at_bound:
      return "at_bound";
    case Told::untold:
      break;
  }
  return "untold";
}

std::string companions_text(const Calibration& calibration, std::size_t index) {
  std::string names;
  for (const std::size_t other : calibration.fitted[index].together) {
    names += (names.empty() ? "" : ", ") + calibration.parameters[other].name;
  }
  return names.empty() ? names : "; only together with " + names;
}

std::string range_text(const Calibration& calibration, std::size_t index) {
  const FittedNumber& number = calibration.fitted[index];
  if (number.high >= calibration.parameters[index].upper) {
    return fmt::format("{} or more", number.low);
  }
  return fmt::format("{} to {}", number.low, number.high);
}

std::string error_line(const std::string& what, const Errors& errors) {
  return fmt::format("{:34} {:8.1f} {:8.1f} {:8.1f} {:+8.1f}\n", what, 100.0 * errors.mean,
                     100.0 * errors.median, 100.0 * errors.worst, 100.0 * errors.bias);
}

std::string unit_of(const Parameter& parameter) {
  if (parameter.performance || parameter.integer) {
    return {};
  }
  return parameter.name == trace_cost_name ? " s" : " µs";
}

void write_errors(JsonWriter& json, const char* key, const Errors& errors) {
  json.key(key);
  json.begin_object(Layout::line);
  json.member("count", static_cast<std::int64_t>(errors.count));
  json.member("mean", errors.mean);
  json.member("median", errors.median);
  json.member("worst", errors.worst);
  json.member("bias", errors.bias);
  json.end_object();
}

void write_number(JsonWriter& json, const Calibration& calibration, std::size_t index) {
  const FittedNumber& fitted = calibration.fitted[index];
  json.begin_object(Layout::line);
  json.member("name", calibration.parameters[index].name);
  json.member("before", calibration.parameters[index].value);
  json.member("value", calibration.values[index]);
  json.member("told", word_of(fitted.told));
  json.member("uncertainty", fitted.uncertainty);
  json.member("verdict", verdict(calibration, index));
  json.key("together");
  json.begin_array(Layout::line);
  for (const std::size_t other : fitted.together) {
    json.string(calibration.parameters[other].name);
  }
  json.end_array();
  json.end_object();
}

void write_row(JsonWriter& json, const Calibration& calibration, const Experiment& row,
               std::size_t index) {
  json.begin_object(Layout::line);
  json.member("name", row.name());
  json.member("measured", row.seconds);
  json.member("before", calibration.before[index]);
  json.member("after", calibration.after[index]);
  json.key("left_out");
  if (calibration.left_out.empty() || calibration.left_out[index] == 0.0) {
    json.null();
  } else {
    json.number(calibration.left_out[index]);
  }
  json.member("counts", std::ranges::find(calibration.let_go, index) == calibration.let_go.end());
  json.end_object();
}

std::string row_line(const Calibration& calibration, const Experiment& row, std::size_t index) {
  const auto error = [&row](double predicted) { return 100.0 * (predicted / row.seconds - 1.0); };
  std::string line =
      fmt::format("{:40} {:>12} {:+8.1f} {:+8.1f}", row.name(), seconds_text(row.seconds),
                  error(calibration.before[index]), error(calibration.after[index]));
  if (!calibration.left_out.empty() && calibration.left_out[index] > 0.0) {
    line += fmt::format(" {:+8.1f}", error(calibration.left_out[index]));
  }
  return line + "\n";
}

}  // namespace

std::string verdict(const Calibration& calibration, std::size_t index) {
  const FittedNumber& number = calibration.fitted[index];
  const bool integer = calibration.parameters[index].integer;
  switch (number.told) {
    case Told::told:
      return integer ? "told: every other value fits worse"
                     : fmt::format("told within {:.1f} %", 100.0 * number.uncertainty);
    case Told::roughly:
      return (integer ? "not told exactly: " + range_text(calibration, index) + " fit as well"
                      : fmt::format("told roughly, within {:.0f} %", 100.0 * number.uncertainty)) +
             companions_text(calibration, index);
    case Told::hardly:
      return fmt::format("hardly told, within {:.0f} %", 100.0 * number.uncertainty) +
             companions_text(calibration, index);
    case Told::at_bound:
      return "at the bound of its range";
    case Told::untold:
      break;
  }
  return "not told by these times, kept" +
         (integer ? ": " + range_text(calibration, index) + " fit as well" : std::string()) +
         companions_text(calibration, index);
}

std::string let_go_text(const Calibration& calibration, const Experiments& experiments) {
  std::string text;
  for (const std::size_t index : calibration.let_go) {
    const Experiment& row = experiments.rows()[index];
    const double off = calibration.after[index] / row.seconds - 1.0;
    text +=
        fmt::format("{} does not count: it took {:.0f} % {} than these numbers explain\n",
                    row.name(), 100.0 * std::abs(off / (1.0 + off)), off > 0.0 ? "less" : "more");
  }
  return text;
}

std::string text_of(const Calibration& calibration, const Experiments& experiments,
                    bool every_row) {
  std::string text = fmt::format("{:24} {:>14} {:>14}   {}\n", "number", "before", "after", "");
  for (std::size_t i = 0; i < calibration.parameters.size(); ++i) {
    const Parameter& parameter = calibration.parameters[i];
    text += fmt::format("{:24} {:>14.6g} {:>14.6g}{:4}{}\n", parameter.name, parameter.value,
                        calibration.values[i], unit_of(parameter), verdict(calibration, i));
  }
  text += fmt::format("\n{:34} {:>8} {:>8} {:>8} {:>8}\n", "errors in %", "mean", "median", "worst",
                      "bias");
  text += error_line("before", calibration.errors_before);
  text += error_line("after", calibration.errors_after);
  if (!calibration.left_out_text.empty()) {
    text += error_line("left out, " + calibration.left_out_text, calibration.errors_left_out);
  }
  const std::string let_go = let_go_text(calibration, experiments);
  text += let_go.empty() ? let_go : "\n" + let_go;
  if (every_row) {
    text += fmt::format("\n{:40} {:>12} {:>8} {:>8} {:>8}\n", "errors in %", "measured", "before",
                        "after", "left out");
    for (std::size_t i = 0; i < experiments.rows().size(); ++i) {
      text += row_line(calibration, experiments.rows()[i], i);
    }
  }
  return text;
}

void write_json(std::ostream& out, const Calibration& calibration, const Experiments& experiments) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.member("schema", "gridcast.calibration/1");
  json.key("assumed");
  model::write_assumed(json, experiments.assumed());
  json.key("numbers");
  json.begin_array(Layout::lines);
  for (std::size_t i = 0; i < calibration.parameters.size(); ++i) {
    write_number(json, calibration, i);
  }
  json.end_array();
  write_errors(json, "errors_before", calibration.errors_before);
  write_errors(json, "errors_after", calibration.errors_after);
  write_errors(json, "errors_left_out", calibration.errors_left_out);
  json.member("left_out", calibration.left_out_text);
  json.member("trace_cost", calibration.trace_cost);
  json.key("times");
  json.begin_array(Layout::lines);
  for (std::size_t i = 0; i < experiments.rows().size(); ++i) {
    write_row(json, calibration, experiments.rows()[i], i);
  }
  json.end_array();
  json.end_object();
  out << "\n";
}

}  // namespace gridcast::calibrate
