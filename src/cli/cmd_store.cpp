#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "commands.h"
#include "gridcast/base/readable.h"
#include "gridcast/store/repair.h"
#include "output.h"
#include "run.h"

namespace gridcast::cli {
namespace {

void print_findings(const store::Inspection& inspection) {
  for (const std::string& finding : inspection.findings) {
    print(finding + "\n");
  }
}

int run_store_check(const std::string& path) {
  const store::Inspection inspection = store::inspect_store(path);
  print_findings(inspection);
  if (inspection.sound) {
    return done;
  }
  print(fmt::format("{} can be read, {} cannot\n", counted(inspection.rows, "row"),
                    inspection.missing));
  return failed;
}

int run_store_repair(const std::string& path) {
  const store::Repair repair = store::repair_store(path);
  print_findings(repair.before);
  if (!repair.done) {
    print("nothing to repair\n");
    return done;
  }
  for (const std::filesystem::path& kept : repair.kept) {
    print(fmt::format("{}: what was there before\n", kept.string()));
  }
  print(fmt::format("{}: repaired, {}, {} lost\n", path, counted(repair.rows, "row"),
                    repair.before.missing));
  spdlog::warn("go on with --resume: it evaluates {} and completes the store",
               repair.before.missing > 0 ? counted(repair.before.missing, "row") + " again"
                                         : std::string("what may be missing"));
  return done;
}

}  // namespace

void add_store(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand("store", "Look for damage in a store, repair it");
  command.footer("Example:\n  gridcast store check jac.h5");
  command.require_subcommand(1);
  using Run = int (*)(const std::string&);
  const auto add = [&](const char* name, const char* about, const char* example, Run run) {
    auto path = std::make_shared<std::string>();
    CLI::App& part = add_command(command, session, name, about, example);
    part.add_option("STORE", *path, "Store (.h5)")->type_name("")->required();
    on_chosen(part, session, path, run);
  };
  add("check", "Verify every byte of a store and its journal; exit code 1 if it is damaged",
      "gridcast store check jac.h5", run_store_check);
  add("repair", "Put a store of all rows that are whole in the place of a damaged one",
      "gridcast store repair jac.h5", run_store_repair);
}

}  // namespace gridcast::cli
