#pragma once
/// What the commands that farm predictions out have in common: how far a run goes, what it shows.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "gridcast/sweep/run_settings.h"
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
/// --start-limit, --peer-limit, --progress; `failures` ends the description of --max-failures.
void add_run_limits(CLI::App& command, sweep::RunSettings& settings, const std::string& failures);

}  // namespace gridcast::cli
