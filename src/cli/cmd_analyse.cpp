#include <fmt/format.h>

#include "commands.h"
#include "gridcast/analyse/factors.h"
#include "output.h"
#include "places.h"
#include "run.h"

namespace gridcast::cli {
namespace {

struct FactorsOptions {
  std::string table;
  analyse::Question question;
  std::vector<std::string> where;
  analyse::FactorMethod method = analyse::FactorMethod::automatic;
  analyse::SobolOptions sobol;
  bool no_cases = false;
  std::string json, html, svg;
  CLI::App* command = nullptr;
};

struct ComponentsOptions {
  std::string table;
  std::vector<std::string> columns;
  std::vector<std::string> where;
  std::string json, svg;
};

/// An output is named and opened before the work begins.
class Wanted {
public:
  explicit Wanted(const std::string& place) {
    if (!place.empty()) {
      output_ = std::make_unique<Output>(place);
    }
  }
  template <class Write>
  void write(Write&& write) {
    if (output_) {
      write(output_->stream());
      output_->commit();
    }
  }

private:
  std::unique_ptr<Output> output_;
};

/// A store is read with its journal, a CSV file by itself.
Places reading(const std::string& table) {
  Places places;
  if (table.ends_with(".h5")) {
    places.reads_store(table);
  } else {
    places.reads(table);
  }
  return places;
}

int run_factors(const FactorsOptions& options) {
  reading(options.table)
      .writes("--json", options.json)
      .writes("--html", options.html)
      .writes("--svg", options.svg)
      .require_separate();
  Wanted json(options.json);
  Wanted html(options.html);
  Wanted svg(options.svg);
  const auto table = analyse::filter(analyse::open_table(options.table), options.where);
  analyse::Question question = options.question;
  if (options.command->count("--cases") == 0 && !options.no_cases) {
    question.cases = table->roles().cases;
  }
  const analyse::Factors factors =
      analyse::analyse_factors(*table, question, options.method, options.sobol);
  json.write([&](std::ostream& out) { analyse::write_factors_json(out, factors); });
  html.write([&](std::ostream& out) { analyse::write_factors_html(out, factors); });
  svg.write([&](std::ostream& out) { out << analyse::factors_picture(factors); });
  if (options.json.empty() && options.html.empty() && options.svg.empty()) {
    print(analyse::factors_text(factors));
  }
  return done;
}

int run_components(const ComponentsOptions& options) {
  reading(options.table)
      .writes("--json", options.json)
      .writes("--svg", options.svg)
      .require_separate();
  Wanted json(options.json);
  Wanted svg(options.svg);
  const auto table = analyse::filter(analyse::open_table(options.table), options.where);
  std::vector<std::string> columns = options.columns;
  if (columns.empty()) {
    columns = table->roles().factors.empty() ? table->columns() : table->roles().factors;
  }
  const analyse::Components components = analyse::principal_components(*table, columns);
  json.write(
      [&](std::ostream& out) { analyse::write_components_json(out, components, options.table); });
  svg.write([&](std::ostream& out) { out << analyse::components_picture(components); });
  if (options.json.empty() && options.svg.empty()) {
    print(analyse::components_text(components));
  }
  return done;
}

void add_table(CLI::App& command, std::string& table) {
  command.add_option("TABLE", table, "Store (.h5) or CSV file with a line of names")
      ->type_name("")
      ->required();
}

void add_where(CLI::App& command, std::vector<std::string>& where) {
  command.add_option("--where", where, "Only rows with these values, e.g. p1=4")
      ->type_name("COLUMN=NUMBER")
      ->take_all();
}

void add_svg(CLI::App& command, std::string& svg) {
  command.add_option("--svg", svg, "The picture by itself")->type_name("F|-");
}

void add_factors(CLI::App& parent, Session& session) {
  auto options = std::make_shared<FactorsOptions>();
  CLI::App& command =
      add_command(parent, session, "factors", "Find the factors that matter in a table of runs",
                  "gridcast analyse factors screening.h5 --html factors.html");
  options->command = &command;
  add_table(command, options->table);
  command
      .add_option("--response", options->question.response,
                  "Column to explain (default: execution_time of a store)")
      ->type_name("NAME");
  command
      .add_option("--factors", options->question.factors,
                  "Columns that were varied (default: those of the design, all others of a CSV)")
      ->type_name("A,B,...")
      ->delimiter(',');
  command
      .add_option(
          "--cases", options->question.cases,
          "Columns that tell experiments apart (default: trace, machine and grid of a store)")
      ->type_name("A,B,...")
      ->delimiter(',')
      ->excludes(
          command.add_flag("--no-cases", options->no_cases, "Take all rows for one experiment"));
  add_where(command, options->where);
  using analyse::FactorMethod;
  add_choice(command, "--method", options->method,
             {{"auto", FactorMethod::automatic},
              {"effects", FactorMethod::effects},
              {"sobol", FactorMethod::sobol}},
             "Main effects or Sobol' indices (default: by the design)");
  command
      .add_option("--bootstrap", options->sobol.replicates,
                  "Samples of the bootstrap (default: 1000)")
      ->type_name("N")
      ->check(CLI::Range(0, 100000));
  command.add_option("--seed", options->sobol.seed, "Random numbers of the bootstrap (default: 0)")
      ->type_name("N");
  add_json(command, options->json);
  command.add_option("--html", options->html, "The page")->type_name("F|-");
  add_svg(command, options->svg);
  on_chosen(command, session, options, run_factors);
}

void add_components(CLI::App& parent, Session& session) {
  auto options = std::make_shared<ComponentsOptions>();
  CLI::App& command =
      add_command(parent, session, "components", "Principal components of columns of a table",
                  "gridcast analyse components runs.csv --columns a,b,c");
  add_table(command, options->table);
  command
      .add_option("--columns", options->columns,
                  "Columns (default: factors of a store, all of a CSV)")
      ->type_name("A,B,...")
      ->delimiter(',');
  add_where(command, options->where);
  add_json(command, options->json);
  add_svg(command, options->svg);
  on_chosen(command, session, options, run_components);
}

}  // namespace

void add_analyse(CLI::App& app, Session& session) {
  CLI::App& group =
      *app.add_subcommand("analyse", "Factors that matter, the parallel system, matching");
  group.footer("Example:\n  gridcast analyse factors screening.h5 --html factors.html");
  group.require_subcommand(1);
  add_factors(group, session);
  add_components(group, session);
}

}  // namespace gridcast::cli
