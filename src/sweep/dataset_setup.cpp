/// What the store of a data set says about it.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "dataset_inputs.h"
#include "gridcast/base/characters.h"
#include "gridcast/base/json_writer.h"
#include "inputs.h"

namespace gridcast::sweep {
namespace {

void put_list(JsonWriter& json, std::string_view name, double low, double high) {
  json.member(name, std::vector{low, high});
}

void put_range(JsonWriter& json, const design::Factor& factor) {
  json.key(factor.name);
  json.begin_object(gridcast::Layout::line);
  if (const auto* real = std::get_if<design::RealRange>(&factor.range)) {
    put_list(json, real->logarithmic ? "log" : "linear", real->low, real->high);
    if (real->levels) {
      json.member("levels", *real->levels);
    }
  } else if (const auto* whole = std::get_if<design::IntegerRange>(&factor.range)) {
    json.member("integer", std::vector{whole->low, whole->high});
  } else {
    json.member("values", std::get<design::ValueList>(factor.range).values);
  }
  json.end_object();
}

void put_grids(JsonWriter& json, const DatasetDesign& design) {
  if (!design.limits) {
    std::vector<std::string> grids;
    for (const machine::Grid& grid : design.grids) {
      grids.push_back(grid.text());
    }
    json.member("grids", grids);
    return;
  }
  const GridLimits& limits = *design.limits;
  json.key("grids");
  json.begin_object(gridcast::Layout::line);
  json.member("min_processors", limits.min_processors);
  json.member("max_processors", limits.max_processors);
  json.member("rank", limits.rank);
  json.member("not_bad", limits.not_bad);
  json.member("sample", limits.sample);
  json.end_object();
}

/// One line for each thing that can differ: an error about it names the line. What tables read of
/// it is in store::StoredOptions.
std::string options_json(const DatasetInputs& inputs, const design::Design& runs) {
  const DatasetDesign& design = inputs.design;
  std::ostringstream out;
  JsonWriter json(out);
  json.begin_object(gridcast::Layout::lines);
  const bool alike = std::ranges::all_of(
      inputs.options, [&](const auto& options) { return options == inputs.options.front(); });
  for (std::size_t i = 0; i < (alike ? 1 : inputs.options.size()); ++i) {
    json.member(alike ? "model" : fmt::format("model of program {}", i), inputs.options[i].text());
  }
  json.member("kind", design::name(design.options.kind));
  json.member("runs", runs.runs());
  json.member("seed", design.options.seed);
  json.member("foldover", design.options.foldover);
  if (design.options.kind == design::DesignKind::sobol ||
      design.options.kind == design::DesignKind::saltelli) {
    json.member("directions", "joe-kuo");  // other directions are other points
  }
  if (design.sizes) {
    std::vector<double> from;
    for (const trace::SizedTrace& trace : design.sizes->from) {
      from.push_back(trace.size);
    }
    json.member("recorded_sizes", from);
    json.member("degree", design.sizes->options.degree);
  }
  for (const design::Factor& factor : runs.factors()) {
    put_range(json, factor);
  }
  put_grids(json, design);
  json.end_object();
  return std::move(out).str();
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
