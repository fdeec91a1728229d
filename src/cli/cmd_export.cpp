#include <optional>

#include "commands.h"
#include "gridcast/base/error.h"
#include "gridcast/store/csv.h"
#include "output.h"
#include "places.h"
#include "run.h"
#include "stored_search.h"

namespace gridcast::cli {
namespace {

struct ExportOptions {
  std::string store;
  std::string csv;
  std::string json_lines;
  bool intervals = false;
};

int run_export(const ExportOptions& options) {
  if (options.csv.empty() && options.json_lines.empty()) {
    throw InputError("export without a place for the table", "expected --csv F or --jsonl F");
  }
  Outputs outputs = Places()
                        .reads_store(options.store)
                        .writes("--csv", options.csv)
                        .writes("--jsonl", options.json_lines)
                        .open();
  const store::Store store = store::read_store(options.store, options.intervals);
  warn_unreadable(options.store, store.unreadable_rows);
  const auto rows =
      options.intervals ? store::TableRows::intervals : store::TableRows::configurations;
  outputs.write("--csv", [&](std::ostream& out) { store::write_csv(out, store.table, rows); });
  outputs.write("--jsonl",
                [&](std::ostream& out) { store::write_json_lines(out, store.table, rows); });
  return done;
}

}  // namespace

void add_export(CLI::App& app, Session& session) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App& command = add_command(app, session, "export", "Write the results of a store as a table",
                                  "gridcast export jac.h5 --csv jac.csv");
  command.add_option("STORE", options->store, "Store (.h5)")->type_name("")->required();
  command.add_option("--csv", options->csv, "The table, sorted by number of processors and grid")
      ->type_name("F|-");
  command.add_option("--jsonl", options->json_lines, "The same as lines of JSON")->type_name("F|-");
  command.add_flag("--intervals", options->intervals,
                   "A line for every interval of each grid (of a sweep with --intervals)");
  on_chosen(command, session, options, run_export);
}

}  // namespace gridcast::cli
