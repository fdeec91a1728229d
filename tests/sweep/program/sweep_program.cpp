/// A sweep with settings from the command line, for tests under mpirun:
/// sweep_program TRACE MACHINE STORE [key=value...]. Prints one line about the outcome.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "gridcast/farm/launched.h"
#include "gridcast/sweep/sweep.h"

namespace {

using gridcast::sweep::SweepOutcome;
using gridcast::sweep::SweepSettings;

int number(const std::map<std::string, std::string>& values, const char* key, int otherwise) {
  const auto found = values.find(key);
  return found == values.end() ? otherwise : std::atoi(found->second.c_str());
}

int report(const SweepOutcome& outcome) {
  std::printf(
      "exit=%d candidates=%llu not_bad=%llu evaluated=%llu failed=%llu best=%s lost=%d %s\n",
      outcome.exit_code, static_cast<unsigned long long>(outcome.candidates),
      static_cast<unsigned long long>(outcome.not_bad),
      static_cast<unsigned long long>(outcome.evaluated),
      static_cast<unsigned long long>(outcome.failed),
      outcome.best ? outcome.best->grid.text().c_str() : "none", outcome.lost_ranks ? 1 : 0,
      outcome.comparison_text.c_str());
  return outcome.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int positional = 4;
  if (argc < positional) {
    return 2;
  }
  std::map<std::string, std::string> values;
  for (int i = positional; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    values[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  SweepSettings settings;
  settings.traces = {argv[1]};
  settings.machine = argv[2];
  settings.store = argv[3];
  settings.mode = gridcast::search::mode_from_number(number(values, "mode", 3));
  if (values.contains("processors")) {
    settings.questions.max_processors = number(values, "processors", 1);
  }
  if (values.contains("resume")) {
    settings.resume = gridcast::sweep::Resume::yes;
  }
  settings.intervals = values.contains("intervals");
  settings.max_failures = number(values, "max_failures", 100);
  if (values.contains("time_limit")) {
    settings.time_limit = std::strtod(values["time_limit"].c_str(), nullptr);
  }
  if (values.contains("min_efficiency")) {
    settings.goal.min_efficiency = std::strtod(values["min_efficiency"].c_str(), nullptr);
  }
  if (values.contains("events")) {
    settings.events = values["events"];
  }
  if (values.contains("lease")) {
    settings.lease_seconds = number(values, "lease", 60);
  }
  if (values.contains("batch")) {
    settings.max_batch = static_cast<std::size_t>(number(values, "batch", 1));
  }
  if (values.contains("group")) {
    settings.group_size = number(values, "group", 0);
  }
  if (values.contains("pids")) {
    // The test wants to end certain ranks.
    std::ofstream(values["pids"] + std::to_string(gridcast::sweep::launched_rank()))
        << ::getpid() << std::endl;
  }
  settings.version = "test";
  settings.command_line = "sweep_program";
  return gridcast::sweep::run_sweep_program(settings, report);
}
