#include "sweep_results.h"

#include <fmt/format.h>

#include <optional>

#include "assumed.h"
#include "front_text.h"
#include "gridcast/base/readable.h"
#include "gridcast/machine/nodes.h"
#include "gridcast/report/html.h"
#include "gridcast/sweep/questions.h"
#include "inputs.h"
#include "output.h"
#include "run.h"

namespace gridcast::cli {
namespace {

std::string outcome_text(const search::Goal& goal, const search::Outcome& outcome) {
  const std::string placement =
      outcome.placement == 0
          ? ""
          : ", placed by " +
                machine::placement_of(outcome.grid, outcome.placement).text(outcome.grid.rank());
  return fmt::format("{} ({}{}): {}, efficiency {:.4f}{}", outcome.grid.text(),
                     counted(outcome.grid.processors(), "processor"), placement,
                     seconds_text(outcome.execution_time), outcome.efficiency,
                     cost_text(goal, outcome.grid, outcome.execution_time));
}

/// The goal with the nodes of the machine, for the grids that are listed.
search::Goal goal_with_nodes(const sweep::SweepSettings& settings) {
  if (settings.goal.objective != search::Objective::node_hours) {
    return settings.goal;
  }
  const machine::Cluster cluster = load_machine({settings.machine.string(), settings.assignments});
  return sweep::goal_on(cluster, settings.goal, cluster.processors());
}

/// What the bounds of mode 4 have shown.
std::string proof_text(const search::Proof& proof, const search::Goal& goal) {
  std::string text = fmt::format("Bounds of {} of grids exclude {}",
                                 counted(static_cast<std::int64_t>(proof.boxes), "set"),
                                 counted(static_cast<std::int64_t>(proof.excluded), "candidate"));
  if (proof.open == 0) {
    return text + ": none is better\n";
  }
  text +=
      fmt::format("; {} not decided", counted(static_cast<std::int64_t>(proof.open), "candidate"));
  if (proof.least && goal.objective != search::Objective::node_hours) {
    text += goal.objective == search::Objective::time
                ? ", none below " + seconds_text(*proof.least)
                : fmt::format(", none above efficiency {:.4f}", *proof.least);
  }
  return text + (proof.gap ? fmt::format(" (gap {:.2f} %)\n", 100.0 * *proof.gap) : "\n");
}

std::string sweep_text(const sweep::SweepSettings& settings, const sweep::SweepOutcome& outcome) {
  std::string text = fmt::format(
      "Evaluated {} of {} candidates ({} not bad){}{}{}\n", outcome.evaluated, outcome.candidates,
      outcome.not_bad, outcome.failed > 0 ? fmt::format(", {} failed", outcome.failed) : "",
      outcome.postponed > 0 ? fmt::format(", {} to be tried again", outcome.postponed) : "",
      outcome.exit_code == 0 ? "" : "; stopped early, --resume goes on");
  text += assumed_lines({outcome.assumed}, {}, "Assumed", 8);
  const search::Goal goal = goal_with_nodes(settings);
  text += "Best grid " + (outcome.best ? outcome_text(goal, *outcome.best) : "none") + "\n";
  for (std::size_t i = 1; i < outcome.top.size(); ++i) {
    text += fmt::format("  no. {} {}\n", i + 1, outcome_text(goal, outcome.top[i]));
  }
  if ((settings.goal.min_efficiency || settings.goal.within) && outcome.unconstrained) {
    text += (settings.goal.within ? "The best by itself " : "Without the limit on efficiency ") +
            outcome_text(goal, *outcome.unconstrained) + "\n";
  }
  if (outcome.proof) {
    text += proof_text(*outcome.proof, settings.goal);
  }
  text += front_text(outcome.front, outcome.mode == search::Mode::heuristic);
  if (!outcome.comparison_text.empty()) {
    text += outcome.comparison_text + "\n";
  }
  return text;
}

void write_best_page(const std::filesystem::path& page, const model::Prediction& prediction,
                     const std::optional<model::Timeline>& run) {
  Output html(page.string());
  report::write_html(html.stream(), prediction, prediction_title(prediction),
                     run ? &*run : nullptr);
  html.commit();
}

}  // namespace

std::string cost_text(const search::Goal& goal, const machine::Grid& grid, double execution_time) {
  if (goal.objective != search::Objective::node_hours || goal.nodes == nullptr) {
    return {};
  }
  constexpr double seconds_per_hour = 3600.0;
  const double cost = goal.nodes->rate(grid.processors()) * execution_time / seconds_per_hour;
  return fmt::format(", {}, {}", counted(goal.nodes->nodes(grid.processors()), "node"),
                     goal.nodes->priced() ? fmt::format("price {:.4g}", cost)
                                          : fmt::format("{:.4g} node-hours", cost));
}

int finish_sweep(const sweep::SweepSettings& settings, const sweep::SweepOutcome& outcome) {
  // Without candidates the search has not begun: its store was not free.
  const bool begun = outcome.exit_code == done || outcome.candidates > 0;
  if (outcome.exit_code == failed || outcome.exit_code == bad_input || !begun) {
    return outcome.exit_code;
  }
  const int code = run_guarded([&] {
    log_warnings(outcome.warnings);
    if (settings.best_html && outcome.best_prediction) {
      write_best_page(*settings.best_html, *outcome.best_prediction, outcome.best_run);
    }
    print(sweep_text(settings, outcome));
    return done;
  });
  return code == done ? outcome.exit_code : code;
}

}  // namespace gridcast::cli
