#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "assumed.h"
#include "commands.h"
#include "front_text.h"
#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/store/run_columns.h"
#include "json_text.h"
#include "output.h"
#include "places.h"
#include "rank_files.h"
#include "robust_answer.h"
#include "run.h"
#include "stored_search.h"

namespace gridcast::cli {
namespace {

struct StatusOptions {
  std::string store;
  std::string json;
  std::string rankfile;
};

std::string count_or_unknown(std::int64_t count) {
  return count < 0 ? "unknown" : fmt::format("{}", count);
}

std::string json_count(std::int64_t count) { return count < 0 ? "null" : fmt::format("{}", count); }

std::string answered_json(const std::optional<report::AnsweredGrid>& grid) {
  return json_text([&](JsonWriter& json) { report::put_answered(json, grid); });
}

std::string answered_list_json(const std::vector<report::AnsweredGrid>& grids) {
  return json_text([&](JsonWriter& json) {
    json.begin_array(Layout::line);
    for (const report::AnsweredGrid& grid : grids) {
      report::put_answered(json, grid);
    }
    json.end_array();
  });
}

std::string ties_text(const StoredSearch& search) {
  std::vector<std::string> grids;
  for (const report::AnsweredGrid& each : search.ties) {
    grids.push_back(each.grid.text());
  }
  return fmt::format("{} within the spread of the traced runs (±{:.2g} %){}{}{}",
                     counted(search.tied, "grid"), 100.0 * search.options.spread,
                     grids.empty() ? "" : ": ", fmt::join(grids, ", "),
                     search.tied > std::ssize(grids) ? ", …" : "");
}

std::string stored_proof_text(const StoredSearch& search, const std::string& objective) {
  const StoredProof& proof = *search.proof;
  std::string text = fmt::format("{} excluded by bounds, ", proof.excluded);
  text += proof.left > 0 ? fmt::format("{} left by a margin of {:g} %: not proven", proof.left,
                                       100.0 * search.options.margin.value_or(0.0))
                         : fmt::format("{} open", proof.open);
  if (proof.least && objective != "node-hours") {
    text += objective == "time" ? ", none below " + seconds_text(*proof.least)
                                : fmt::format(", none above efficiency {:.4f}", *proof.least);
  }
  return text + (proof.gap ? fmt::format(" (gap {:.2f} %)", 100.0 * *proof.gap) : "");
}

std::string stored_proof_json(const StoredSearch& search) {
  const std::optional<StoredProof>& proof = search.proof;
  const auto number = [](const std::optional<double>& value) {
    return value ? json_number(*value) : std::string("null");
  };
  return proof ? fmt::format(
                     "{{\"excluded\":{},\"open\":{},\"left\":{},\"margin\":{},"
                     "\"least\":{},\"gap\":{}}}",
                     proof->excluded, proof->open, proof->left, number(search.options.margin),
                     number(proof->least), number(proof->gap))
               : "null";
}

std::string owner_text(const store::LockOwner& owner) {
  return fmt::format("process {} on {}{}", owner.pid, owner.host,
                     owner.job.empty() ? "" : ", Slurm job " + owner.job);
}

std::string status_text(const StoredSearch& search) {
  const store::Store& store = search.store;
  const store::RunDescription& about = store.setup.description;
  std::vector<std::pair<std::string, std::string>> lines;
  const auto line = [&lines](const char* name, std::string value) {
    lines.emplace_back(name, std::move(value));
  };
  line("State", store::name(store.state));
  if (store.owner) {
    line("Writer", owner_text(*store.owner));
  }
  line("Traces", fmt::format("{}", fmt::join(about.traces, ", ")));
  line("Machine", about.machine_name);
  line("Mode", fmt::format("{}, objective {}", about.mode, about.objective));
  if (!search.options.conditions.empty()) {
    line("Conditions", search.options.conditions);
  }
  if (const std::string placement = search.options.word("placement"); !placement.empty()) {
    line("Placement", placement);
  }
  if (store::has_threads(store.setup)) {
    line("Threads", machine::threads_text(stored_threads(about)) + " of a process");
  }
  for (const std::string& assumed :
       model::assumed_texts(stored_assumptions(about.assumed), about.traces)) {
    line("Assumed", assumed);
  }
  if (const std::optional<double>& within = search.options.within) {
    line("Within", fmt::format("{} % of the best, fewest processors", 100.0 * *within));
  }
  line("Created", store.created);
  if (!store.finished.empty()) {
    line("Finished", store.finished);
  }
  line("Candidates",
       fmt::format("{}, {} of them without empty processors", count_or_unknown(about.candidates),
                   count_or_unknown(about.not_bad)));
  line("Evaluated", fmt::format("{}, failed {}", search.evaluated, search.failed));
  if (search.to_retry > 0) {
    line("To be retried", fmt::format("{} (want of memory or lost processes)", search.to_retry));
  }
  if (const auto& excluded = search.options.excluded) {
    line("Excluded", counted(*excluded, "candidate") + " by --min-block");
  }
  if (store::has_inputs(store.setup)) {
    line("Best grid", "each variant has its own (see report)");
    return report::aligned_lines(lines);
  }
  const auto append = [&lines](std::vector<std::pair<std::string, std::string>> more) {
    std::ranges::move(more, std::back_inserter(lines));
  };
  append(report::answer_lines(search.answer));
  if (search.proof) {
    line("Proof", stored_proof_text(search, about.objective));
  }
  if (search.options.spread > 0.0) {
    line("Tie", ties_text(search));
  }
  return report::aligned_lines(lines) + front_text(search.front, about.mode == 1) +
         report::aligned_lines(report::job_lines(search.answer));
}

int run_status(const StatusOptions& options) {
  Places places;
  places.reads_store(options.store).writes("--json", options.json);
  claim_rank_files(places, options.rankfile).require_usable();
  std::optional<Output> json;
  if (!options.json.empty()) {
    json.emplace(options.json);
  }
  const StoredSearch search = read_search(options.store, {}, options.rankfile);
  if (!options.rankfile.empty() && !search.answer.job) {
    throw InputError(options.store + " has no best grid whose nodes are known",
                     "expected --rankfile with the store of one search");
  }
  write_rank_files(search);
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
  const store::StoredOptions& options = search.options;
  const std::string placement = options.word("placement");
  const report::Answer& answer = search.answer;
  return fmt::format(
      "{{\"schema\":\"gridcast.status/1\",\"state\":{},\"writer\":{},\"trace\":[{}],"
      "\"machine\":{},\"mode\":{},\"objective\":{},\"conditions\":{},\"within\":{},"
      "\"excluded\":{{{}}},"
      "\"placement\":{},\"threads\":[{}],\"assumed\":{},\"created\":{},"
      "\"finished\":{},"
      "\"candidates\":{},\"not_bad\":{},\"evaluated\":{},\"failed\":{},\"to_retry\":{},\"best\":{},"
      "\"unconstrained\":{},\"proof\":{},\"front\":{},\"spread\":{},\"tied\":{},\"ties\":{},"
      "\"runner_up\":{},\"runner_up_gap\":{},\"none_empty\":{},\"near_best\":{},\"job\":{},"
      "\"robust\":{}}}\n",
      json_string(store::name(store.state)), writer, fmt::join(traces, ","),
      json_string(about.machine_name), about.mode, json_string(about.objective),
      options.conditions.empty() ? "null" : json_string(options.conditions),
      options.within ? json_number(*options.within) : "null",
      options.excluded ? fmt::format("\"min-block\":{}", *options.excluded) : "",
      json_string(placement.empty() ? "row" : placement),
      machine::threads_text(stored_threads(about)), assumed_json(stored_assumptions(about.assumed)),
      json_string(store.created), store.finished.empty() ? "null" : json_string(store.finished),
      json_count(about.candidates), json_count(about.not_bad), search.evaluated, search.failed,
      search.to_retry, answered_json(answer.best), answered_json(answer.unconstrained),
      stored_proof_json(search), front_json(search.front),
      search.options.spread > 0.0 ? json_number(search.options.spread) : "null", search.tied,
      answered_list_json(search.ties), answered_json(answer.runner_up),
      answer.runner_up ? json_number(answer.gap) : "null", answered_json(answer.full),
      answered_list_json(answer.near_best),
      json_text([&](JsonWriter& json) { report::put_job(json, answer.job); }),
      answer.robust.empty() ? "null" : json_text([&](JsonWriter& json) {
        put_robustness(json, *store.robustness);
      }));
}

int finish_with_status(const std::string& json, const std::string& store,
                       const std::function<int()>& finish, const std::string& rankfile) {
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
    output.stream() << status_json(read_search(store, {}, rankfile));
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
  add_rankfile(command, options->rankfile);
  on_chosen(command, session, options, run_status);
}

}  // namespace gridcast::cli
