#include <fmt/format.h>
#include <fmt/ranges.h>

#include "assumed.h"
#include "commands.h"
#include "front_text.h"
#include "gridcast/base/readable.h"
#include "gridcast/store/placement.h"
#include "json_text.h"
#include "output.h"
#include "places.h"
#include "run.h"
#include "stored_search.h"
#include "sweep_results.h"

namespace gridcast::cli {
namespace {

struct StatusOptions {
  std::string store;
  std::string json;
};

std::string count_or_unknown(std::int64_t count) {
  return count < 0 ? "unknown" : fmt::format("{}", count);
}

std::string json_count(std::int64_t count) { return count < 0 ? "null" : fmt::format("{}", count); }

std::string row_text(const search::Goal& goal, const std::optional<store::ResultRow>& row) {
  if (!row) {
    return "none yet";
  }
  const double seconds = row->characteristics.execution_time;
  const std::string placement =
      row->placement == 0 ? "" : ", placed by " + row->placed().text(row->rank);
  return fmt::format("{} ({}{}): {}, efficiency {:.4f}{}", row->grid().text(),
                     counted(row->processors, "processor"), placement, seconds_text(seconds),
                     row->characteristics.efficiency, cost_text(goal, row->grid(), seconds));
}

std::string row_json(const std::optional<store::ResultRow>& row) {
  if (!row) {
    return "null";
  }
  const machine::Grid grid = row->grid();
  const std::vector<std::int64_t> extents(grid.extents().begin(), grid.extents().end());
  return fmt::format(
      "{{\"grid\":{},\"processors\":{},\"placement\":{},\"execution_time\":{},"
      "\"efficiency\":{}}}",
      json_array(extents), row->processors, json_string(row->placed().text(row->rank)),
      json_number(row->characteristics.execution_time),
      json_number(row->characteristics.efficiency));
}

std::string ties_text(const StoredSearch& search) {
  std::vector<std::string> grids;
  for (const store::ResultRow& row : search.ties) {
    grids.push_back(row.grid().text());
  }
  return fmt::format("{} within the spread of the traced runs (±{:.2g} %){}{}{}",
                     counted(search.tied, "grid"), 100.0 * search.spread, grids.empty() ? "" : ": ",
                     fmt::join(grids, ", "), search.tied > std::ssize(grids) ? ", …" : "");
}

std::string stored_proof_text(const StoredProof& proof, const std::string& objective) {
  std::string text = fmt::format("{} excluded by bounds, {} open", proof.excluded, proof.open);
  if (proof.least && objective != "node-hours") {
    text += objective == "time" ? ", none below " + seconds_text(*proof.least)
                                : fmt::format(", none above efficiency {:.4f}", *proof.least);
  }
  return text + (proof.gap ? fmt::format(" (gap {:.2f} %)", 100.0 * *proof.gap) : "");
}

std::string stored_proof_json(const std::optional<StoredProof>& proof) {
  const auto number = [](const std::optional<double>& value) {
    return value ? json_number(*value) : std::string("null");
  };
  return proof ? fmt::format("{{\"excluded\":{},\"open\":{},\"least\":{},\"gap\":{}}}",
                             proof->excluded, proof->open, number(proof->least), number(proof->gap))
               : "null";
}

std::string owner_text(const store::LockOwner& owner) {
  return fmt::format("process {} on {}{}", owner.pid, owner.host,
                     owner.job.empty() ? "" : ", Slurm job " + owner.job);
}

std::string status_text(const StoredSearch& search) {
  const store::Store& store = search.store;
  const store::RunDescription& about = store.setup.description;
  std::string text;
  const auto line = [&text](std::string_view name, std::string_view value) {
    text += fmt::format("{:<15}{}\n", name, value);
  };
  line("State", store::name(store.state));
  if (store.owner) {
    line("Writer", owner_text(*store.owner));
  }
  line("Traces", fmt::format("{}", fmt::join(about.traces, ", ")));
  line("Machine", about.machine_name);
  line("Mode", fmt::format("{}, objective {}", about.mode, about.objective));
  if (const std::string conditions = conditions_of(about); !conditions.empty()) {
    line("Conditions", conditions);
  }
  if (const std::string placement = placement_of(about); placement != "row") {
    line("Placement", placement);
  }
  text += assumed_lines(stored_assumptions(about.assumed), about.traces, "Assumed", 15);
  line("Created", store.created);
  if (!store.finished.empty()) {
    line("Finished", store.finished);
  }
  line("Candidates", fmt::format("{}, not bad {}", count_or_unknown(about.candidates),
                                 count_or_unknown(about.not_bad)));
  line("Evaluated", fmt::format("{}, failed {}", search.evaluated, search.failed));
  if (search.to_retry > 0) {
    line("To be retried", fmt::format("{} (want of memory or lost processes)", search.to_retry));
  }
  const search::Goal goal = goal_of(about);
  line("Best", store::has_inputs(store.setup) ? "each variant has its own (see report)"
                                              : row_text(goal, search.best));
  if (search.proof) {
    line("Proof", stored_proof_text(*search.proof, about.objective));
  }
  if (search.spread > 0.0) {
    line("Tie", ties_text(search));
  }
  if (goal.within) {
    line("Within", fmt::format("{} % of the best, fewest processors", 100.0 * *goal.within));
  }
  if (goal.min_efficiency || goal.within) {
    line("Unconstrained", row_text(goal, search.unconstrained));
  }
  return text + front_text(search.front, about.mode == 1);
}

int run_status(const StatusOptions& options) {
  Places().reads_store(options.store).writes("--json", options.json).require_separate();
  std::optional<Output> json;
  if (!options.json.empty()) {
    json.emplace(options.json);
  }
  const StoredSearch search = read_search(options.store);
  if (json) {
    json->stream() << status_json(search);
    json->commit();
  } else {
    print(status_text(search));
  }
  return done;
}

}  // namespace

std::string status_json(const StoredSearch& search) {
  const store::Store& store = search.store;
  const store::RunDescription& about = store.setup.description;
  std::vector<std::string> traces;
  for (const std::string& trace : about.traces) {
    traces.push_back(json_string(trace));
  }
  std::string writer = "null";
  if (store.owner) {
    writer = fmt::format("{{\"host\":{},\"pid\":{},\"job\":{}}}", json_string(store.owner->host),
                         store.owner->pid,
                         store.owner->job.empty() ? "null" : json_string(store.owner->job));
  }
  std::vector<std::string> ties;
  for (const store::ResultRow& row : search.ties) {
    ties.push_back(row_json(row));
  }
  const std::string conditions = conditions_of(about);
  const std::optional<double> within = goal_of(about).within;
  return fmt::format(
      "{{\"schema\":\"gridcast.status/1\",\"state\":{},\"writer\":{},\"trace\":[{}],"
      "\"machine\":{},\"mode\":{},\"objective\":{},\"conditions\":{},\"within\":{},"
      "\"placement\":{},\"assumed\":{},\"created\":{},"
      "\"finished\":{},"
      "\"candidates\":{},\"not_bad\":{},\"evaluated\":{},\"failed\":{},\"to_retry\":{},\"best\":{},"
      "\"unconstrained\":{},\"proof\":{},\"front\":{},\"spread\":{},\"tied\":{},\"ties\":[{}]}}\n",
      json_string(store::name(store.state)), writer, fmt::join(traces, ","),
      json_string(about.machine_name), about.mode, json_string(about.objective),
      conditions.empty() ? "null" : json_string(conditions), within ? json_number(*within) : "null",
      json_string(placement_of(about)), assumed_json(stored_assumptions(about.assumed)),
      json_string(store.created), store.finished.empty() ? "null" : json_string(store.finished),
      json_count(about.candidates), json_count(about.not_bad), search.evaluated, search.failed,
      search.to_retry, row_json(search.best), row_json(search.unconstrained),
      stored_proof_json(search.proof), front_json(search.front),
      search.spread > 0.0 ? json_number(search.spread) : "null", search.tied, fmt::join(ties, ","));
}

int finish_with_status(const std::string& json, const std::string& store,
                       const std::function<int()>& finish) {
  if (json.empty()) {
    return finish();
  }
  int code = done;
  {
    const CapturedText silent(json == "-");
    code = finish();
  }
  if (code == bad_input || !std::filesystem::exists(store)) {
    return code;
  }
  const int written = run_guarded([&] {
    Output output(json);
    output.stream() << status_json(read_search(store));
    output.commit();
    return done;
  });
  return written == done ? code : written;
}

void add_status(CLI::App& app, Session& session) {
  auto options = std::make_shared<StatusOptions>();
  CLI::App& command = add_command(app, session, "status",
                                  "How far the search of a store is: running, finished or killed",
                                  "gridcast status jac.h5 --json -");
  command.add_option("STORE", options->store, "Store (.h5)")->type_name("")->required();
  add_json(command, options->json);
  on_chosen(command, session, options, run_status);
}

}  // namespace gridcast::cli
