#include "gridcast/calibrate/experiments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>

#include "gridcast/base/error.h"
#include "gridcast/network/networks.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/predict/predictor.h"

namespace gridcast::calibrate {
namespace {

/// "jac.ptr" of "folder/jac.ptr.gz".
std::string bare_name(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (const std::string_view suffix : {".gz", ".ptr"}) {
    if (name.ends_with(suffix)) {
      name.resize(name.size() - suffix.size());
    }
  }
  return name;
}

/// Predicts the runs of one program, each grid once.
class ProgramRuns {
public:
  ProgramRuns(const model::Script& script, const machine::Cluster& cluster,
              const model::ModelOptions& options, std::size_t interval)
      : predictor_(script, cluster, options), interval_(interval) {}

  double seconds(const machine::Grid& grid) {
    const auto [found, fresh] = known_.emplace(grid.text(), 0.0);
    if (fresh) {
      found->second = predictor_.evaluate(grid)[interval_].execution_time;
    }
    return found->second;
  }

private:
  model::Predictor predictor_;
  std::size_t interval_;
  std::map<std::string, double> known_;
};

/// From the start of the messages until the last has arrived.
double predicted_messages(const machine::Cluster& cluster, const MeasuredMessages& messages) {
  const std::int64_t count = std::max(messages.from, messages.to) + messages.pairs;
  const machine::ProcessorSystem system = cluster.expand(count);
  network::Networks networks(system);
  const std::array<std::int64_t, 1> line{count};
  networks.reset(machine::Grid(line));
  network::Communication communication;
  for (std::int64_t i = 0; i < messages.pairs; ++i) {
    communication.transfers.push_back({static_cast<std::uint32_t>(messages.from + i),
                                       static_cast<std::uint32_t>(messages.to + i),
                                       messages.bytes});
  }
  std::vector<double> ends(static_cast<std::size_t>(count));
  networks.run(communication, 0.0, ends);
  return *std::ranges::max_element(ends);
}

}  // namespace

double shortest_event_line(const trace::Program& program) {
  std::vector<double> times;
  for (const trace::Record& record : program.records) {
    for (const double time : {record.call_time, record.ret_time}) {
      if (time > 0.0) {
        times.push_back(time);
      }
    }
  }
  if (times.empty()) {
    return 0.0;
  }
  const auto quarter = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
  std::nth_element(times.begin(), quarter, times.end());
  const double typical = *quarter;
  constexpr double longest = 1e-5;  // what takes longer is no recording
  if (typical > longest) {
    return 0.0;
  }
  double sum = 0.0;
  double count = 0.0;
  for (const double time : times) {
    if (std::abs(time - typical) <= 0.5 * typical) {
      sum += time;
      count += 1.0;
    }
  }
  return sum / count;
}

std::string Experiment::name() const {
  if (is_run()) {
    return program + " " + grid.text();
  }
  const std::string pairs =
      messages.pairs == 1 ? std::string() : fmt::format(", {} at once", messages.pairs);
  return fmt::format("{} to {}, {} bytes{}", messages.from, messages.to, messages.bytes, pairs);
}

Experiments::Experiments(machine::Cluster cluster, std::vector<CalibratedProgram> programs,
                         std::span<const Measured> measured, Interval interval)
    : cluster_(std::move(cluster)), programs_(std::move(programs)), interval_(interval) {
  for (const CalibratedProgram& program : programs_) {
    static_cast<void>(interval_of(*program.script));
  }
  for (const Measured& file : measured) {
    for (const MeasuredRun& run : file.runs) {
      add_run(file, run);
    }
    for (const MeasuredMessages& messages : file.messages) {
      add_messages(file, messages);
    }
  }
  for (CalibratedProgram& program : programs_) {
    settle(program.resolved, processors_);
  }
}

std::vector<NamedWords> Experiments::assumed() const {
  std::vector<NamedWords> all;
  all.reserve(programs_.size());
  for (const CalibratedProgram& program : programs_) {
    all.push_back(model::without_conditions(program.resolved.assumed));
  }
  return all;
}

void Experiments::add_run(const Measured& file, const MeasuredRun& run) {
  Experiment row;
  row.place = program_of(file, run);
  row.program = programs_[row.place].name;
  row.grid = run.grid;
  row.seconds = run.seconds;
  if (run.grid.processors() > cluster_.processors()) {
    throw InputError(file.file, run.line,
                     fmt::format("grid {} needs {} processors, cluster {} has {}", run.grid.text(),
                                 run.grid.processors(), cluster_.name(), cluster_.processors()),
                     "expected a machine with as many processors as the measured one");
  }
  processors_ = std::max(processors_, run.grid.processors());
  rows_.push_back(std::move(row));
}

void Experiments::add_messages(const Measured& file, const MeasuredMessages& messages) {
  const std::int64_t last = std::max(messages.from, messages.to) + messages.pairs;
  if (last > cluster_.processors()) {
    throw InputError(file.file, messages.line,
                     fmt::format("there is no processor {} in cluster {}, which has {}", last - 1,
                                 cluster_.name(), cluster_.processors()),
                     "expected messages between processors of the machine, counted from 0");
  }
  Experiment row;
  row.messages = messages;
  row.seconds = messages.seconds;
  processors_ = std::max(processors_, last);
  rows_.push_back(std::move(row));
}

std::size_t Experiments::program_of(const Measured& file, const MeasuredRun& run) const {
  if (programs_.empty()) {
    throw InputError(file.file, run.line, "is a run of a program, but no trace is given",
                     "expected TRACE... on the command line");
  }
  if (run.trace.empty()) {
    if (programs_.size() == 1) {
      return 0;
    }
    throw InputError(file.file, run.line, "does not say which program it is a run of",
                     "expected a column trace with the file names of the traces");
  }
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (bare_name(programs_[i].name) == bare_name(run.trace)) {
      return i;
    }
  }
  throw InputError(file.file, run.line, "no trace is called '" + run.trace + "'",
                   "expected the file name of one of the traces on the command line");
}

std::size_t Experiments::interval_of(const model::Script& script) const {
  const auto intervals = script.tables().intervals;
  for (std::size_t i = 0; i < intervals.size() && interval_ != Interval::program; ++i) {
    if (intervals[i].type == trace::IntervalType::user) {
      return i;
    }
  }
  if (interval_ == Interval::user) {
    throw InputError("a trace has no interval of the user", "expected --interval=program");
  }
  return 0;
}

std::shared_ptr<const model::Script> Experiments::script(std::size_t program,
                                                         std::optional<double> trace_cost) const {
  const CalibratedProgram& wanted = programs_[program];
  return trace_cost && wanted.with_trace_cost ? wanted.with_trace_cost(*trace_cost) : wanted.script;
}

FitProblem Experiments::problem(const std::vector<Parameter>& parameters) const {
  FitProblem problem;
  for (const Parameter& parameter : parameters) {
    problem.numbers.push_back(parameter.number());
  }
  for (const Experiment& row : rows_) {
    problem.measured.push_back(row.seconds);
    problem.kinds.push_back(row.is_run() ? 0 : 1);
  }
  problem.simulate = [this, parameters](const Point& point, std::span<const std::size_t> rows) {
    std::vector<double> values;
    std::optional<double> trace_cost;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      values.push_back(parameters[i].in_file(point[i]));
      if (parameters[i].name == trace_cost_name) {
        trace_cost = point[i];
      }
    }
    std::vector<std::size_t> measured;
    std::ranges::copy_if(rows, std::back_inserter(measured),
                         [this](std::size_t row) { return row < rows_.size(); });
    const std::vector<double> predicted =
        predict(with_values(cluster_, parameters, values), trace_cost, measured);
    std::vector<double> all;
    for (auto next = predicted.begin(); const std::size_t row : rows) {
      all.push_back(row < rows_.size() ? *next++ : trace_cost.value_or(0.0));
    }
    return all;
  };
  if (std::ranges::find(parameters, trace_cost_name, &Parameter::name) != parameters.end()) {
    add_event_lines(problem);
  }
  return problem;
}

void Experiments::add_event_lines(FitProblem& problem) const {
  // Those of all traces together count as one time that is known to a few times what times of
  // programs are: enough to decide where these tell nothing, too little to bend what they tell.
  constexpr double weight_of_all = 0.25;
  const auto known =
      std::ranges::count_if(programs_, [](const auto& each) { return each.event_line > 0.0; });
  problem.weights.assign(problem.measured.size(), 1.0);
  for (const CalibratedProgram& program : programs_) {
    if (program.event_line > 0.0) {
      problem.measured.push_back(program.event_line);
      problem.weights.push_back(weight_of_all / std::sqrt(static_cast<double>(known)));
    }
  }
}

std::vector<double> Experiments::predict(const machine::Cluster& cluster,
                                         std::optional<double> trace_cost,
                                         std::span<const std::size_t> rows) const {
  std::map<std::size_t, std::shared_ptr<const model::Script>> scripts;
  std::map<std::size_t, ProgramRuns> runs;
  std::vector<double> result;
  for (const std::size_t index : rows) {
    const Experiment& row = rows_[index];
    if (!row.is_run()) {
      result.push_back(predicted_messages(cluster, row.messages));
      continue;
    }
    auto found = runs.find(row.place);
    if (found == runs.end()) {
      const auto& script_of = scripts[row.place] = script(row.place, trace_cost);
      found = runs.try_emplace(row.place, *script_of, cluster,
                               programs_[row.place].resolved.options, interval_of(*script_of))
                  .first;
    }
    result.push_back(found->second.seconds(row.grid));
  }
  return result;
}

}  // namespace gridcast::calibrate
