#pragma once
/// What the commands that farm predictions out have in common: how far a run goes, what it shows.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "gridcast/sweep/settings.h"
#include "options.h"

namespace gridcast::cli {

/// --group-size: empty for "auto". Throws CLI::ValidationError.
[[nodiscard]] std::optional<int> read_group_size(const std::string& text);

/// --resume and --resume=auto.
void add_resume(CLI::App& command, sweep::Resume& resume);

/// --start-limit, and --peer-limit where ranks go on for long.
void add_start_limit(CLI::App& command, sweep::WatchLimits& limits);
void add_peer_limit(CLI::App& command, sweep::WatchLimits& limits);

/// --retry-failed, --durability, --lock-wait, --time-limit, --max-failures, --group-size,
/// --start-limit, --peer-limit, --progress, of sweep::SweepSettings or sweep::DatasetSettings;
/// `failures` ends the description of
/// --max-failures.
template <class Settings>
void add_run_limits(CLI::App& command, Settings& settings, const std::string& failures) {
  command.add_flag("--retry-failed", settings.retry_failed,
                   "When going on: predict again what failed before, too");
  add_choice<store::Durability>(
      command, "--durability", settings.durability,
      {{"none", store::Durability::none},
       {"process", store::Durability::process},
       {"second", store::Durability::second}},
      "What a store survives but for the last second: kills and power cuts, kills only, or "
      "neither (default: second)");
  command
      .add_option("--lock-wait", settings.lock_wait,
                  "How long a requeued job waits for its earlier start to end (default: 60)")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber);
  command
      .add_option("--time-limit", settings.time_limit,
                  "Stop after this time with everything stored")
      ->type_name("SECONDS");
  command
      .add_option("--max-failures", settings.max_failures, "Give up after this many " + failures)
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--group-size",
          [&settings](const std::string& text) { settings.group_size = read_group_size(text); },
          "Ranks of a group with a master of its own, 0: rank 0 serves all (default: auto, groups "
          "beyond 4096 ranks)")
      ->type_name("N|auto");
  add_start_limit(command, settings.watch);
  add_peer_limit(command, settings.watch);
  add_choice<sweep::ProgressMode>(command, "--progress", settings.progress,
                                  {{"auto", sweep::ProgressMode::automatic},
                                   {"always", sweep::ProgressMode::always},
                                   {"never", sweep::ProgressMode::never}},
                                  "Show progress (default: auto, on a terminal)");
}

}  // namespace gridcast::cli
