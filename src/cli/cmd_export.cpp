#include "commands.h"
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
};

int run_export(const ExportOptions& options) {
  Places().reads_store(options.store).writes("--csv", options.csv).require_separate();
  Output csv(options.csv);
  const store::Store store = store::read_store(options.store);
  warn_unreadable(options.store, store.unreadable_rows);
  store::write_csv(csv.stream(), store.table);
  csv.commit();
  return done;
}

}  // namespace

void add_export(CLI::App& app, Session& session) {
  auto options = std::make_shared<ExportOptions>();
  CLI::App& command = add_command(app, session, "export", "Write the results of a store as a table",
                                  "gridcast export jac.h5 --csv jac.csv");
  command.add_option("STORE", options->store, "Store (.h5)")->type_name("")->required();
  command.add_option("--csv", options->csv, "The table, sorted by number of processors and grid")
      ->type_name("F|-")
      ->required();
  on_chosen(command, session, options, run_export);
}

}  // namespace gridcast::cli
