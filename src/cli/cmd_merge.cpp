#include <filesystem>

#include "commands.h"
#include "gridcast/store/merge.h"
#include "places.h"
#include "run.h"
#include "stored_search.h"

namespace gridcast::cli {
namespace {

struct MergeOptions {
  std::vector<std::string> inputs;
  std::string store;
};

int run_merge(const MergeOptions& options) {
  Places places;
  for (const std::string& input : options.inputs) {
    places.reads_store(input);
  }
  places.writes_store(options.store).require_usable();
  const std::vector<std::filesystem::path> inputs(options.inputs.begin(), options.inputs.end());
  warn_unreadable(options.store, store::merge(inputs, options.store));
  return done;
}

}  // namespace

void add_merge(CLI::App& app, Session& session) {
  auto options = std::make_shared<MergeOptions>();
  CLI::App& command = add_command(app, session, "merge", "Join stores into a new one",
                                  "gridcast merge part1.h5 part2.h5 --store all.h5");
  command.add_option("STORES", options->inputs, "Stores to join")->type_name("")->required();
  command.add_option("--store", options->store, "The new store")->type_name("S.h5")->required();
  on_chosen(command, session, options, run_merge);
}

}  // namespace gridcast::cli
