#include "dataset_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <sstream>

#include "gridcast/base/characters.h"
#include "gridcast/base/error.h"
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

/// The most processors of a grid, before parameters change the machines.
std::int64_t most_processors(const DatasetInputs& inputs) {
  std::int64_t most = 1;
  for (const machine::Grid& grid : inputs.design.grids) {
    most = std::max(most, grid.processors());
  }
  if (const std::optional<GridLimits>& limits = inputs.design.limits) {
    for (const machine::Cluster& cluster : inputs.clusters) {
      most = std::max(most, std::min(cluster.processors(),
                                     limits->max_processors.value_or(cluster.processors())));
    }
  }
  return most;
}

/// A program with these values of its parameters. Traces are read as a sweep reads its own.
void read_recorded(ReadDataset& read, const std::vector<std::filesystem::path>& files,
                   const trace::ParameterValues& values, bool is_first) {
  SweepSettings one;
  one.traces = files;
  one.parameters = values;
  one.machine = read.inputs.design.machines.front();
  one.options = read.inputs.design.model;
  Inputs inputs = read_inputs(one, most_processors(read.inputs));
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
    model::ResolvedOptions resolved = model::resolve(given, program);
    settle(resolved, most_processors(read.inputs));
    model::Compiled compiled = model::compile(program);
    read.inputs.options.push_back(resolved.options);
    read.assumed.push_back(words_text(model::without_conditions(resolved.assumed)));
    read.inputs.scripts.push_back(std::move(compiled.script));
    add_warnings(read, std::move(result.warnings));
    add_warnings(read, std::move(compiled.warnings));
  }
}

/// Values at which a parameter is tried before the run: the ends, and a whole one if all are.
std::vector<double> probes(const design::Factor& factor) {
  if (const auto* list = std::get_if<design::ValueList>(&factor.range)) {
    return list->values;
  }
  constexpr double somewhere = 0.381966;
  return {factor.low(), factor.high(), factor.at(somewhere)};
}

void require_parameters(const DatasetInputs& inputs) {
  const DatasetDesign& design = inputs.design;
  for (std::size_t i = 0; i < design.parameters.size(); ++i) {
    const design::Factor& factor = design.parameters[i];
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

bool changes_processors(const design::Factor& factor) {
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

}  // namespace gridcast::sweep
