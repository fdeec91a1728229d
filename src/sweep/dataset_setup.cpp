/// What the store of a data set says about it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dataset_inputs.h"
#include "gridcast/base/characters.h"
#include "gridcast/base/printable.h"
#include "inputs.h"

namespace gridcast::sweep {
namespace {

std::string range_json(const design::Factor& factor) {
  if (const auto* real = std::get_if<design::RealRange>(&factor.range)) {
    const std::string levels = real->levels ? fmt::format(",\"levels\":{}", *real->levels) : "";
    return fmt::format("{{\"{}\":[{},{}]{}}}", real->logarithmic ? "log" : "linear", real->low,
                       real->high, levels);
  }
  if (const auto* whole = std::get_if<design::IntegerRange>(&factor.range)) {
    return fmt::format("{{\"integer\":[{},{}]}}", whole->low, whole->high);
  }
  return fmt::format("{{\"values\":[{}]}}",
                     fmt::join(std::get<design::ValueList>(factor.range).values, ","));
}

std::string grids_json(const DatasetDesign& design) {
  if (!design.limits) {
    std::vector<std::string> grids;
    for (const machine::Grid& grid : design.grids) {
      grids.push_back('"' + grid.text() + '"');
    }
    return fmt::format("[{}]", fmt::join(grids, ","));
  }
  const GridLimits& limits = *design.limits;
  const auto number = [](const auto& value) {
    return value ? fmt::format("{}", *value) : std::string("null");
  };
  return fmt::format(
      R"({{"min_processors":{},"max_processors":{},"rank":{},"not_bad":{},"sample":{}}})",
      limits.min_processors, number(limits.max_processors), number(limits.rank), limits.not_bad,
      number(limits.sample));
}

/// One line for each thing that can differ: an error about it names the line.
std::string options_json(const DatasetInputs& inputs, const design::Design& runs) {
  const DatasetDesign& design = inputs.design;
  std::string text = "{\n";
  const bool alike = std::ranges::all_of(
      inputs.options, [&](const auto& options) { return options == inputs.options.front(); });
  for (std::size_t i = 0; i < (alike ? 1 : inputs.options.size()); ++i) {
    text += fmt::format("\"model{}\":{},\n", alike ? "" : fmt::format(" of program {}", i),
                        json_quoted(inputs.options[i].text()));
  }
  text += fmt::format("\"kind\":\"{}\",\n", design::name(design.options.kind));
  text += fmt::format("\"runs\":{},\n", runs.runs());
  text += fmt::format("\"seed\":{},\n", design.options.seed);
  text += fmt::format("\"foldover\":{},\n", design.options.foldover);
  if (design.options.kind == design::DesignKind::sobol ||
      design.options.kind == design::DesignKind::saltelli) {
    text += "\"directions\":\"joe-kuo\",\n";  // other directions are other points
  }
  if (design.sizes) {
    std::vector<double> from;
    for (const trace::SizedTrace& trace : design.sizes->from) {
      from.push_back(trace.size);
    }
    text += fmt::format("\"recorded_sizes\":[{}],\n", fmt::join(from, ","));
    text += fmt::format("\"degree\":{},\n", design.sizes->options.degree);
  }
  for (const design::Factor& factor : runs.factors()) {
    text += fmt::format("{}:{},\n", json_quoted(factor.name), range_json(factor));
  }
  return text + fmt::format("\"grids\":{}\n}}", grids_json(design));
}

/// Units of the .par file (microseconds).
std::string unit_of(const std::string& parameter) {
  const std::string name = lowered(parameter);
  if (name.ends_with(".tstart")) {
    return "us";
  }
  return name.ends_with(".tbyte") ? "us/byte" : "1";
}

std::vector<store::ExtraColumn> input_columns(const DatasetDesign& design) {
  const auto whole = store::ColumnType::int64;
  const auto real = store::ColumnType::float64;
  std::vector<store::ExtraColumn> columns{{"variant", "1", "number of the variant", whole}};
  if (!design.sizes) {
    columns.push_back({"trace", "1", "number of the trace in the attribute traces", whole});
  }
  columns.push_back({"machine", "1", "number of the machine in the design", whole});
  if (design.sizes) {
    columns.push_back({size_factor, "1", "problem size", real});
  }
  for (const design::Factor& factor : design.parameters) {
    const std::string parameter = program_parameter(factor.name);
    columns.push_back(
        {factor.name, parameter.empty() ? unit_of(factor.name) : "1",
         parameter.empty() ? factor.name + " of the machine" : parameter + " of the program",
         real});
  }
  return columns;
}

std::string machine_text(const DatasetInputs& inputs) {
  if (inputs.clusters.size() == 1) {
    return inputs.clusters.front().text();
  }
  std::string text;
  for (std::size_t i = 0; i < inputs.clusters.size(); ++i) {
    text += fmt::format("// machine {}\n{}\n", i, inputs.clusters[i].text());
  }
  return text;
}

std::string machine_names(const DatasetInputs& inputs) {
  std::string names;
  for (const machine::Cluster& cluster : inputs.clusters) {
    names += (names.empty() ? "" : ", ") + cluster.name();
  }
  return names;
}

}  // namespace

store::StoreSetup dataset_setup(const DatasetSettings& settings, const ReadDataset& read) {
  const DatasetInputs& inputs = read.inputs;
  const Variants variants(inputs);
  SweepSettings one;
  one.mode = search::Mode::none;
  one.options = inputs.design.model;
  one.intervals = inputs.design.intervals;
  one.version = settings.version;
  one.command_line = settings.command_line;
  Inputs first;
  first.cluster = inputs.clusters.front();
  first.clusters = {first.cluster, one.questions.threads};
  first.script = inputs.scripts.front();
  first.trace_sha256 = read.trace_sha256;
  first.resolved.options = inputs.options.front();
  store::StoreSetup setup = store_setup(one, first, search_spaces(one, first));
  store::RunDescription& run = setup.description;
  run.options = options_json(inputs, variants.design());
  run.machine = machine_text(inputs);
  run.machine_name = machine_names(inputs);
  run.traces = read.traces;
  const bool alike = std::ranges::all_of(
      read.assumed, [&](const std::string& text) { return text == read.assumed.front(); });
  run.assumed = alike ? read.assumed.front() : fmt::format("{}", fmt::join(read.assumed, "\n"));
  setup.extra_columns = input_columns(inputs.design);
  if (const std::optional<std::uint64_t> rows = expected_rows(inputs, variants)) {
    run.candidates = static_cast<std::int64_t>(*rows);
  }
  return setup;
}

std::vector<double> input_values(const DatasetDesign& design, const Variant& variant) {
  std::vector<double> values{static_cast<double>(variant.number)};
  if (!design.sizes) {
    values.push_back(static_cast<double>(variant.trace));
  }
  values.push_back(static_cast<double>(variant.machine));
  values.insert(values.end(), variant.values.begin(), variant.values.end());
  return values;
}

}  // namespace gridcast::sweep
