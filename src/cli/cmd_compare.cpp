#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "assumed.h"
#include "commands.h"
#include "compared_predictions.h"
#include "compared_times.h"
#include "gridcast/base/error.h"
#include "gridcast/base/json_writer.h"
#include "gridcast/base/readable.h"
#include "gridcast/calibrate/comparison.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/report/comparison_html.h"
#include "gridcast/report/prediction_file.h"
#include "gridcast/store/reader.h"
#include "inputs.h"
#include "measured_options.h"
#include "output.h"
#include "places.h"
#include "run.h"

namespace gridcast::cli {
namespace {

struct CompareOptions {
  std::vector<std::string> files;  ///< predicted ones, then the measured one
  MachineOptions machine;
  MeasuredOptions measured;
  model::OptionWords model;
  bool variants = false;
  std::vector<std::string> shapes;  ///< --shape-traces
  std::vector<std::string> grids;   ///< of stores whose predictions are compared
  std::string json;
  std::string html;
};

std::string tau_text(const std::optional<double>& tau) {
  return tau ? fmt::format("{:.3f}", *tau) : std::string("-");
}

std::string comparison_text(const calibrate::Comparison& comparison) {
  std::string text = fmt::format(
      "{} compared, errors of the predicted times: mean {:.1f} %, median {:.1f} %, worst {:.1f} %, "
      "bias {:+.1f} %\n\n",
      counted(static_cast<std::int64_t>(comparison.errors.count), "grid"),
      100.0 * comparison.errors.mean, 100.0 * comparison.errors.median,
      100.0 * comparison.errors.worst, 100.0 * comparison.errors.bias);
  if (const std::string assumed =
          assumed_lines(comparison.assumed, comparison.programs, "assumed", 8);
      !assumed.empty()) {
    text.insert(text.size() - 1, assumed);
  }
  const bool variants = comparison.subject == calibrate::Subject::variants;
  const int wide = variants ? 16 : 9;
  text += fmt::format("{:28} {:>10} {:>8} {:>7} {:>7} {:>7} {:>7} {:>8} {:>7} {:>{}} {:>{}}\n",
                      variants ? "" : "program", "processors", variants ? "variants" : "grids",
                      "mean %", "median", "worst", "tau", "regret %", "order %", "chosen", wide,
                      "fastest", wide);
  for (const calibrate::ComparedGroup& group : comparison.groups) {
    text += fmt::format(
        "{:28} {:>10} {:>8} {:>7.1f} {:>7.1f} {:>7.1f} {:>7} {:>8.2f} {:>7.1f} {:>{}} {:>{}}\n",
        variants ? "variants" : group.program,
        group.processors == 0 ? "all" : std::to_string(group.processors), group.errors.count,
        100.0 * group.errors.mean, 100.0 * group.errors.median, 100.0 * group.errors.worst,
        tau_text(group.tau), 100.0 * group.regret, 100.0 * group.order_error, group.chosen, wide,
        group.fastest, wide);
  }
  for (const calibrate::ComparedGroup& group : comparison.groups) {
    if (variants && group.order_error > 0.0) {
      text += fmt::format(
          "{}: {} was to be {:.1f} % faster than {} and is {:.1f} % slower: order error {:.1f} %\n",
          counted(group.processors, "processor"), group.promised, 100.0 * group.gain, group.better,
          100.0 * group.loss, 100.0 * group.order_error);
    }
  }
  return text;
}

void write_comparison_errors(JsonWriter& json, const calibrate::Errors& errors) {
  json.member("grids", static_cast<std::int64_t>(errors.count));
  json.member("mean_error", errors.mean);
  json.member("median_error", errors.median);
  json.member("worst_error", errors.worst);
  json.member("bias", errors.bias);
}

void write_group(JsonWriter& json, const calibrate::ComparedGroup& group) {
  json.begin_object(Layout::line);
  json.member("program", group.program);
  json.key("processors");
  if (group.processors == 0) {
    json.null();
  } else {
    json.integer(group.processors);
  }
  write_comparison_errors(json, group.errors);
  json.member("tau", group.tau);
  json.member("regret", group.regret);
  json.member("chosen", group.chosen);
  json.member("fastest", group.fastest);
  json.member("order_error", group.order_error);
  json.key("misordered");
  if (group.order_error > 0.0) {
    json.begin_array(Layout::line);
    json.string(group.promised);
    json.string(group.better);
    json.end_array();
  } else {
    json.null();
  }
  json.end_object();
}

void write_compared(JsonWriter& json, const calibrate::Compared& row) {
  json.begin_object(Layout::line);
  json.member("program", row.program);
  json.member("grid", row.grid.text());
  json.member("predicted", row.predicted);
  json.member("measured", row.measured);
  json.member("error", row.error());
  json.end_object();
}

void write_comparison_json(std::ostream& out, const calibrate::Comparison& comparison,
                           const std::vector<report::FigureDifference>& figures) {
  JsonWriter json(out);
  json.begin_object(Layout::lines);
  json.member("schema", "gridcast.comparison/1");
  write_comparison_errors(json, comparison.errors);
  json.key("groups");
  json.begin_array(Layout::lines);
  for (const calibrate::ComparedGroup& group : comparison.groups) {
    write_group(json, group);
  }
  json.end_array();
  json.key("assumed");
  model::write_assumed(json, comparison.assumed);
  if (!figures.empty()) {
    json.key("characteristics");
    report::write_figures_json(json, figures);
  }
  json.key("rows");
  json.begin_array(Layout::lines);
  for (const calibrate::Compared& row : comparison.rows) {
    write_compared(json, row);
  }
  json.end_array();
  json.end_object();
  out << "\n";
}

/// What was assumed of the program whose times a file has; nothing of a table.
std::vector<NamedWords> assumptions_of(const std::string& file) {
  if (is_store(file)) {
    return stored_assumptions(store::StoreReader(file).about().setup.description.assumed);
  }
  if (is_prediction(file)) {
    std::ifstream in(file, std::ios::binary);
    return {report::read_prediction(in, file).assumed};
  }
  return {};
}

calibrate::Comparison compared(const CompareOptions& options) {
  const std::string& measured = options.files.back();
  const std::vector<std::string> predicted(options.files.begin(), options.files.end() - 1);
  if (options.machine.file.empty()) {
    if (predicted.size() != 1) {
      throw InputError("several predicted files without a machine",
                       "expected one store or CSV file, or --machine M.par for traces");
    }
    const calibrate::Measured promised = times_of(predicted.front(), options.measured);
    const calibrate::Measured found = times_of(measured, options.measured);
    calibrate::Comparison comparison =
        options.variants ? calibrate::compare_times(joined_variants(promised, found),
                                                    calibrate::Subject::variants)
                         : calibrate::compare_times(joined(promised, found));
    for (const std::string& file : {predicted.front(), measured}) {
      for (NamedWords& assumed : assumptions_of(file)) {
        comparison.programs.push_back(file);
        comparison.assumed.push_back(std::move(assumed));
      }
    }
    return comparison;
  }
  return compared_with_measured(predicted, options.shapes, measured, options.machine,
                                options.measured, options.model);
}

/// Programs have no times yet: the last file is never predicted, the others only on a machine.
void require_times(const CompareOptions& options) {
  std::error_code ignored;
  for (const std::string& file : options.files) {
    const bool is_program =
        file.ends_with(".toml") || file.ends_with(".ptr") || file.ends_with(".ptr.gz");
    if (!std::filesystem::exists(file_and_unit(file).first, ignored)) {
      throw InputError(file, 0, "cannot be opened",
                       "expected a readable store, file of gridcast predict --json, CSV file or "
                       "trace");
    }
    if (is_program && (options.machine.file.empty() || &file == &options.files.back())) {
      throw InputError(file, 0, "is a program, not its times",
                       "predict it first: gridcast predict PROGRAM --machine M.par --grid G "
                       "--json F.json");
    }
  }
}

Outputs opened(const CompareOptions& options) {
  if (options.files.size() < 2) {
    throw InputError("one file only is named", "expected PREDICTED MEASURED");
  }
  require_times(options);
  if (!options.shapes.empty() && options.machine.file.empty()) {
    throw InputError("--shape-traces without --machine",
                     "expected a machine on which the traces are predicted");
  }
  if (options.variants && !options.machine.file.empty()) {
    throw InputError("--variants and --machine at the same time",
                     "expected two tables of times of variants");
  }
  if (!options.grids.empty() && (options.variants || !options.machine.file.empty())) {
    throw InputError("--grid together with --variants or --machine",
                     "expected --grid with stores alone");
  }
  return Places()
      .reads(files_of({options.files, {}, {}, options.shapes}))
      .reads(options.machine.file)
      .writes("--json", options.json)
      .writes("--html", options.html)
      .open();
}

int compare_predictions(const CompareOptions& options, Outputs& outputs) {
  const report::Difference difference = compared_predictions(options.files, options.grids);
  outputs.write("--json",
                [&](std::ostream& out) { report::write_difference_json(out, difference); });
  outputs.write("--html",
                [&](std::ostream& out) { report::write_difference_html(out, difference); });
  if (!outputs.any()) {
    print(report::difference_text(difference));
  }
  return done;
}

int run_compare(const CompareOptions& options) {
  Outputs outputs = opened(options);
  const bool plain = !options.variants && options.machine.file.empty();
  if (plain && are_predictions(options.files, options.grids)) {
    return compare_predictions(options, outputs);
  }
  const calibrate::Comparison comparison = compared(options);
  const std::vector<report::FigureDifference> figures =
      plain ? compared_means(options.files) : std::vector<report::FigureDifference>();
  outputs.write("--json",
                [&](std::ostream& out) { write_comparison_json(out, comparison, figures); });
  outputs.write("--html", [&](std::ostream& out) {
    report::write_comparison_html(out, comparison, options.files.front(), options.files.back(),
                                  figures);
  });
  if (!outputs.any()) {
    print(comparison_text(comparison) +
          (figures.empty() ? std::string()
                           : "\n" + report::figures_text(
                                        figures, "mean over the grids that both stores have")));
  }
  return done;
}

}  // namespace

void add_compare(CLI::App& app, Session& session) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App& command = add_command(app, session, "compare",
                                  "Compare predicted with measured times, or two predictions",
                                  "gridcast compare search.h5 measured.csv --html compared.html");
  command
      .add_option(
          "FILES", options->files,
          "Predicted: a store, a file of predict --json, a CSV file, or traces with --machine; "
          "last: measured, a CSV file (columns grid or p1...p4, seconds) or a store; or two "
          "predictions: files of predict --json, grids of stores")
      ->type_name("")
      ->required();
  command
      .add_option("-m,--machine", options->machine.file, "Machine on which traces are predicted")
      ->type_name("M.par");
  add_assignments(command, options->machine.assignments);
  add_shape_traces(command, options->shapes);
  add_measured_options(command, options->measured);
  command.add_flag("--variants", options->variants,
                   "Programs are variants of one: compare them with each other on each number of "
                   "processors");
  command
      .add_option("--grid", options->grids,
                  "Compare the predictions that stores have of this grid, or of these two (A,B); "
                  "best: of the grid that the search chose")
      ->type_name("G")
      ->delimiter(',');
  add_json(command, options->json);
  command
      .add_option("--html", options->html,
                  "Write a page: errors and ranking of grids with a plot, or what differs and why")
      ->type_name("F");
  add_model_options(command, options->model);
  on_chosen(command, session, options, run_compare);
}

}  // namespace gridcast::cli
