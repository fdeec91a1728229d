#include "measure_options.h"

#include "parsing.h"
#include "run_options.h"

namespace gridcast::cli {
namespace {

void add_ratio(CLI::App& app, MeasureOptions& options, Session& session) {
  CLI::App& command =
      add_command(app, session, "ratio",
                  "How many times as fast the second is: two tables, or two traces of a program",
                  "gridcast-measure ratio here.csv there.csv");
  command.add_option("FILES", options.ratio, "Tables of --table, or traces")
      ->expected(2)
      ->type_name("")
      ->required();
  add_json(command, options.json);
  add_config(command, session);
}

}  // namespace

std::unique_ptr<CLI::App> define_measure(MeasureOptions& options, Session& session) {
  auto app = std::make_unique<CLI::App>(
      "Measures processors and networks: run it under mpirun with a rank per core",
      "gridcast-measure");
  app->footer(
      "Examples:\n  mpirun -n 8 gridcast-measure -o here.par --table here.csv --html here.html\n"
      "  gridcast-measure --kernel\n"
      "  gridcast-measure ratio here.csv there.csv");
  add_version(*app);
  add_verbosity(*app, session);
  app->add_option("-o,--output", options.output, "The machine, for predict")
      ->type_name("NEW.par|-");
  app->add_option("--table", options.table, "Speed of the processor, for ratio")
      ->type_name("T.csv|-");
  app->add_option("--html", options.html, "Page with the times of every network")->type_name("F");
  add_json(*app, options.json);
  add_choice<measure::NetworkModel>(
      *app, "--network", options.network,
      {{"ports", measure::NetworkModel::ports}, {"myrinet", measure::NetworkModel::myrinet}},
      "How networks are written (default: ports)");
  app->add_flag("--quick", options.quick, "Fewer sizes and repetitions");
  app->add_flag("--kernel", options.kernel,
                "Times the loops on one core and on all cores of its socket, for core in NEW.par");
  add_start_limit(*app, options.watch);
  add_config(*app, session);
  add_ratio(*app, options, session);
  return app;
}

}  // namespace gridcast::cli
