#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "assumed.h"
#include "commands.h"
#include "front_text.h"
#include "gridcast/base/error.h"
#include "gridcast/base/json_writer.h"
#include "gridcast/base/readable.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/store/run_columns.h"
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

std::optional<std::int64_t> known_count(std::int64_t count) {
  return count < 0 ? std::nullopt : std::optional(count);
}

void put_answered_list(JsonWriter& json, const std::vector<report::AnsweredGrid>& grids) {
  json.begin_array(Layout::line);
  for (const report::AnsweredGrid& grid : grids) {
    report::put_answered(json, grid);
  }
  json.end_array();
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
  const search::Proof& proof = *search.proof;
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

void put_proof(JsonWriter& json, const StoredSearch& search) {
  const search::Proof& proof = *search.proof;
  json.begin_object(Layout::line);
  json.member("excluded", proof.excluded);
  json.member("open", proof.open);
  json.member("left", proof.left);
  json.member("margin", search.options.margin);
  json.member("least", proof.least);
  json.member("gap", proof.gap);
  json.end_object();
}

void put_owner(JsonWriter& json, const store::LockOwner& owner) {
  json.begin_object(Layout::line);
  json.member("host", owner.host);
  json.member("pid", owner.pid);
  json.text_or_null("job", owner.job);
  json.end_object();
}

/// What the store says about the run that made it.
void put_run(JsonWriter& json, const StoredSearch& search) {
  const store::Store& store = search.store;
  const store::RunDescription& about = store.setup.description;
  const store::StoredOptions& options = search.options;
  const std::string placement = options.word("placement");
  json.member("state", store::name(store.state));
  json.key("writer");
  store.owner ? put_owner(json, *store.owner) : json.null();
  json.member("trace", about.traces);
  json.member("machine", about.machine_name);
  json.member("mode", about.mode);
  json.member("objective", about.objective);
  json.text_or_null("conditions", options.conditions);
  json.member("within", options.within);
  json.key("excluded");
  json.begin_object(Layout::line);
  if (options.excluded) {
    json.member("min-block", *options.excluded);
  }
  json.end_object();
  json.member("placement", placement.empty() ? "row" : placement);
  json.member("threads", stored_threads(about));
  json.key("assumed");
  model::write_assumed(json, stored_assumptions(about.assumed));
  json.member("created", store.created);
  json.text_or_null("finished", store.finished);
  json.member("candidates", known_count(about.candidates));
  json.member("not_bad", known_count(about.not_bad));
}

/// What its rows answer.
void put_answer(JsonWriter& json, const StoredSearch& search) {
  const report::Answer& answer = search.answer;
  const auto grid = [&json](const char* name, const std::optional<report::AnsweredGrid>& answered) {
    json.key(name);
    report::put_answered(json, answered);
  };
  grid("best", answer.best);
  grid("unconstrained", answer.unconstrained);
  json.key("proof");
  search.proof ? put_proof(json, search) : json.null();
  json.key("front");
  put_front(json, search.front);
  json.member("spread",
              search.options.spread > 0.0 ? std::optional(search.options.spread) : std::nullopt);
  json.member("tied", search.tied);
  json.key("ties");
  put_answered_list(json, search.ties);
  grid("runner_up", answer.runner_up);
  json.member("runner_up_gap", answer.runner_up ? std::optional(answer.gap) : std::nullopt);
  grid("none_empty", answer.full);
  json.key("near_best");
  put_answered_list(json, answer.near_best);
  json.key("job");
  report::put_job(json, answer.job);
  json.key("robust");
  answer.robust.empty() ? json.null() : put_robustness(json, *search.store.robustness);
}

int run_status(const StatusOptions& options) {
  Places places;
  places.reads_store(options.store).writes("--json", options.json);
  Outputs outputs = claim_rank_files(places, options.rankfile).open();
  const StoredSearch search = read_search(options.store, {}, options.rankfile);
  if (!options.rankfile.empty() && !search.answer.job) {
    throw InputError(options.store + " has no best grid whose nodes are known",
                     "expected --rankfile with the store of one search");
  }
  write_rank_files(search);
  outputs.write("--json", [&](std::ostream& out) { write_status(out, search); });
  if (!outputs.has("--json")) {
    print(status_text(search));
  }
  return done;
}

}  // namespace

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

void write_status(std::ostream& out, const StoredSearch& search) {
  JsonWriter json(out);
  json.begin_object(Layout::compact);
  json.member("schema", "gridcast.status/1");
  put_run(json, search);
  json.member("evaluated", search.evaluated);
  json.member("failed", search.failed);
  json.member("to_retry", search.to_retry);
  put_answer(json, search);
  json.end_object();
  out << '\n';
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
    write_status(output.stream(), read_search(store, {}, rankfile));
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
