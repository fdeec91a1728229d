#include "historical.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "gridcast/base/error.h"
#include "gridcast/explain/timeline.h"
#include "gridcast/farm/launched.h"
#include "gridcast/report/html.h"
#include "gridcast/store/reader.h"
#include "gridcast/sweep/sweep.h"
#include "inputs.h"
#include "output.h"
#include "parsing.h"
#include "places.h"
#include "run.h"
#include "sweep_results.h"
#include "version.h"

namespace gridcast::cli {
namespace {

constexpr const char* best_page = "best.html";

/// A directory that lives as long as the object.
class ScratchDirectory {
public:
  ScratchDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gridcast-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw RunError(pattern, "cannot be created: " + std::generic_category().message(errno),
                     "free some space or set TMPDIR");
    }
    path_ = pattern;
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
  std::filesystem::path path_;
};

std::string page_name(const HistoricalRun& run, const machine::Grid& grid) {
  if (!run.html.empty()) {
    return run.html;
  }
  std::string extents = grid.text();
  std::replace(extents.begin(), extents.end(), 'x', '_');
  return run.program + "_" + extents + ".html";
}

/// JAC.html -> JAC.log; empty if the page goes to standard output.
std::string log_name(const std::string& page) {
  return page == "-" ? "" : std::filesystem::path(page).replace_extension(".log").string();
}

std::string extents_text(const machine::Grid& grid) {
  return fmt::format("{}", fmt::join(grid.extents(), " "));
}

std::string log_line(const store::ResultRow& row) {
  return fmt::format("proc_set: {} - {}\n", extents_text(row.grid()),
                     row.status == store::Status::done
                         ? fmt::format("{:.6f}", row.characteristics.execution_time)
                         : "no prediction");
}

std::string log_end(const std::optional<search::Outcome>& best, std::uint64_t evaluated,
                    const sweep::SweepOutcome& outcome, std::int64_t processors) {
  return fmt::format(
      "Best set of processors (for cluster with {} processors) = {}\n"
      "Checked variants : {} of {} (not-bad {})\n",
      processors,
      best ? fmt::format("{} - {:.6f}", extents_text(best->grid), best->execution_time) : "none",
      evaluated, outcome.candidates, outcome.not_bad);
}

/// The log of a search as the historical predictor wrote it (docs/historical.md).
void write_log(const std::string& place, const std::filesystem::path& searched,
               const sweep::SweepOutcome& outcome, std::int64_t processors) {
  Output log(place);
  store::StoreReader(searched).read_rows([&log](const store::RowBatch& batch) {
    for (const store::ResultRow& row : batch.rows) {
      log.stream() << log_line(row);
    }
  });
  if (outcome.comparison) {
    const search::Comparison& both = *outcome.comparison;
    log.stream() << log_end(both.heuristic_best, both.heuristic_evaluated, outcome, processors)
                 << log_end(both.not_bad_best, both.not_bad_evaluated, outcome, processors);
  } else {
    log.stream() << log_end(outcome.best, outcome.evaluated, outcome, processors);
  }
  log.commit();
}

/// The results are wanted as a page and a log only, so the store of the search does not stay. Modes
/// 1 and 5 begin with the grid.
int search_best(const HistoricalRun& run, const std::string& log, const machine::Grid& grid,
                const machine::Cluster& cluster) {
  const int mode = cluster.search_mode();
  std::optional<ScratchDirectory> scratch;
  if (sweep::launched_rank() == 0) {
    scratch.emplace();
  }
  sweep::SweepSettings settings;
  settings.traces.assign(run.traces.begin(), run.traces.end());
  settings.machine = run.machine;
  settings.store = (scratch ? scratch->path() : std::filesystem::path()) / "search.h5";
  if (mode == 1 || mode == 5) {
    settings.grid = grid;
  }
  settings.best_html = best_page;
  settings.version = version();
  settings.command_line = run.command_line;
  return sweep::run_sweep_program(settings, [&](const sweep::SweepOutcome& outcome) {
    const int code = finish_sweep(settings, outcome);
    if (!log.empty() && outcome.evaluated > 0) {
      write_log(log, settings.store, outcome, cluster.processors());
    }
    return code;
  });
}

}  // namespace

std::optional<machine::Grid> grid_of_words(const std::vector<std::string>& words) {
  if (words.empty()) {
    return std::nullopt;
  }
  std::vector<std::int64_t> extents;
  for (const std::string& word : words) {
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), extent);
    if (error != std::errc() || end != word.data() + word.size() || extent < 1) {
      throw InputError("'" + word + "' is not a number of processors",
                       "expected the extents of the grid one by one, as 4 2");
    }
    extents.push_back(extent);
  }
  return machine::Grid(extents);
}

int run_historical(const HistoricalRun& run) {
  const machine::Cluster cluster = load_machine({run.machine, {}});
  const machine::Grid grid = choose_grid(run.grid, cluster);
  const std::string page = page_name(run, grid);
  const std::string log = cluster.search_mode() == 0 ? "" : log_name(page);
  Places()
      .reads(run.traces)
      .reads(run.machine)
      .writes("the page", page)
      .writes("the log of the search", log)
      .writes("the page of the search", cluster.search_mode() == 0 ? "" : best_page)
      .require_usable();
  const LoadedProgram program = load_script(run.traces, {}, true);
  const model::Prediction prediction = predict(program, cluster, grid);
  if (sweep::launched_rank() == 0) {
    Output html(page);
    log_warnings(prediction.warnings);
    const model::Timeline drawn = model::record_timeline(
        *program.places, cluster, grid, program.resolved.options, model::most_phases_of_page);
    report::write_html(html.stream(), prediction, prediction_title(prediction), &drawn);
    html.commit();
  }
  return cluster.search_mode() == 0 ? static_cast<int>(done) : search_best(run, log, grid, cluster);
}

std::unique_ptr<CLI::App> define_predictor() {
  auto app = std::make_unique<CLI::App>(
      "Predicts a program on a machine and a processor grid and writes a page about it; if M.par "
      "says search = 1 to 5, searches the best grid as well: its page is best.html, the log of the "
      "search OUT.log",
      "predictor");
  app->footer("Example:\n  predictor cluster.par jac.ptr jac.html 4 2");
  add_version(*app);
  const auto add = [&app](const std::string& name, const std::string& description) {
    return app->add_option(name)->description(description)->type_name("");
  };
  add("M.par", "Machine description")->required();
  add("TRACE", "Trace, or its name as in gridcast pred")->required();
  add("OUT.html", "The page")->required();
  add("P", "Extents of the grid one by one, as 4 2 (default: topology of the machine)")
      ->expected(0, CLI::detail::expected_max_vector_size);
  return app;
}

int historical_command_line(const std::vector<std::string>& words,
                            const std::string& command_line) {
  constexpr std::size_t required = 3;
  if (words.size() == 1 && (words.front() == "--help" || words.front() == "-h")) {
    print(define_predictor()->help());
    return done;
  }
  if (words.size() == 1 && words.front() == "--version") {
    print(version_text());
    return done;
  }
  if (words.size() < required) {
    throw InputError("too few arguments", "expected M.par TRACE OUT.html [P1 P2 ...]");
  }
  HistoricalRun run;
  run.machine = words[0];
  run.grid = grid_of_words({words.begin() + required, words.end()});
  run.traces = traces_of(words[1]);
  run.html = words[2];
  run.command_line = command_line;
  return run_historical(run);
}

}  // namespace gridcast::cli
