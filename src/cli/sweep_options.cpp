#include "sweep_options.h"

#include "front_text.h"
#include "gridcast/sweep/sweep.h"
#include "inputs.h"
#include "question_options.h"
#include "rank_files.h"
#include "run_options.h"
#include "stored_search.h"
#include "sweep_results.h"
#include "version.h"

namespace gridcast::cli {

void add_search_options(CLI::App& command, SweepOptions& options) {
  sweep::SweepSettings& settings = options.settings;
  command
      .add_option_function<int>(
          "--mode", [&settings](int mode) { settings.mode = search::mode_from_number(mode); },
          "1 heuristic, 2 no processor empty, 3 all grids, 4 exact with few evaluations, 5 "
          "compares "
          "1 and 2, 0 the given grid only (default: search= of the machine, else 4)")
      ->type_name("0|1|2|3|4|5");
  add_questions(command, settings.questions);
  add_min_block(command, settings.options);
  add_model_option(command, settings.options, "placement");
  add_grid(command, settings.grid, "Where the search starts (default: one processor)");
  add_objective(command, settings.goal);
  command
      .add_option_function<std::string>(
          "--within",
          [&settings](const std::string& text) { settings.goal.within = parse_share(text); },
          "The fewest processors with which the program is at most this much worse than at best")
      ->type_name("5%");
  command
      .add_option_function<std::string>(
          "--front", [&settings](const std::string& text) { settings.front = parse_front(text); },
          "Settle the fewest processors and nodes with which the program is at most so many "
          "percent "
          "slower than at best, or none (default: 0,1,2,5,10,25,50,100)")
      ->type_name("PERCENT,…");
  add_choice<search::Heuristic>(
      command, "--heuristic", settings.heuristic,
      {{"descent", search::Heuristic::descent}, {"classic", search::Heuristic::classic}},
      "Variant of mode 1 (default: descent)");
  add_margin(command, settings.margin);
  command.add_option("--best", settings.best, "How many of the best grids to list (default: 1)")
      ->type_name("K");
}

void add_run_options(CLI::App& command, SweepOptions& options) {
  sweep::SweepSettings& settings = options.settings;
  command.add_flag("--intervals", settings.intervals, "Store the results of every interval");
  add_run_limits(command, settings, "grids that cannot be predicted (default: 100)");
  command.add_option("--best-html", options.best_html, "Write a page about the best grid")
      ->type_name("F");
  add_json(command, options.json);
  add_rankfile(command, options.rankfile);
  command.add_option("--events", options.events, "Append JSON lines about the run")->type_name("F");
}

Places search_places(const SweepOptions& options) {
  Places places;
  places.reads(files_of(options.program))
      .reads(options.machine.file)
      .writes_store(options.store)
      .writes("--best-html", options.best_html)
      .writes("--events", options.events)
      .writes("--json", options.json);
  return claim_rank_files(places, options.rankfile);
}

int run_search(const SweepOptions& options) {
  search_places(options).require_usable();
  sweep::SweepSettings settings = options.settings;
  settings.traces.assign(options.program.files.begin(), options.program.files.end());
  settings.parameters = parameters_of(options.program);
  settings.shapes = options.program.shapes;
  settings.machine = options.machine.file;
  settings.assignments = options.machine.assignments;
  settings.store = options.store;
  settings.version = version();
  if (!options.events.empty()) {
    settings.events = options.events;
  }
  if (!options.best_html.empty()) {
    settings.best_html = options.best_html;
  }
  return sweep::run_sweep_program(settings, [&](const sweep::SweepOutcome& outcome) {
    return finish_with_status(
        options.json, options.store,
        [&] { return finish_sweep(settings, outcome, options.rankfile); }, options.rankfile);
  });
}

}  // namespace gridcast::cli
