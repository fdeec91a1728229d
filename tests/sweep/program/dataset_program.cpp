/// A data set with settings from the command line, for tests under mpirun:
/// dataset_program DESIGN STORE [resume] [time_limit=SECONDS] [group=RANKS]. Prints one line about
/// the outcome.

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "gridcast/sweep/dataset.h"

namespace {

int report(const gridcast::sweep::DatasetOutcome& outcome) {
  std::printf("exit=%d variants=%llu evaluated=%llu failed=%llu\n", outcome.exit_code,
              static_cast<unsigned long long>(outcome.variants),
              static_cast<unsigned long long>(outcome.evaluated),
              static_cast<unsigned long long>(outcome.failed));
  return outcome.exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int positional = 3;
  if (argc < positional) {
    return 2;
  }
  gridcast::sweep::DatasetSettings settings;
  settings.design = argv[1];
  settings.store = argv[2];
  for (int i = positional; i < argc; ++i) {
    const std::string_view word = argv[i];
    constexpr std::string_view limit = "time_limit=";
    constexpr std::string_view group = "group=";
    if (word == "resume") {
      settings.resume = gridcast::sweep::Resume::yes;
    } else if (word.starts_with(limit)) {
      settings.time_limit = std::strtod(argv[i] + limit.size(), nullptr);
    } else if (word.starts_with(group)) {
      settings.group_size = std::atoi(argv[i] + group.size());
    }
  }
  settings.version = "test";
  settings.command_line = "dataset_program";
  return gridcast::sweep::run_dataset_program(settings, report);
}
