#pragma once
/// The runs that `gridcast tune` records, and their recordings.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gridcast/record/recording.h"

namespace gridcast::cli {

/// A program and how it is run, as the command line says it.
struct TunedProgram {
  std::vector<std::string> command;    ///< with names in braces (record::filled_command)
  std::string extents;                 ///< --extents: of the planned run
  std::string run_extents;             ///< --run-extents: of the recorded ones; may be empty
  std::vector<std::string> size_runs;  ///< --size-run: EXTENTS=COMMAND
  std::optional<std::int32_t> rank;    ///< --rank: dimensions of the grid; empty: of the extents
};

/// A run to record.
struct TuneRun {
  std::string folder;
  record::Manifest manifest;
  std::string reason;
};

/// The runs, with folders below `folder`, for a search on so many processors. Throws InputError.
[[nodiscard]] std::vector<TuneRun> plan_tune_runs(const TunedProgram& program,
                                                  std::int64_t processors,
                                                  const std::string& folder);

/// Records the runs that are not there yet: a run is there if its recording is complete, its
/// manifest says the same, and the program was not compiled again since. Throws InputError,
/// RunError if a program fails.
void record_tune_runs(const std::vector<TuneRun>& runs);

}  // namespace gridcast::cli
