#include "inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "gridcast/base/error.h"
#include "gridcast/compile/compile.h"
#include "gridcast/predict/predictor.h"
#include "gridcast/retrace/merge.h"

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
                            const model::ModelOptions& options) {
  const std::vector<std::filesystem::path> members(traces.begin(), traces.end());
  return trace::read_run(members, trace::ReadOptions{options.skip_startup, options.trace_cost});
}

LoadedProgram load_script(const std::vector<std::string>& traces,
                          const model::ModelOptions& options) {
  const trace::Program program = load_program(traces, options);
  model::Compiled compiled = model::compile(program);
  LoadedProgram loaded{std::move(compiled.script), traces, std::move(compiled.warnings)};
  if (!program.deviations.empty()) {
    loaded.low = model::compile(trace::shifted(program, -1.0)).script;
    loaded.high = model::compile(trace::shifted(program, 1.0)).script;
  }
  return loaded;
}

machine::Cluster load_machine(const MachineOptions& options) {
  machine::Cluster cluster = machine::Cluster::read(options.file);
  for (const std::string& assignment : options.assignments) {
    cluster.set(assignment);
  }
  return cluster;
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
                          const machine::Grid& grid, const model::ModelOptions& options,
                          bool per_processor) {
  model::Predictor predictor(program.script, cluster, options);
  model::Prediction prediction = predictor.predict(grid, per_processor);
  if (options.engine == model::EngineKind::fast && !predictor.fallback().empty()) {
    spdlog::debug("predicted processor by processor: {}", predictor.fallback());
  }
  const auto take_times = [&](const std::optional<model::Script>& script, auto time) {
    if (script) {
      const model::Prediction other =
          model::Predictor(*script, cluster, options).predict(grid, false);
      for (std::size_t i = 0; i < prediction.intervals.size(); ++i) {
        prediction.intervals[i].*time = other.intervals.at(i).sums.execution_time;
      }
    }
  };
  take_times(program.low, &model::IntervalResult::execution_time_low);
  take_times(program.high, &model::IntervalResult::execution_time_high);
  prediction.traces = program.traces;
  prediction.warnings.insert(prediction.warnings.begin(), program.warnings.begin(),
                             program.warnings.end());
  return prediction;
}

std::string prediction_title(const model::Prediction& prediction) {
  return fmt::format("{} on {} of {}", fmt::join(prediction.traces, ", "), prediction.grid.text(),
                     prediction.machine);
}

search::SearchSpace search_space(const model::Script& script, const machine::Cluster& cluster,
                                 std::optional<std::int64_t> max_processors,
                                 mapping::BlockRule rule) {
  if (max_processors && *max_processors < 1) {
    throw InputError(fmt::format("--max-processors {}", *max_processors),
                     "expected a number of at least 1");
  }
  search::SearchSpace space;
  space.rank = script.header().grid_rank;
  const auto extents = script.reference_extents();
  space.reference_extents.assign(extents.begin(), extents.end());
  // Dimensions that the reference array does not have cannot be cut unevenly.
  space.reference_extents.resize(static_cast<std::size_t>(space.rank), 0);
  space.max_processors =
      std::min(cluster.processors(), max_processors.value_or(cluster.processors()));
  space.block_rule =
      rule == mapping::BlockRule::balanced ? search::BlockRule::balanced : search::BlockRule::ceil;
  return space;
}

void log_warnings(std::span<const std::string> warnings) {
  for (const std::string& warning : warnings) {
    spdlog::warn("{}", warning);
  }
}

}  // namespace gridcast::cli
