#include "measured_options.h"

#include <array>
#include <filesystem>
#include <map>
#include <utility>

#include "gridcast/base/readable.h"
#include "gridcast/compile/compile.h"
#include "gridcast/evaluate/program_shapes.h"
#include "inputs.h"
#include "options.h"

namespace gridcast::cli {

void add_measured_options(CLI::App& command, MeasuredOptions& options) {
  add_choice<double>(command, "--unit", options.unit, {{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}},
                     "Unit of measured times whose column names none (default: s)");
  add_choice<calibrate::Interval>(
      command, "--interval", options.interval,
      {{"auto", calibrate::Interval::automatic},
       {"program", calibrate::Interval::program},
       {"user", calibrate::Interval::user}},
      "What was measured: the whole program, or its first interval of the user (default: auto, the "
      "interval if there is one)");
}

namespace {

/// Compiles a trace with any cost of an event line; keeps the last few results.
class TraceCosts {
public:
  TraceCosts(ProgramOptions program, const model::OptionWords& given)
      : program_(std::move(program)), given_(given) {}

  std::shared_ptr<const model::Script> operator()(double cost) {
    constexpr std::size_t most_kept = 8;
    const auto found = scripts_.find(cost);
    if (found != scripts_.end()) {
      return found->second;
    }
    if (scripts_.size() >= most_kept) {
      scripts_.clear();
    }
    given_["trace-cost"] = exact(cost);
    return scripts_[cost] =
               std::make_shared<const model::Script>(load_script(program_, given_).script);
  }

private:
  ProgramOptions program_;
  model::OptionWords given_;
  std::map<double, std::shared_ptr<const model::Script>> scripts_;
};

/// Those of --shape-traces that belong to each of the traces.
std::vector<std::vector<std::string>> runs_of(const std::vector<std::string>& traces,
                                              const std::vector<std::string>& shapes,
                                              const model::OptionWords& given) {
  if (shapes.empty()) {
    return std::vector<std::vector<std::string>>(traces.size());
  }
  std::vector<trace::Program> programs;
  programs.reserve(traces.size());
  for (const std::string& trace : traces) {
    programs.push_back(load_program({trace}, given));
  }
  return sweep::runs_by_program(programs, shapes, model::read_options(given));
}

model::Compiled compiled_with_shapes(const trace::Program& program,
                                     const std::vector<std::string>& runs,
                                     const trace::ReadOptions& options) {
  if (runs.empty()) {
    return model::compile(program);
  }
  const sweep::ProgramShapes known = sweep::read_program_shapes(program, 1, runs, options);
  return model::compile(program, model::Detail::folded, &known.shapes);
}

}  // namespace

std::vector<calibrate::CalibratedProgram> calibrated_programs(
    const std::vector<std::string>& traces, const std::vector<std::string>& shapes,
    const model::OptionWords& given) {
  const std::vector<std::vector<std::string>> runs = runs_of(traces, shapes, given);
  std::vector<calibrate::CalibratedProgram> result;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    const trace::Program program = load_program({traces[i]}, given);
    model::Compiled compiled = compiled_with_shapes(program, runs[i], model::read_options(given));
    log_warnings(compiled.warnings);
    result.push_back({std::filesystem::path(traces[i]).filename().string(),
                      std::make_shared<const model::Script>(std::move(compiled.script)),
                      TraceCosts({{traces[i]}, {}, {}, runs[i]}, given),
                      calibrate::shortest_event_line(program), model::resolve(given, program)});
  }
  return result;
}

std::pair<std::string, std::optional<double>> file_and_unit(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 3> units{
      {{":s", 1.0}, {":ms", 1e-3}, {":us", 1e-6}}};
  std::error_code ignored;
  for (const auto& [ending, seconds] : units) {
    if (text.ends_with(ending) && !std::filesystem::exists(text, ignored)) {
      return {text.substr(0, text.size() - ending.size()), seconds};
    }
  }
  return {text, std::nullopt};
}

calibrate::Measured read_measured_times(const std::string& text, double unit) {
  const auto [file, own] = file_and_unit(text);
  return calibrate::read_measured(file, own.value_or(unit));
}

}  // namespace gridcast::cli
