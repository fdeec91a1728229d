#include <set>

#include "assumed.h"
#include "commands.h"
#include "gridcast/evaluate/results.h"
#include "gridcast/report/search_html.h"
#include "gridcast/store/run_columns.h"
#include "output.h"
#include "places.h"
#include "question_options.h"
#include "run.h"
#include "stored_numbers.h"
#include "stored_search.h"

namespace gridcast::cli {
namespace {

struct ReportOptions {
  std::string store;
  std::string html;
};

report::SearchPoint point_of(const store::ResultRow& row) {
  const model::Characteristics& sums = row.characteristics;
  return {
      row.grid(),         sums.execution_time, sums.efficiency,    sums.insufficient_parallelism,
      sums.communication, sums.idle,           row.evenness <= 0.0};
}

/// The page has the exact figures of so many grids, and of so many that leave no processor empty.
constexpr std::size_t detailed_grids = 1000;
constexpr std::size_t detailed_full_grids = 200;

/// The best rows by a goal. Grids that miss its conditions come after all others.
class BestRows {
public:
  BestRows(const search::Goal& goal, std::size_t keep) : keep_(keep), rows_(Order{&goal}) {}

  void add(const store::ResultRow& row) {
    if (rows_.size() < keep_ || rows_.key_comp()(row, *rows_.rbegin())) {
      rows_.insert(row);
      if (rows_.size() > keep_) {
        rows_.erase(std::prev(rows_.end()));
      }
    }
  }

  /// The rows of both, in order.
  void merge(const BestRows& other) { rows_.insert(other.rows_.begin(), other.rows_.end()); }

  [[nodiscard]] std::vector<report::DetailedPoint> points() const {
    std::vector<report::DetailedPoint> result;
    result.reserve(rows_.size());
    for (const store::ResultRow& row : rows_) {
      result.push_back({row.grid(), row.characteristics, row.evenness <= 0.0});
    }
    return result;
  }

private:
  struct Order {
    const search::Goal* goal;

    bool operator()(const store::ResultRow& a, const store::ResultRow& b) const {
      const search::Outcome first = sweep::outcome_of(a);
      const search::Outcome second = sweep::outcome_of(b);
      const bool eligible = search::is_eligible(*goal, first);
      return eligible != search::is_eligible(*goal, second)
                 ? eligible
                 : search::is_better(*goal, first, second);
    }
  };

  std::size_t keep_;
  std::set<store::ResultRow, Order> rows_;
};

/// The page of a store whose rows have different inputs.
void add_groups(const RowGroups& rows, report::SearchReport& page) {
  page.factors = rows.factors();
  for (const RowGroups::Group& group : rows.groups()) {
    report::SearchGroup shown{group.label, group.factors, group.evaluated, group.failed,
                              std::nullopt};
    if (group.best) {
      shown.best = point_of(*group.best);
    }
    page.groups.push_back(std::move(shown));
  }
}

/// What a sweep with --intervals has stored about one grid.
std::optional<model::Prediction> stored_prediction(const std::string& path,
                                                   const machine::Grid& grid) {
  store::StoreReader reader(path);
  const store::StoreSetup& setup = reader.about().setup;
  const std::size_t width = setup.intervals.size();
  std::optional<model::Prediction> found;
  reader.read_rows([&](const store::RowBatch& batch) {
    for (std::size_t row = 0; row < batch.rows.size() && !found; ++row) {
      if (batch.rows[row].grid() == grid) {
        found.emplace();
        found->grid = grid.with_threads(1);
        found->threads = grid.threads();
        found->machine = setup.description.machine_name;
        found->traces = setup.description.traces;
        found->assumed = split_words(setup.description.assumed);
        for (std::size_t i = 0; i < width; ++i) {
          model::IntervalResult interval;
          interval.info = setup.intervals[i];
          interval.sums = batch.intervals[row * width + i];
          found->intervals.push_back(std::move(interval));
        }
      }
    }
  });
  return found;
}

/// Where coordinates are, among the conditions: of the run, and of the chosen grid.
void tell_placement(const StoredSearch& search, report::SearchReport& page) {
  const std::string placement = search.options.word("placement");
  if (placement.empty()) {
    return;
  }
  page.conditions += (page.conditions.empty() ? "--placement " : " --placement ") + placement;
  if (search.best) {
    page.conditions += " (the best: " + search.best->placed().text(search.best->rank) + ")";
  }
}

/// The members of a set in order, the first that is at least `number` by `next(number)`.
template <class Next>
std::vector<report::NumberRun> runs_of(const Next& next) {
  std::vector<report::NumberRun> runs;
  for (std::optional<std::int64_t> number = next(1); number; number = next(*number + 1)) {
    if (!runs.empty() && runs.back().first == runs.back().last) {
      runs.back().step = *number - runs.back().last;
    }
    if (!runs.empty() && *number - runs.back().last == runs.back().step) {
      runs.back().last = *number;
    } else {
      runs.push_back({*number, *number, 1});
    }
  }
  return runs;
}

/// Which numbers of processors and extents the conditions of a search admit, as far as that does
/// not depend on the program.
void tell_conditions(const store::RunDescription& about, report::SearchProof& proof) {
  constexpr std::int64_t most_told = 1 << 24;
  const sweep::Questions questions = read_conditions(proof.conditions);
  proof.of_program = questions.memory_per_processor || questions.min_block != "0";
  search::Conditions conditions;
  conditions.processors = questions.processors;
  conditions.fixed = questions.fixed;
  conditions.divides = questions.divides;
  if (questions.whole_nodes) {
    const auto cluster = machine::Cluster::parse(about.machine, about.machine_name);
    conditions.whole_nodes = std::make_shared<machine::NodeList>(cluster, cluster.processors());
  }
  if (!conditions.any() || proof.max_processors >= most_told) {
    return;
  }
  const std::int64_t last = proof.max_processors;
  proof.numbers =
      runs_of([&](std::int64_t number) { return conditions.next_number(number, last); });
  for (std::size_t dim = 0; dim < machine::max_grid_rank; ++dim) {
    proof.extents.push_back(runs_of([&](std::int64_t extent) -> std::optional<std::int64_t> {
      while (extent <= last && !conditions.admits_extent(dim, extent)) {
        ++extent;
      }
      return extent <= last ? std::optional(extent) : std::nullopt;
    }));
  }
}

std::optional<report::SearchProof> proof_on_page(const StoredSearch& search) {
  const store::RunDescription& about = search.store.setup.description;
  if (!search.proof) {
    // Where all candidates have rows the conditions exclude the others.
    const bool all = about.mode == 3 && search.store.state == store::StoreState::complete &&
                     !search.options.conditions.empty() && search.options.max_processors > 0;
    if (!all) {
      return std::nullopt;
    }
  }
  report::SearchProof proof;
  proof.max_processors = search.options.max_processors;
  proof.conditions = search.options.conditions;
  if (search.proof) {
    const store::Proof& stored = search.store.proof.value();
    proof.max_processors = stored.max_processors;
    proof.shown = *search.proof;
    proof.margin = search.options.margin;
    proof.boxes = stored.boxes;
  }
  tell_conditions(about, proof);
  return proof;
}

int run_report(const ReportOptions& options) {
  report::require_charts();
  Places().reads_store(options.store).writes("--html", options.html).require_usable();
  Output html(options.html);
  report::SearchReport page;
  const store::StoreSetup setup = store::StoreReader(options.store).about().setup;
  const search::Goal goal = goal_of(setup);
  RowGroups groups(setup, goal);
  StoredNumbers numbers(setup);
  BestRows best(goal, detailed_grids);
  BestRows best_full(goal, detailed_full_grids);
  const StoredSearch search =
      read_search(options.store, [&](const store::ResultRow& row, std::span<const double> extras) {
        if (store::has_inputs(setup)) {
          groups.add(row, extras);
          numbers.add(row, extras);
        } else if (row.status == store::Status::done) {
          page.points.push_back(point_of(row));
          best.add(row);
          if (row.evenness > 0.0) {
            best_full.add(row);
          }
        }
      });
  best.merge(best_full);
  page.details = best.points();
  add_groups(groups, page);
  page.numbers = std::move(numbers).take(options.store);
  const store::RunDescription& about = search.store.setup.description;
  page.machine = about.machine_name;
  page.traces = about.traces;
  page.assumed = assumed_lines(stored_assumptions(about.assumed), about.traces, "Assumed:", 9);
  page.mode = static_cast<int>(about.mode);
  page.objective = about.objective;
  page.min_efficiency = goal.min_efficiency;
  page.within = goal.within;
  page.conditions = search.options.conditions;
  tell_placement(search, page);
  page.threads = store::has_threads(setup);
  page.candidates = about.candidates;
  page.not_bad = about.not_bad;
  page.below_min_block = search.options.excluded;
  page.evaluated = search.evaluated;
  page.proof = proof_on_page(search);
  page.front = search.front;
  page.complete = search.store.state == store::StoreState::complete;
  if (search.best) {
    page.best_sums = search.best->characteristics;
    if (setup.interval_results && groups.groups().empty()) {
      page.best_prediction = stored_prediction(options.store, search.best->grid());
    }
  }
  page.answer = search.answer;
  for (const store::Failure& failure : search.store.failures) {
    page.failures.push_back({machine::Grid::parse_text(failure.grid), failure.reason});
  }
  report::write_search_html(html.stream(), page);
  html.commit();
  return done;
}

}  // namespace

void add_report(CLI::App& app, Session& session) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App& command =
      add_command(app, session, "report", "Write a page about the search of a store",
                  "gridcast report jac.h5 --html search.html");
  command.add_option("STORE", options->store, "Store (.h5)")->type_name("")->required();
  command.add_option("--html", options->html, "The page")->type_name("F")->required();
  on_chosen(command, session, options, run_report);
}

}  // namespace gridcast::cli
