#include <fmt/format.h>

#include "assumed.h"
#include "commands.h"
#include "gridcast/base/error.h"
#include "gridcast/design/factors.h"
#include "gridcast/matching/match.h"
#include "gridcast/nets/program_net.h"
#include "gridcast/predict/assumed.h"
#include "gridcast/report/system.h"
#include "inputs.h"
#include "places.h"
#include "run.h"

namespace gridcast::cli {
namespace {

struct FactorsOptions {
  std::string table;
  design::Question question;
  std::vector<std::string> where;
  design::FactorMethod method = design::FactorMethod::automatic;
  design::SobolOptions sobol;
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
  Outputs outputs = reading(options.table)
                        .writes("--json", options.json)
                        .writes("--html", options.html)
                        .writes("--svg", options.svg)
                        .open();
  const auto table = design::filter(design::open_table(options.table), options.where);
  design::Question question = options.question;
  if (options.command->count("--cases") == 0 && !options.no_cases) {
    question.cases = table->roles().cases;
  }
  const design::Factors factors =
      design::analyse_factors(*table, question, options.method, options.sobol);
  outputs.write("--json", [&](std::ostream& out) { design::write_factors_json(out, factors); });
  outputs.write("--html", [&](std::ostream& out) { design::write_factors_html(out, factors); });
  outputs.write("--svg",
                [&](std::ostream& out) { report::draw_svg(out, design::factors_plot(factors)); });
  if (!outputs.any()) {
    print(design::factors_text(factors));
  }
  return done;
}

int run_components(const ComponentsOptions& options) {
  Outputs outputs =
      reading(options.table).writes("--json", options.json).writes("--svg", options.svg).open();
  const auto table = design::filter(design::open_table(options.table), options.where);
  std::vector<std::string> columns = options.columns;
  if (columns.empty()) {
    columns = table->roles().factors.empty() ? table->columns() : table->roles().factors;
  }
  const design::Components components = design::principal_components(*table, columns);
  outputs.write("--json", [&](std::ostream& out) {
    design::write_components_json(out, components, options.table);
  });
  outputs.write("--svg", [&](std::ostream& out) {
    report::draw_svg(out, design::components_plot(components));
  });
  if (!outputs.any()) {
    print(design::components_text(components));
  }
  return done;
}

struct SystemOptions {
  std::vector<std::string> traces;
  MachineOptions machine;
  std::optional<machine::Grid> grid;
  model::OptionWords model;
  std::size_t samples = 400;
  std::string json, html, svg;
};

struct NetOptions {
  std::string file;
  std::size_t processes = 2;
  std::string json, pnml, svg;
};

struct MatchOptions {
  std::vector<std::string> traces;
  std::vector<std::string> machines;
  matching::MatchSettings settings;
  model::OptionWords model;
  std::string json, html, svg;
};

int run_system(const SystemOptions& options) {
  Outputs outputs = Places()
                        .reads(options.traces)
                        .reads(options.machine.file)
                        .writes("--json", options.json)
                        .writes("--html", options.html)
                        .writes("--svg", options.svg)
                        .open();
  const trace::Program program = load_program(options.traces, options.model);
  model::ResolvedOptions resolved = model::resolve(options.model, program);
  log_warnings(program.warnings);
  const machine::Cluster cluster = load_machine(options.machine);
  const machine::Grid grid = choose_grid(options.grid, cluster);
  settle(resolved, grid.processors());
  model::SystemAnalysis system =
      model::analyse_system(program, cluster, grid, resolved.options, options.samples);
  system.assumed = model::without_conditions(resolved.assumed);
  outputs.write("--json", [&](std::ostream& out) { report::write_system_json(out, system); });
  outputs.write("--html", [&](std::ostream& out) { report::write_system_html(out, system); });
  outputs.write("--svg",
                [&](std::ostream& out) { report::draw_svg(out, report::system_plot(system)); });
  if (!outputs.any()) {
    print(assumed_lines({system.assumed}, {}, "assumed", 8) + report::system_text(system));
  }
  return done;
}

int run_net(const NetOptions& options) {
  Outputs outputs = Places()
                        .reads(options.file)
                        .writes("--json", options.json)
                        .writes("--pnml", options.pnml)
                        .writes("--svg", options.svg)
                        .open();
  nets::Net net = options.file.ends_with(".pnml")
                      ? nets::read_pnml(options.file)
                      : nets::program_net(trace::read_program(options.file), options.processes);
  outputs.write("--pnml", [&](std::ostream& out) { nets::write_pnml(out, net); });
  if (outputs.has("--pnml") && !outputs.has("--json") && !outputs.has("--svg")) {
    return done;
  }
  const nets::NetAnalysis analysis = nets::analyse_net(std::move(net));
  outputs.write("--json", [&](std::ostream& out) { nets::write_net_json(out, analysis); });
  outputs.write("--svg",
                [&](std::ostream& out) { report::draw_svg(out, nets::net_plot(analysis)); });
  if (!outputs.has("--json") && !outputs.has("--svg")) {
    print(nets::net_text(analysis));
  }
  return done;
}

int run_match(const MatchOptions& options) {
  Outputs outputs = Places()
                        .reads(options.traces)
                        .reads(options.machines)
                        .writes("--json", options.json)
                        .writes("--html", options.html)
                        .writes("--svg", options.svg)
                        .open();
  std::vector<matching::NamedProgram> programs;
  for (const std::string& trace : options.traces) {
    trace::Program program = load_program({trace}, options.model);
    model::ResolvedOptions resolved = model::resolve(options.model, program);
    programs.push_back({std::filesystem::path(trace).filename().string(), std::move(program),
                        std::move(resolved)});
  }
  std::vector<matching::NamedMachine> machines;
  for (const std::string& machine : options.machines) {
    machines.push_back(
        {std::filesystem::path(machine).filename().string(), machine::Cluster::read(machine)});
  }
  const matching::Matching matching = matching::match_all(programs, machines, options.settings);
  outputs.write("--json", [&](std::ostream& out) { matching::write_matching_json(out, matching); });
  outputs.write("--html", [&](std::ostream& out) { matching::write_matching_html(out, matching); });
  outputs.write("--svg", [&](std::ostream& out) {
    report::draw_svg(out, matching::matching_plot(matching));
  });
  if (!outputs.any()) {
    print(assumed_lines(matching.assumed, matching.programs, "assumed", 8) +
          matching::matching_text(matching));
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
  command.add_option("--svg", svg, "A picture, drawn by gnuplot")->type_name("F|-");
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
  using design::FactorMethod;
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

void add_system(CLI::App& parent, Session& session) {
  auto options = std::make_shared<SystemOptions>();
  CLI::App& command = add_command(
      parent, session, "system", "Concurrency, balance and utilisation of a program on a machine",
      "gridcast analyse system jac.ptr --machine cluster.par --grid 4x2 --html system.html");
  add_traces(command, options->traces);
  add_machine_options(command, options->machine);
  add_grid(command, options->grid, "Processor grid (default: topology of the machine, else 1)");
  command
      .add_option("--samples", options->samples,
                  "Points of the program between which concurrency is a mean (default: 400)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  add_model_options(command, options->model);
  add_json(command, options->json);
  command.add_option("--html", options->html, "The page")->type_name("F|-");
  add_svg(command, options->svg);
  on_chosen(command, session, options, run_system);
}

void add_net(CLI::App& parent, Session& session) {
  auto options = std::make_shared<NetOptions>();
  CLI::App& command =
      add_command(parent, session, "net", "A program as a place/transition net, or any net in PNML",
                  "gridcast analyse net jac.ptr --processes 2 --pnml jac.pnml");
  command.add_option("INPUT", options->file, "Trace (.ptr) or net (.pnml)")
      ->type_name("")
      ->required();
  command.add_option("--processes", options->processes, "Processes of the net (default: 2)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000));
  command.add_option("--pnml", options->pnml, "The net as PNML")->type_name("F|-");
  add_json(command, options->json);
  add_svg(command, options->svg);
  on_chosen(command, session, options, run_net);
}

void add_match(CLI::App& parent, Session& session) {
  auto options = std::make_shared<MatchOptions>();
  CLI::App& command =
      add_command(parent, session, "match", "Rank machines for programs, programs for machines",
                  "gridcast analyse match jac.ptr sor.ptr --machine a.par --machine b.par");
  command.add_option("TRACE", options->traces, "Traces, each of a program")
      ->type_name("")
      ->required();
  command.add_option("-m,--machine", options->machines, "Machines, one option for each")
      ->type_name("M.par")
      ->required()
      ->allow_extra_args(false);
  command
      .add_option("--processors", options->settings.processors,
                  "Processors (default: of the smallest machine, at most 64)")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command
      .add_option("--factor", options->settings.factor,
                  "How much better a number of a machine is made (default: 2)")
      ->type_name("F")
      ->check(CLI::Range(1.0, 1e6));
  add_model_options(command, options->model);
  add_json(command, options->json);
  command.add_option("--html", options->html, "The page")->type_name("F|-");
  add_svg(command, options->svg);
  on_chosen(command, session, options, run_match);
}

}  // namespace

void add_analyse(CLI::App& app, Session& session) {
  CLI::App& group =
      *app.add_subcommand("analyse", "Factors that matter, the parallel system, matching");
  group.footer("Example:\n  gridcast analyse factors screening.h5 --html factors.html");
  group.require_subcommand(1);
  add_factors(group, session);
  add_components(group, session);
  add_system(group, session);
  add_net(group, session);
  add_match(group, session);
}

}  // namespace gridcast::cli
