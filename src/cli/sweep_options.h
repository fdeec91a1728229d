#pragma once
/// The search of a program's grids on the command line: what `sweep` and `tune` have in common.

#include <CLI/CLI.hpp>
#include <string>

#include "gridcast/sweep/settings.h"
#include "options.h"
#include "places.h"

namespace gridcast::cli {

struct SweepOptions {
  ProgramOptions program;
  MachineOptions machine;
  std::string store;
  std::string best_html;
  std::string events;
  std::string json;
  std::string rankfile;
  sweep::SweepSettings settings;  ///< what needs no conversion is parsed into its place
};

/// What is searched: --mode, conditions on grids, objectives, --placement, --front, --best.
void add_search_options(CLI::App& command, SweepOptions& options);

/// How the search runs and what it writes: --intervals, limits, --best-html, --json, --rankfile,
/// --events.
void add_run_options(CLI::App& command, SweepOptions& options);

/// The files of the search.
[[nodiscard]] Places search_places(const SweepOptions& options);

/// Searches, prints the answer and writes the files. Returns the exit code of the process.
[[nodiscard]] int run_search(const SweepOptions& options);

}  // namespace gridcast::cli
