#include "run_options.h"

#include <charconv>
#include <memory>
#include <system_error>

namespace gridcast::cli {

std::optional<int> read_group_size(const std::string& text) {
  if (text == "auto") {
    return std::nullopt;
  }
  int size = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, size);
  if (error != std::errc() || rest != end || size < 0 || size == 1) {
    throw CLI::ValidationError("--group-size", "'" + text + "': expected auto, 0, or 2 or more");
  }
  return size;
}

void add_start_limit(CLI::App& command, sweep::WatchLimits& limits) {
  command
      .add_option("--start-limit", limits.start,
                  "End if ranks that start do not get on for so long, 0: never (default: 60)")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber);
}

void add_peer_limit(CLI::App& command, sweep::WatchLimits& limits) {
  command
      .add_option("--peer-limit", limits.peer,
                  "End if a rank gives no sign of life for so long, 0: never (default: 120)")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber);
}

void add_run_limits(CLI::App& command, sweep::RunSettings& settings, const std::string& failures) {
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

void add_resume(CLI::App& command, sweep::Resume& resume) {
  const auto text = std::make_shared<std::string>();
  command
      .add_flag("--resume", *text, "Go on with an existing store; with =auto begin a new one too")
      ->type_name("[=auto]")
      ->each([text, &resume](const std::string& value) {
        if (value == "auto") {
          resume = sweep::Resume::automatic;
        } else if (value == "true") {  // what the parser has for a flag without a value
          resume = sweep::Resume::yes;
        } else {
          throw CLI::ValidationError("'" + value + "': expected --resume or --resume=auto");
        }
      });
}

}  // namespace gridcast::cli
