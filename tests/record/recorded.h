#pragma once
/// Programs of tests/apps, recorded under mpirun.

#include <unistd.h>

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "gridcast/base/error.h"
#include "gridcast/record/recording.h"
#include "gridcast/record/run.h"
#include "process.h"

namespace gridcast::record::test {

/// mpirun with `ranks` ranks of an app and its arguments.
inline std::vector<std::string> mpirun(int ranks, const std::vector<std::string>& app) {
  std::vector<std::string> command{MPIEXEC_EXECUTABLE, "--oversubscribe", "-n",
                                   std::to_string(ranks)};
  if (::geteuid() == 0) {
    command.insert(command.begin() + 1, "--allow-run-as-root");
  }
  command.insert(command.end(), app.begin(), app.end());
  command[command.size() - app.size()] = std::string(APPS) + "/" + app.front();
  return command;
}

/// A run in a folder that goes away with it.
struct Run {
  support::ScratchDirectory scratch;
  std::filesystem::path folder = scratch / "run";
  support::Ended ended;

  Run(const std::string& grid, const std::vector<std::string>& app)
      : Run(grid, mpirun(static_cast<int>(machine::Grid::parse(grid).processors()), app),
            RECORDER) {}
  Run(const std::string& grid, const std::vector<std::string>& command,
      const std::string& recorder) {
    Manifest manifest;
    manifest.grid = machine::Grid::parse(grid);
    manifest.command = command;
    begin_run(folder, manifest);
    ended = support::run_program(recorded_command(command, recorder, folder, manifest.run));
    end_run(folder, manifest, ended.exit_code);
  }
  [[nodiscard]] Recording read() const { return read_recording(folder); }
};

using Counts = std::map<std::string, int>;

/// How often each operation was called.
inline Counts counts(const RankRecording& rank) {
  Counts found;
  EventReader events(rank);
  for (Event event; events.next(event);) {
    const auto operation = static_cast<std::size_t>(rank.shapes[event.shape].operation);
    ++found[rank.operations[operation].name];
  }
  return found;
}

/// The shapes of an operation in the order in which they were first seen.
inline std::vector<Shape> shapes_of(const RankRecording& rank, const std::string& operation) {
  std::vector<Shape> found;
  for (std::size_t i = 1; i < rank.shapes.size(); ++i) {
    if (rank.operations[static_cast<std::size_t>(rank.shapes[i].operation)].name == operation) {
      found.push_back(rank.shapes[i]);
    }
  }
  return found;
}

/// The message of the InputError that a call throws.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace gridcast::record::test
