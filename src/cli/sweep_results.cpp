#include "sweep_results.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <optional>

#include "assumed.h"
#include "front_text.h"
#include "gridcast/base/readable.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/report/html.h"
#include "inputs.h"
#include "output.h"
#include "rank_files.h"
#include "run.h"
#include "stored_search.h"

namespace gridcast::cli {
namespace {

/// What the bounds of mode 4 have shown.
std::string proof_text(const search::Proof& proof, const sweep::SweepSettings& settings) {
  const search::Goal& goal = settings.goal;
  std::string text = fmt::format("Bounds of {} of grids exclude {}",
                                 counted(static_cast<std::int64_t>(proof.boxes), "set"),
                                 counted(static_cast<std::int64_t>(proof.excluded), "candidate"));
  if (proof.open + proof.left == 0) {
    return text + ": none is better\n";
  }
  if (proof.open > 0) {
    text += fmt::format("; {} not decided",
                        counted(static_cast<std::int64_t>(proof.open), "candidate"));
  }
  if (proof.left > 0) {
    text += fmt::format("; {} left: together they take at least {:g} % longer than the best one",
                        counted(static_cast<std::int64_t>(proof.left), "candidate"),
                        100.0 * settings.margin);
    text += proof.open > 0 ? "" : ", so the best is not proven";
  }
  if (proof.least && goal.objective != search::Objective::node_hours) {
    text += goal.objective == search::Objective::time
                ? ", none below " + seconds_text(*proof.least)
                : fmt::format(", none above efficiency {:.4f}", *proof.least);
  }
  return text + (proof.gap ? fmt::format(" (gap {:.2f} %)\n", 100.0 * *proof.gap) : "\n");
}

std::string sweep_text(const sweep::SweepSettings& settings, const sweep::SweepOutcome& outcome,
                       const StoredSearch& search) {
  std::string text = fmt::format(
      "Evaluated {} of {} ({} without empty processors){}{}{}\n", outcome.evaluated,
      counted(static_cast<std::int64_t>(outcome.candidates), "candidate"), outcome.not_bad,
      outcome.failed > 0 ? fmt::format(", {} failed", outcome.failed) : "",
      outcome.postponed > 0 ? fmt::format(", {} to be tried again", outcome.postponed) : "",
      outcome.exit_code == 0 ? "" : "; stopped early, --resume goes on");
  auto lines = report::answer_lines(search.answer);
  for (const std::string& assumed : model::assumed_texts({outcome.assumed}, {})) {
    lines.emplace(lines.begin(), "Assumed", assumed);
  }
  const AnsweredRun run(search.store.setup.description);
  for (std::size_t i = 1; i < outcome.top.size(); ++i) {
    lines.emplace_back(fmt::format("  no. {}", i + 1),
                       report::answered_text(run.answered(outcome.top[i])));
  }
  text = wrapped(text) + report::aligned_lines(lines);
  if (outcome.proof) {
    text += wrapped(proof_text(*outcome.proof, settings));
  }
  text += front_text(outcome.front, outcome.mode == search::Mode::heuristic);
  if (!outcome.comparison_text.empty()) {
    text += wrapped(outcome.comparison_text) + "\n";
  }
  return text + report::aligned_lines(report::job_lines(search.answer));
}

void write_best_page(const std::filesystem::path& page, const model::Prediction& prediction,
                     const std::optional<model::Timeline>& run) {
  Output html(page.string());
  report::write_html(html.stream(), prediction, prediction_title(prediction),
                     run ? &*run : nullptr);
  html.commit();
}

}  // namespace

int finish_sweep(const sweep::SweepSettings& settings, const sweep::SweepOutcome& outcome,
                 const std::string& rankfile) {
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
    const StoredSearch search = read_search(settings.store, {}, rankfile);
    if (!rankfile.empty() && !search.answer.job) {
      spdlog::warn("--rankfile {}: there is no best grid yet whose nodes are known", rankfile);
    }
    write_rank_files(search);
    print(sweep_text(settings, outcome, search));
    return done;
  });
  return code == done ? outcome.exit_code : code;
}

}  // namespace gridcast::cli
