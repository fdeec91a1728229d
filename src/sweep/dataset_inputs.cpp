#include "dataset_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "gridcast/base/error.h"
#include "gridcast/base/printable.h"
#include "gridcast/base/readable.h"
#include "gridcast/compile/compile.h"
#include "gridcast/machine/unlikely.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/retrace/merge.h"
#include "gridcast/rules/idle_dimensions.h"
#include "gridcast/trace/program.h"
#include "inputs.h"

namespace gridcast::sweep {
namespace {

constexpr std::int64_t most_walked = 1'000'000;  ///< variants, to count rows: about a second

void add_warnings(ReadDataset& read, std::vector<std::string> warnings) {
  std::move(warnings.begin(), warnings.end(), std::back_inserter(read.warnings));
}

void add_sha(ReadDataset& read, const std::string& sha) {
  read.trace_sha256 += (read.trace_sha256.empty() ? "" : ",") + sha;
}

/// A program with these values of its parameters. Traces are read as a sweep reads its own.
void read_recorded(ReadDataset& read, const std::vector<std::filesystem::path>& files,
                   const trace::ParameterValues& values, bool is_first) {
  SweepSettings one;
  one.traces = files;
  one.parameters = values;
  one.machine = read.inputs.design.machines.front();
  one.options = read.inputs.design.model;
  Inputs inputs = read_inputs(one);
  read.inputs.scripts.push_back(std::move(inputs.script));
  read.inputs.options.push_back(inputs.resolved.options);
  if (is_first) {
    read.assumed.push_back(words_text(model::without_conditions(inputs.resolved.assumed)));
    read.traces.push_back(files.front().string());
    // The other values follow from the design, which is stored as well.
    add_sha(read, inputs.trace_sha256);
  }
  for (std::string& warning : inputs.warnings) {
    if (std::ranges::find(read.warnings, warning) == read.warnings.end()) {
      read.warnings.push_back(std::move(warning));
    }
  }
}

/// All programs with all values of their parameters.
void read_programs(ReadDataset& read) {
  const DatasetDesign& design = read.inputs.design;
  bool is_first = true;
  for (const std::vector<double>& setting : program_settings(design)) {
    trace::ParameterValues values;
    std::size_t line = 0;
    for (std::size_t i = 0; i < design.parameters.size(); ++i) {
      const std::string name = program_parameter(design.parameters[i].name);
      if (!name.empty()) {
        values.emplace_back(name, exact(setting[values.size()]));
        line = design.parameter_lines[i];
      }
    }
    for (const std::vector<std::filesystem::path>& files : design.traces) {
      if (!values.empty() && !trace::is_description(files.front())) {
        throw InputError(design.file, line,
                         "a parameter of programs, but " + files.front().string() + " is a trace",
                         "expected descriptions (.toml) only");
      }
      read_recorded(read, files, values, is_first);
    }
    is_first = false;
  }
}

void read_sizes(ReadDataset& read, const DatasetSizes& sizes) {
  const model::OptionWords& given = read.inputs.design.model;
  const trace::ReadOptions options = model::read_options(given);
  for (const trace::SizedTrace& from : sizes.from) {
    read.traces.push_back(from.path.string());
    add_sha(read, trace::read_program(from.path, options).sha256);
  }
  for (const double size : sizes.values) {
    std::ostringstream text;
    trace::InterpolateResult result =
        trace::interpolate_traces(sizes.from, size, text, sizes.options);
    const trace::Program program = trace::parse_program(
        text.view(), fmt::format("{} at size {}", read.traces.front(), size), options);
    const model::ResolvedOptions resolved = model::resolve(given, program);
    model::Compiled compiled = model::compile(program);
    read.inputs.options.push_back(resolved.options);
    read.assumed.push_back(words_text(model::without_conditions(resolved.assumed)));
    read.inputs.scripts.push_back(std::move(compiled.script));
    add_warnings(read, std::move(result.warnings));
    add_warnings(read, std::move(compiled.warnings));
  }
}

/// Values at which a parameter is tried before the run: the ends, and a whole one if all are.
std::vector<double> probes(const search::Factor& factor) {
  if (const auto* list = std::get_if<search::ValueList>(&factor.range)) {
    return list->values;
  }
  constexpr double somewhere = 0.381966;
  return {factor.low(), factor.high(), factor.at(somewhere)};
}

void require_parameters(const DatasetInputs& inputs) {
  const DatasetDesign& design = inputs.design;
  for (std::size_t i = 0; i < design.parameters.size(); ++i) {
    const search::Factor& factor = design.parameters[i];
    const auto is_named_alike = [&](const store::Column& column) {
      return column.name == factor.name;
    };
    if (std::ranges::any_of(store::columns(), is_named_alike)) {
      throw InputError(design.file, design.parameter_lines[i],
                       "'" + factor.name + "' is the name of a column of results",
                       "rename the processor in the machine file");
    }
    if (const std::string name = program_parameter(factor.name); !name.empty()) {
      if (design.sizes) {
        throw InputError(design.file, design.parameter_lines[i],
                         "a parameter of programs together with sizes",
                         "expected traces = [\"PROGRAM.toml\"]");
      }
      continue;  // descriptions are tried with all values
    }
    for (std::size_t machine = 0; machine < inputs.clusters.size(); ++machine) {
      for (const double value : probes(factor)) {
        machine::Cluster changed = inputs.clusters[machine];
        try {
          changed.set(assignment(factor.name, value));
        } catch (const InputError& error) {
          throw InputError(design.file, design.parameter_lines[i],
                           design.machines[machine].string() + ": " + error.problem(),
                           error.remedy());
        }
      }
    }
  }
}

std::vector<std::size_t> interval_parents(const model::Script& script) {
  std::vector<std::size_t> parents;
  for (const model::IntervalSpec& interval : script.tables().intervals) {
    parents.push_back(static_cast<std::size_t>(interval.parent + 1));
  }
  return parents;
}

/// The store has one tree of intervals for all rows.
void require_equal_intervals(const DatasetInputs& inputs) {
  for (const model::Script& script : inputs.scripts) {
    if (inputs.design.intervals &&
        interval_parents(script) != interval_parents(inputs.scripts.front())) {
      throw InputError(inputs.design.file, 0, "the traces have different intervals",
                       "expected traces of one program, or intervals = false");
    }
  }
}

std::string range_json(const search::Factor& factor) {
  if (const auto* real = std::get_if<search::RealRange>(&factor.range)) {
    const std::string levels = real->levels ? fmt::format(",\"levels\":{}", *real->levels) : "";
    return fmt::format("{{\"{}\":[{},{}]{}}}", real->logarithmic ? "log" : "linear", real->low,
                       real->high, levels);
  }
  if (const auto* whole = std::get_if<search::IntegerRange>(&factor.range)) {
    return fmt::format("{{\"integer\":[{},{}]}}", whole->low, whole->high);
  }
  return fmt::format("{{\"values\":[{}]}}",
                     fmt::join(std::get<search::ValueList>(factor.range).values, ","));
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
std::string options_json(const DatasetInputs& inputs, const search::Design& runs) {
  const DatasetDesign& design = inputs.design;
  std::string text = "{\n";
  const bool alike = std::ranges::all_of(
      inputs.options, [&](const auto& options) { return options == inputs.options.front(); });
  for (std::size_t i = 0; i < (alike ? 1 : inputs.options.size()); ++i) {
    text += fmt::format("\"model{}\":{},\n", alike ? "" : fmt::format(" of program {}", i),
                        json_quoted(inputs.options[i].text()));
  }
  text += fmt::format("\"kind\":\"{}\",\n", search::name(design.options.kind));
  text += fmt::format("\"runs\":{},\n", runs.runs());
  text += fmt::format("\"seed\":{},\n", design.options.seed);
  text += fmt::format("\"foldover\":{},\n", design.options.foldover);
  if (design.options.kind == search::DesignKind::sobol ||
      design.options.kind == search::DesignKind::saltelli) {
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
  for (const search::Factor& factor : runs.factors()) {
    text += fmt::format("{}:{},\n", json_quoted(factor.name), range_json(factor));
  }
  return text + fmt::format("\"grids\":{}\n}}", grids_json(design));
}

std::string lowered(std::string text) {
  for (char& character : text) {
    if (character >= 'A' && character <= 'Z') {
      character = static_cast<char>(character - 'A' + 'a');
    }
  }
  return text;
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
  for (const search::Factor& factor : design.parameters) {
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

bool changes_processors(const search::Factor& factor) {
  return lowered(factor.name).ends_with(".count");
}

}  // namespace

DatasetDesign effective_design(const DatasetSettings& settings) {
  DatasetDesign design = read_design(settings.design);
  for (const auto& [name, word] : settings.model) {
    design.model[name] = word;
  }
  return design;
}

ReadDataset read_dataset(const DatasetSettings& settings) {
  ReadDataset read;
  read.inputs.design = effective_design(settings);
  const DatasetDesign& design = read.inputs.design;
  for (const std::filesystem::path& machine : design.machines) {
    read.inputs.clusters.push_back(machine::Cluster::read(machine));
    add_warnings(read, machine::unlikely_costs(read.inputs.clusters.back()));
  }
  require_parameters(read.inputs);
  read_programs(read);
  if (design.sizes) {
    read_sizes(read, *design.sizes);
  }
  require_equal_intervals(read.inputs);
  for (const machine::Grid& grid : design.grids) {
    for (const model::Script& script : read.inputs.scripts) {
      if (const std::optional<std::string> idle = model::idle_dimensions(script, grid)) {
        read.warnings.push_back(*idle);
        break;
      }
    }
  }
  return read;
}

std::optional<std::uint64_t> expected_rows(const DatasetInputs& inputs, const Variants& variants) {
  const bool fixed = !inputs.design.limits;
  const std::size_t settings = variants.settings();
  const bool walk = inputs.design.sizes.has_value() || settings > 1;
  if (!fixed && (std::ranges::any_of(inputs.design.parameters, changes_processors) ||
                 (walk && variants.count() > most_walked))) {
    return std::nullopt;
  }
  const VariantGrids grids(inputs);
  std::vector<std::uint64_t> counts;  // per machine and script
  for (const machine::Cluster& cluster : inputs.clusters) {
    for (std::size_t script = 0; script < inputs.scripts.size(); ++script) {
      counts.push_back(grids.count(script, cluster.processors()));
    }
  }
  std::uint64_t rows = 0;
  if (fixed || !walk) {
    for (const std::uint64_t count : counts) {
      rows += count;
    }
    const std::uint64_t scripts = inputs.design.sizes ? inputs.scripts.size() : settings;
    return rows / scripts * static_cast<std::uint64_t>(variants.design().runs());
  }
  for (std::int64_t number = 0; number < variants.count(); ++number) {
    const Variant variant = variants.at(number);
    rows += counts[variant.machine * inputs.scripts.size() + variant.script];
  }
  return rows;
}

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
