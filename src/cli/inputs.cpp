#include "inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "gridcast/base/error.h"
#include "gridcast/compile/compile.h"
#include "gridcast/evaluate/program_shapes.h"
#include "gridcast/machine/unlikely.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/retrace/kernel_times.h"
#include "gridcast/retrace/merge.h"
#include "gridcast/rules/memory.h"

namespace gridcast::cli {

std::vector<std::string> traces_of(const std::string& name) {
  constexpr std::string_view suffix = ".ptr";
  std::error_code ignored;
  if (std::filesystem::exists(name, ignored)) {
    return {name};
  }
  const std::string program =
      name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
  std::vector<std::string> traces;
  for (const std::filesystem::path& path : trace::find_member_files(program)) {
    traces.push_back(path.string());
  }
  return traces;
}

trace::Program load_program(const std::vector<std::string>& traces,
                            const model::OptionWords& given) {
  const std::vector<std::filesystem::path> members(traces.begin(), traces.end());
  return trace::read_run(members, model::read_options(given));
}

trace::ParameterValues read_parameters(const std::string& option,
                                       const std::vector<std::string>& texts) {
  trace::ParameterValues values;
  for (const std::string& text : texts) {
    const std::size_t at = text.find('=');
    if (at == 0 || at == std::string::npos || at + 1 == text.size()) {
      throw InputError(option + " '" + text + "'", "expected NAME=VALUE, as n=1000");
    }
    values.emplace_back(text.substr(0, at), text.substr(at + 1));
  }
  return values;
}

trace::ParameterValues parameters_of(const ProgramOptions& program) {
  trace::ParameterValues values;
  if (!program.times.empty()) {
    values = trace::read_kernel_times(program.times);
  }
  const trace::ParameterValues given = read_parameters("--param", program.parameters);
  values.insert(values.end(), given.begin(), given.end());
  return values;
}

std::vector<std::string> files_of(const ProgramOptions& program) {
  std::vector<std::string> files = program.files;
  for (const std::string& run : program.shapes) {
    for (const std::filesystem::path& member : trace::find_member_files(run)) {
      files.push_back(member.string());
    }
  }
  if (!program.times.empty()) {
    files.push_back(program.times);
  }
  return files;
}

LoadedProgram load_script(const ProgramOptions& program, const model::OptionWords& given,
                          bool with_places) {
  const std::vector<std::filesystem::path> files(program.files.begin(), program.files.end());
  const trace::Program read =
      trace::read_run(files, model::read_options(given), parameters_of(program));
  model::ResolvedOptions resolved = model::resolve(given, read);
  std::optional<sweep::ProgramShapes> known;
  if (!program.shapes.empty()) {
    known = sweep::read_program_shapes(read, program.files.size(), program.shapes,
                                       model::read_options(given));
  }
  const model::LoopShapes* const shapes = known ? &known->shapes : nullptr;
  const auto compiled_from = [shapes](const trace::Program& from, model::Detail detail) {
    return model::compile(from, detail, shapes);
  };
  model::Compiled compiled = compiled_from(read, model::Detail::folded);
  LoadedProgram loaded{std::move(compiled.script), std::move(resolved), program.files,
                       std::move(compiled.warnings)};
  loaded.sha256 = read.sha256;
  if (!read.deviations.empty()) {
    loaded.low = compiled_from(trace::shifted(read, -1.0), model::Detail::folded).script;
    loaded.high = compiled_from(trace::shifted(read, 1.0), model::Detail::folded).script;
  }
  if (with_places) {
    loaded.places = compiled_from(read, model::Detail::places).script;
  }
  return loaded;
}

LoadedProgram load_script(const std::vector<std::string>& traces, const model::OptionWords& given,
                          bool with_places) {
  return load_script(ProgramOptions{traces, {}, {}, {}}, given, with_places);
}

machine::Cluster read_machine(const MachineOptions& options) {
  machine::Cluster cluster = machine::Cluster::read(options.file);
  for (const std::string& assignment : options.assignments) {
    cluster.set(assignment);
  }
  return cluster;
}

machine::Cluster load_machine(const MachineOptions& options) {
  const machine::Cluster cluster = read_machine(options);
  log_warnings(machine::unlikely_costs(cluster));
  return cluster.with_threads(options.threads);
}

machine::Grid choose_grid(const std::optional<machine::Grid>& given,
                          const machine::Cluster& cluster) {
  if (given) {
    return *given;
  }
  if (cluster.topology()) {
    return *cluster.topology();
  }
  spdlog::info("no grid given: one processor of the {} of '{}'", cluster.processors(),
               cluster.name());
  return {};
}

model::Prediction predict(const LoadedProgram& program, const machine::Cluster& cluster,
                          const machine::Grid& grid, bool per_processor) {
  const model::ModelOptions& options = program.resolved.options;
  model::Predictor predictor(program.script, cluster, options);
  model::Prediction prediction = predictor.predict(grid, per_processor);
  if (options.engine == model::EngineKind::fast && !predictor.fallback().empty()) {
    spdlog::debug("predicted processor by processor: {}", predictor.fallback());
  }
  model::ModelOptions here = options;
  here.placement = predictor.placement();
  const auto take_times = [&](const std::optional<model::Script>& script, auto time) {
    if (script) {
      const model::Prediction other = model::Predictor(*script, cluster, here).predict(grid, false);
      for (std::size_t i = 0; i < prediction.intervals.size(); ++i) {
        prediction.intervals[i].*time = other.intervals.at(i).sums.execution_time;
      }
    }
  };
  take_times(program.low, &model::IntervalResult::execution_time_low);
  take_times(program.high, &model::IntervalResult::execution_time_high);
  prediction.memory_per_processor = model::MemoryModel(program.script, cluster, here).peak(grid);
  if (program.places && program.most_loss_steps > 0.0) {
    prediction.losses =
        model::explain_losses(*program.places, cluster, grid, options, program.most_loss_steps);
    if (options.processes == model::ProcessKind::free) {
      prediction.critical_path =
          model::critical_path(*program.places, cluster, grid, here, program.most_loss_steps);
    }
  }
  prediction.traces = program.traces;
  prediction.assumed = program.resolved.assumed;
  prediction.warnings.insert(prediction.warnings.begin(), program.warnings.begin(),
                             program.warnings.end());
  return prediction;
}

std::string prediction_title(const model::Prediction& prediction) {
  return fmt::format("{} on {} of {}", fmt::join(prediction.traces, ", "), prediction.grid.text(),
                     prediction.machine);
}

void log_warnings(std::span<const std::string> warnings) {
  for (const std::string& warning : warnings) {
    spdlog::warn("{}", warning);
  }
}

}  // namespace gridcast::cli
