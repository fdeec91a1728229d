#include "tune_runs.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>

#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/infer/infer.h"
#include "gridcast/record/command.h"
#include "gridcast/record/plan.h"
#include "gridcast/record/run.h"
#include "gridcast/record/summary.h"
#include "recording_text.h"
#include "shell_words.h"

namespace gridcast::cli {
namespace {

using Extents = std::vector<std::int64_t>;

constexpr const char* example_command = "mpirun -n {} ./app {n1} {n2} {p1} {p2}";

/// Extents of an option, as many as the problem has.
Extents read_extents(const std::string& text, const std::string& option, std::size_t count) {
  Extents extents = record::parse_extents(text, option);
  if (extents.size() != count) {
    throw InputError(option + " " + text, "expected as many as in --extents: " +
                                              counted(static_cast<std::int64_t>(count), "number"));
  }
  return extents;
}

/// Collects runs that differ in what they are and in their commands.
class RunList {
public:
  explicit RunList(std::string folder) : folder_(std::move(folder)) {}

  void add(const record::PlannedRun& planned, const std::vector<std::string>& command) {
    TuneRun run{folder_ + "/" + record::extents_text(planned.grid) + "-" +
                    record::extents_text(planned.extents),
                {},
                planned.reason};
    run.manifest.grid = machine::Grid(planned.grid);
    run.manifest.extents = planned.extents;
    run.manifest.command = command;
    for (const TuneRun& other : runs_) {
      const bool same_command = other.manifest.command == command;
      if (same_command != (other.folder == run.folder)) {
        throw InputError(
            shell_line(command) +
                (same_command ? ": the same for " + text_of(other) + " and "
                              : ": the second command for ") +
                text_of(run),
            std::string("expected names in braces for what differs, as ") + example_command);
      }
      if (same_command) {
        return;
      }
    }
    runs_.push_back(std::move(run));
  }

  [[nodiscard]] std::vector<TuneRun> take() { return std::move(runs_); }

private:
  static std::string text_of(const TuneRun& run) {
    return run.manifest.grid.text() + " of " + record::extents_text(run.manifest.extents);
  }

  std::string folder_;
  std::vector<TuneRun> runs_;
};

/// The runs that are planned for the command: an extent that it does not name is the first one.
std::vector<record::PlannedRun> planned_runs(const TunedProgram& program, const Extents& extents,
                                             std::size_t rank, std::int64_t processors) {
  const bool given = !program.run_extents.empty();
  const Extents largest = given ? read_extents(program.run_extents, "--run-extents", extents.size())
                                : record::small_extents(extents, processors);
  std::vector<record::PlannedRun> runs =
      record::plan_structure_runs(given ? largest : record::uneven_extents(largest), rank);
  const std::vector<bool> named = record::named_extents(program.command, extents.size());
  const auto names = std::count(named.begin(), named.end(), true);
  if (names == 0 && !given) {
    throw InputError("the command does not name the size of the problem",
                     std::string("expected ") + example_command +
                         ", or --run-extents N1xN2: the size that the program has by itself");
  }
  if (names == std::ssize(named)) {
    record::vary_extents(runs, !given);
  }
  if (names > 0 && program.size_runs.empty()) {
    const std::vector<record::PlannedRun> sizes = record::plan_size_runs(largest, rank);
    runs.insert(runs.end(), sizes.begin(), sizes.end());
  }
  if (names == 0 || names == std::ssize(named)) {
    return runs;
  }
  for (const Extents& all : {extents, largest}) {
    if (!named.front() || std::count(all.begin(), all.end(), all.front()) != std::ssize(all)) {
      throw InputError("the command does not name all extents of " + record::extents_text(all),
                       "expected {n1} {n2} ... or {extents}; {n1} alone if all are equal");
    }
  }
  for (record::PlannedRun& run : runs) {
    run.extents.assign(run.extents.size(), run.extents.front());
  }
  return runs;
}

/// EXTENTS=COMMAND.
void add_size_run(const std::string& text, std::size_t dimensions, std::size_t rank,
                  RunList& runs) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw InputError("--size-run " + text, "expected as 500x350='mpirun -n 1 ./app small.in'");
  }
  record::PlannedRun run{Extents(rank, 1),
                         read_extents(text.substr(0, equals), "--size-run", dimensions),
                         "time of computation by the size of the block"};
  const std::string line =
      record::filled_command({text.substr(equals + 1)}, run.grid, run.extents).front();
  runs.add(run, shell_split("--size-run", line));
}

/// True if none of the programs that called MPI was compiled again since.
bool is_of_this_program(const record::Recording& recording) {
  return std::all_of(recording.ranks.begin(), recording.ranks.end(), [](const auto& rank) {
    return std::all_of(rank.modules.begin(), rank.modules.end(), [](const auto& module) {
      return module.size < 0 || record::is_unchanged(module);
    });
  });
}

bool is_there(const TuneRun& run) {
  try {
    const record::Recording found = record::read_recording(run.folder);
    static_cast<void>(record::verify_grid(found));
    return record::is_complete(found) && is_of_this_program(found) &&
           found.manifest.grid == run.manifest.grid &&
           found.manifest.extents == run.manifest.extents &&
           found.manifest.command == run.manifest.command;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::vector<TuneRun> plan_tune_runs(const TunedProgram& program, std::int64_t processors,
                                    const std::string& folder) {
  const Extents extents = record::parse_extents(program.extents);
  const auto rank =
      static_cast<std::size_t>(program.rank.value_or(static_cast<std::int32_t>(extents.size())));
  if (rank > extents.size()) {
    throw InputError(fmt::format("--rank {}", rank),
                     "expected at most as many dimensions as --extents has numbers");
  }
  // Names that are unknown are told before what depends on those that are there.
  static_cast<void>(record::filled_command(program.command, Extents(rank, 1), extents));
  RunList runs(folder);
  bool sizes = !program.size_runs.empty();
  for (const record::PlannedRun& run : planned_runs(program, extents, rank, processors)) {
    runs.add(run, record::filled_command(program.command, run.grid, run.extents));
    sizes = sizes || machine::Grid(run.grid).processors() == 1;
  }
  for (const std::string& text : program.size_runs) {
    add_size_run(text, extents.size(), rank, runs);
  }
  if (!sizes) {
    spdlog::warn(
        "computation is fitted from one size, {}: names of extents in the command, or --size-run, "
        "give more",
        program.run_extents);
  }
  return runs.take();
}

void record_tune_runs(const std::vector<TuneRun>& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const TuneRun& run = runs[i];
    const std::string which = fmt::format("run {} of {}, {}: ", i + 1, runs.size(), run.reason);
    if (is_there(run)) {
      spdlog::info("{}{} is there", which, run.folder);
      continue;
    }
    const std::string line = shell_line(run.manifest.command);
    spdlog::info("{}{}", which, line);
    record::remove_recording(run.folder);
    record::Manifest manifest = run.manifest;
    const std::vector<std::string> command = record::prepare_run(run.folder, manifest);
    const int code =
        record::run_command(command, std::filesystem::path(run.folder) / record::output_name);
    record::end_run(run.folder, manifest, code);
    if (code != 0) {
      throw RunError(run.folder, fmt::format("{} ended with exit code {}", line, code),
                     fmt::format("its output is in {} there; what was recorded is kept, and tune "
                                 "goes on from it",
                                 record::output_name));
    }
    const record::Recording recorded = record::read_recording(run.folder);
    infer::require_describable(recorded);
    spdlog::debug("{}", check_recorded(recorded));
  }
}

}  // namespace gridcast::cli
