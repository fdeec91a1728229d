#include "stored_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "gridcast/base/error.h"
#include "gridcast/base/readable.h"
#include "gridcast/evaluate/results.h"
#include "gridcast/machine/threads.h"
#include "gridcast/store/run_columns.h"
#include "robust_answer.h"

namespace gridcast::cli {
namespace {

/// Takes the rows of a store once more, when it is known which grid was chosen.
class SecondPass {
public:
  SecondPass(const search::Goal& goal, StoredSearch& search, AnswerMaker& maker)
      : goal_(&goal), search_(&search), maker_(&maker) {
    if (maker.best() && search.options.spread > 0.0 && goal.objective == search::Objective::time) {
      last_tied_ = maker.best()->execution_time * (1.0 + search.options.spread);
    }
  }

  void take(const store::ResultRow& row) {
    maker_->compare(sweep::outcome_of(row));
    if (maker_->best() && row.grid() == maker_->best()->grid) {
      search_->best = row;
    }
    if (last_tied_) {
      find_tie(sweep::outcome_of(row));
    }
  }

  /// The fastest of the grids that cannot be told from the best.
  [[nodiscard]] const std::vector<search::Outcome>& ties() const noexcept { return ties_; }

private:
  /// Grids that cannot be told from the best: their times overlap where both are a spread shorter
  /// and longer. Rows that compete by time alone.
  void find_tie(const search::Outcome& outcome) {
    constexpr std::size_t most_listed = 10;
    if (!search::is_eligible(*goal_, outcome) || outcome.grid == maker_->best()->grid ||
        outcome.execution_time * (1.0 - search_->options.spread) > *last_tied_) {
      return;
    }
    ++search_->tied;
    const auto slower = [](const search::Outcome& a, const search::Outcome& b) {
      return std::pair(a.execution_time, a.grid.text()) <
             std::pair(b.execution_time, b.grid.text());
    };
    ties_.insert(std::ranges::upper_bound(ties_, outcome, slower), outcome);
    ties_.resize(std::min(ties_.size(), most_listed));
  }

  const search::Goal* goal_;
  StoredSearch* search_;
  AnswerMaker* maker_;
  std::optional<double> last_tied_;
  std::vector<search::Outcome> ties_;
};

/// Rows count as they are now: a run that went on and was killed has more than the proof knows of.
std::optional<search::Proof> proof_of(const search::Goal& goal, const StoredSearch& search) {
  const std::optional<store::Proof>& stored = search.store.proof;
  const std::int64_t candidates = search.store.setup.description.candidates;
  if (!stored || candidates < 0) {
    return std::nullopt;
  }
  search::Proof proof;
  const auto rest =
      static_cast<std::uint64_t>(std::max<std::int64_t>(0, candidates - search.evaluated));
  proof.excluded =
      stored->boxes.empty() ? rest : std::min(rest, static_cast<std::uint64_t>(stored->excluded));
  const bool complete = search.store.state == store::StoreState::complete;
  (complete ? proof.left : proof.open) = rest - proof.excluded;
  if (rest == proof.excluded) {
    proof.gap = 0.0;
    return proof;
  }
  const double sign = goal.objective == search::Objective::efficiency ? -1.0 : 1.0;
  double least = std::numeric_limits<double>::infinity();
  for (const search::OpenBox& box : stored->boxes) {
    if (std::isnan(box.bound)) {
      return proof;
    }
    least = std::min(least, sign * box.bound);
  }
  proof.least = sign * least;
  if (search.best) {
    const double reached = cost(goal, sweep::outcome_of(*search.best));
    proof.gap = least < reached && reached != 0.0 ? (reached - least) / std::abs(reached) : 0.0;
  }
  return proof;
}

/// What the rows say about the shares that the store was asked for. A share that was settled once
/// stays settled; where all candidates have rows nothing is open.
std::vector<search::FrontEntry> front_of(const search::FrontSteps& steps,
                                         const store::Store& store) {
  const store::RunDescription& about = store.setup.description;
  if (about.mode == 0 || store::has_inputs(store.setup) || steps.nodes == nullptr) {
    return {};
  }
  std::vector<double> shares(search::default_front.begin(), search::default_front.end());
  if (store.front) {
    shares.clear();
    for (const store::FrontEntry& entry : *store.front) {
      if (shares.empty() || shares.back() != entry.within) {
        shares.push_back(entry.within);
      }
    }
  }
  const bool all = store.state == store::StoreState::complete &&
                   (about.mode == 2 || about.mode == 3 || about.mode == 5);
  std::vector<search::FrontState> states(shares.size(), {all, 1});
  for (const store::FrontEntry& entry : store.front.value_or(store::Front{})) {
    const auto at = std::ranges::find(shares, entry.within);
    if (!entry.by_nodes && at != shares.end()) {
      search::FrontState& state = states[static_cast<std::size_t>(at - shares.begin())];
      state = {state.proven || entry.proven, entry.at_least};
    }
  }
  return search::make_front(steps, shares, states);
}

/// Nodes are known for the threads that the run chose among.
void require_known_threads(const std::filesystem::path& path, std::span<const std::int32_t> threads,
                           const store::ResultRow& row) {
  if (std::ranges::find(threads, row.threads()) == threads.end()) {
    throw RunError(path.string(),
                   "has a row of " + counted(row.threads(), "thread") +
                       " a process, which its run did not choose among",
                   "the file is damaged; restore it from a copy");
  }
}

/// Numbers of threads that the rows of a store may have: those of all of its runs.
std::vector<std::int32_t> threads_in(const store::StoreSetup& setup) {
  std::vector<std::int32_t> threads = stored_threads(setup.description);
  for (const store::RunDescription& run : setup.sources) {
    std::ranges::copy(stored_threads(run), std::back_inserter(threads));
  }
  std::ranges::sort(threads);
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
  return threads;
}

}  // namespace

std::vector<std::int32_t> stored_threads(const store::RunDescription& description) {
  return machine::parse_threads(store::StoredOptions::read(description.options).threads);
}

search::Goal goal_of(const store::StoreSetup& setup) {
  const store::RunDescription& description = setup.description;
  search::Goal goal;
  for (const auto objective : {search::Objective::efficiency, search::Objective::node_hours}) {
    if (description.objective == search::name(objective)) {
      goal.objective = objective;
    }
  }
  const auto options = store::StoredOptions::read(description.options);
  goal.min_efficiency = options.min_efficiency;
  goal.within = options.within;
  if (goal.objective == search::Objective::node_hours) {
    const auto cluster = machine::Cluster::parse(description.machine, description.machine_name);
    goal.nodes =
        std::make_shared<machine::NodeList>(cluster, cluster.processors(), threads_in(setup));
  }
  return goal;
}

void warn_unreadable(const std::filesystem::path& path, std::int64_t rows) {
  if (rows > 0) {
    spdlog::warn(
        "{}: {} rows of its journal cannot be read and are left out: they were not yet on "
        "disk (--resume evaluates them again)",
        path.string(), rows);
  }
}

bool is_label(std::string_view name) {
  return name == "variant" || name == "source" || name == "trace" || name == "machine";
}

RowGroups::RowGroups(const store::StoreSetup& setup, search::Goal goal)
    : setup_(&setup), goal_(std::move(goal)) {
  // How a grid is run is a result, and its columns the last.
  inputs_ = static_cast<std::size_t>(std::ranges::find_if(setup.extra_columns, store::tells_run) -
                                     setup.extra_columns.begin());
}

void RowGroups::add(const store::ResultRow& row, std::span<const double> extras) {
  extras = extras.first(inputs_);
  const auto [at, is_new] = groups_.try_emplace({extras.begin(), extras.end()});
  Group& group = at->second;
  if (is_new) {
    group.label = label(extras);
    for (std::size_t i = 0; i < extras.size(); ++i) {
      if (!is_label(setup_->extra_columns[i].name)) {
        group.factors.push_back(extras[i]);
      }
    }
  }
  const search::Outcome outcome = sweep::outcome_of(row);
  ++group.evaluated;
  group.failed += outcome.failed ? 1 : 0;
  if (search::is_eligible(goal_, outcome) &&
      (!group.best || search::is_better(goal_, outcome, sweep::outcome_of(*group.best)))) {
    group.best = row;
  }
}

std::string RowGroups::label(std::span<const double> extras) const {
  std::string text;
  for (std::size_t i = 0; i < extras.size(); ++i) {
    const std::string& name = setup_->extra_columns[i].name;
    if (!is_label(name)) {
      continue;
    }
    text += text.empty() ? "" : ", ";
    if (name == "source" && extras[i] >= 0.0 &&
        extras[i] < static_cast<double>(setup_->sources.size())) {
      const store::RunDescription& run = setup_->sources[static_cast<std::size_t>(extras[i])];
      text +=
          fmt::format("{} on {}, mode {}", fmt::join(run.traces, ", "), run.machine_name, run.mode);
    } else {
      text += fmt::format("{} {}", name, extras[i]);
    }
  }
  return text;
}

std::vector<RowGroups::Group> RowGroups::groups() const {
  std::vector<Group> result;
  for (const auto& [values, group] : groups_) {
    result.push_back(group);
  }
  return result;
}

std::vector<std::string> RowGroups::factors() const {
  std::vector<std::string> names;
  for (const store::ExtraColumn& column : std::span(setup_->extra_columns).first(inputs_)) {
    if (!is_label(column.name)) {
      names.push_back(column.name);
    }
  }
  return names;
}

StoredSearch read_search(const std::filesystem::path& path, const TakeRow& take,
                         const std::string& rankfile) {
  store::StoreReader reader(path);
  StoredSearch result;
  const search::Goal goal = goal_of(reader.about().setup);
  const std::vector<std::int32_t> threads = threads_in(reader.about().setup);
  // Rows of different inputs (data sets, merged stores) do not.
  const bool rows_compete = !store::has_inputs(reader.about().setup);
  const AnsweredRun run(reader.about().setup.description);
  AnswerMaker maker(run, goal);
  search::FrontSteps steps(goal, run.nodes());
  reader.read_rows([&](const store::RowBatch& batch) {
    const std::size_t width = batch.extras.size() / std::max<std::size_t>(batch.rows.size(), 1);
    for (std::size_t i = 0; i < batch.rows.size(); ++i) {
      const store::ResultRow& row = batch.rows[i];
      require_known_threads(path, threads, row);
      ++result.evaluated;
      result.failed += row.status == store::Status::failed ? 1 : 0;
      if (rows_compete) {
        maker.add(sweep::outcome_of(row));
        steps.add(sweep::outcome_of(row));
      }
      if (take) {
        take(row, std::span(batch.extras).subspan(i * width, width));
      }
    }
  });
  result.store = reader.about();
  const store::RunDescription& about = result.store.setup.description;
  result.to_retry = std::count_if(
      result.store.failures.begin(), result.store.failures.end(),
      [](const store::Failure& failure) { return store::is_temporary(failure.cause); });
  warn_unreadable(path, result.store.unreadable_rows);
  result.options = store::StoredOptions::read(about.options);
  if (rows_compete) {
    if (const std::optional<store::Best>& chosen = result.store.best) {
      require_known_threads(path, threads, chosen->chosen);
      require_known_threads(path, threads, chosen->unconstrained);
      maker.choose(sweep::outcome_of(chosen->chosen), sweep::outcome_of(chosen->unconstrained));
    } else {
      maker.choose(std::nullopt, std::nullopt);
    }
    SecondPass second(goal, result, maker);
    reader.read_rows([&](const store::RowBatch& batch) {
      std::ranges::for_each(batch.rows, [&](const auto& row) { second.take(row); });
    });
    result.answer = maker.answer(rankfile);
    if (const auto& robust = result.store.robustness; robust && is_about(*robust, result.answer)) {
      result.answer.robust = robust_sentence(*robust);
    }
    for (const search::Outcome& tied : second.ties()) {
      result.ties.push_back(run.answered(tied));
    }
  }
  result.proof = proof_of(goal, result);
  result.front = front_of(steps, result.store);
  return result;
}

}  // namespace gridcast::cli
