#include "commands.h"
#include "gridcast/report/search_html.h"
#include "output.h"
#include "places.h"
#include "run.h"
#include "stored_search.h"

namespace gridcast::cli {
namespace {

struct ReportOptions {
  std::string store;
  std::string html;
};

report::SearchPoint point_of(const store::ResultRow& row) {
  const model::Characteristics& sums = row.characteristics;
  return {row.grid(),         sums.execution_time,
          sums.efficiency,    sums.insufficient_parallelism,
          sums.communication, sums.idle};
}

/// The page of a store whose rows have different inputs.
void add_groups(const RowGroups& rows, report::SearchReport& page) {
  for (const RowGroups::Group& group : rows.groups()) {
    report::SearchGroup shown{group.label, group.evaluated, group.failed, std::nullopt};
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
        found->grid = grid;
        found->machine = setup.description.machine_name;
        found->traces = setup.description.traces;
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

int run_report(const ReportOptions& options) {
  Places().reads_store(options.store).writes("--html", options.html).require_separate();
  Output html(options.html);
  report::SearchReport page;
  const store::StoreSetup setup = store::StoreReader(options.store).about().setup;
  RowGroups groups(setup, goal_of(setup.description));
  const StoredSearch search =
      read_search(options.store, [&](const store::ResultRow& row, std::span<const double> extras) {
        if (!extras.empty()) {
          groups.add(row, extras);
        } else if (row.status == store::Status::done) {
          page.points.push_back(point_of(row));
        }
      });
  add_groups(groups, page);
  const store::RunDescription& about = search.store.setup.description;
  page.machine = about.machine_name;
  page.traces = about.traces;
  page.mode = static_cast<int>(about.mode);
  page.objective = about.objective;
  page.min_efficiency = goal_of(about).min_efficiency;
  page.within = goal_of(about).within;
  page.conditions = conditions_of(about);
  page.candidates = about.candidates;
  page.not_bad = about.not_bad;
  page.evaluated = search.evaluated;
  page.complete = search.store.state == store::StoreState::complete;
  if (search.best) {
    page.best = point_of(*search.best);
    if (setup.interval_results && groups.groups().empty()) {
      page.best_prediction = stored_prediction(options.store, search.best->grid());
    }
  }
  if (search.unconstrained) {
    page.unconstrained_best = point_of(*search.unconstrained);
  }
  for (const store::Failure& failure : search.store.failures) {
    page.failures.push_back({machine::Grid::parse(failure.grid), failure.reason});
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
