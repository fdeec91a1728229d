// Options that a site sets once: where they may stand, and which place counts.

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "run.h"

using namespace gridcast::cli::test;
using nlohmann::json;

namespace {

/// A program in an environment with these variables, NAME=VALUE each, and no file of a site but
/// what they name.
Run run_with(const std::vector<std::string>& variables, const std::vector<std::string>& words,
             const std::string& program = GRIDCAST_EXECUTABLE) {
  std::vector<std::string> all{"/usr/bin/env", "GRIDCAST_SITE="};
  all.insert(all.end(), variables.begin(), variables.end());
  all.push_back(program);
  all.insert(all.end(), words.begin(), words.end());
  return run(all);
}

std::string write_machine(const TemporaryDirectory& directory, const std::string& name) {
  write_file(directory / (name + ".par"), "cluster = " + name + ";\n" + name + " = {8 x p};\n" +
                                              name + ".CommType = myrinet (1);\n" + name +
                                              ".TStart = 5;\n" + name + ".TByte = 0.01;\np = 1;\n");
  return directory / (name + ".par");
}

/// Of a prediction in JSON.
std::string machine_of(const Run& run) {
  UNSCOPED_INFO(run.err);
  REQUIRE(run.exit_code == 0);
  return json::parse(run.out)["machine"];
}

const std::vector<std::string> variables{"GRIDCAST_MACHINE",    "GRIDCAST_THREADS",
                                         "GRIDCAST_PLACEMENT",  "GRIDCAST_MEMORY_PER_PROCESSOR",
                                         "GRIDCAST_DURABILITY", "GRIDCAST_GROUP_SIZE",
                                         "GRIDCAST_LOCK_WAIT",  "GRIDCAST_START_LIMIT",
                                         "GRIDCAST_PEER_LIMIT", "GRIDCAST_PROGRESS"};

}  // namespace

TEST_CASE("the command line counts most, then the environment, --config, the file of the site") {
  const TemporaryDirectory directory;
  for (const char* name : {"typed", "exported", "configured", "common"}) {
    write_machine(directory, name);
  }
  const std::string by_environment = "GRIDCAST_MACHINE=" + (directory / "exported.par");
  const std::string by_site = "GRIDCAST_SITE=" + (directory / "site.toml");
  // Relative to the folder of the file.
  write_file(directory / "site.toml", "machine = 'common.par'\nlock-wait = 7\n");
  write_file(directory / "o.toml", "machine = '" + (directory / "configured.par") + "'\n");
  const std::vector<std::string> bare{"predict", jacobi, "--grid", "2x2", "--json", "-"};
  std::vector<std::string> configured = bare;
  configured.insert(configured.end(), {"--config", directory / "o.toml"});
  std::vector<std::string> typed = configured;
  typed.insert(typed.end(), {"-m", directory / "typed.par"});

  CHECK(machine_of(run_with({by_environment, by_site}, typed)) == "typed");
  typed.resize(configured.size());
  typed.push_back("-m" + (directory / "typed.par"));  // one word
  CHECK(machine_of(run_with({by_environment, by_site}, typed)) == "typed");
  CHECK(machine_of(run_with({by_environment, by_site}, configured)) == "exported");
  CHECK(machine_of(run_with({by_site}, configured)) == "configured");
  CHECK(machine_of(run_with({by_site}, bare)) == "common");
  CHECK(machine_of(run_with({by_environment}, bare)) == "exported");
  CHECK(machine_of(run_with({"GRIDCAST_MACHINE=", by_site}, bare)) == "common");
  CHECK(failed_with(run_with({}, bare), 2, {"--machine"}));
  write_file(directory / "site.toml", "");
  CHECK(failed_with(run_with({by_site}, bare), 2, {"--machine"}));
}

TEST_CASE("what a site sets is what the option does") {
  const TemporaryDirectory directory;
  const std::vector<std::string> words{"predict", config("programs/heat3d.toml"),
                                       "--grid",  "4x4x4",
                                       "-m",      config("cluster128x64.par"),
                                       "--set",   "core.Threads={1 (1.0), 4 (0.9)}",
                                       "--json",  "-"};
  for (const auto& [name, option, value] :
       {std::array<std::string, 3>{"GRIDCAST_PLACEMENT", "--placement", "column"},
        std::array<std::string, 3>{"GRIDCAST_THREADS", "--threads", "4"}}) {
    CAPTURE(name);
    std::vector<std::string> typed = words;
    typed.insert(typed.end(), {option, value});
    const Run given = run_gridcast(typed);
    REQUIRE(given.exit_code == 0);
    CHECK(run_with({name + "=" + value}, words).out == given.out);
    CHECK(run_with({}, words).out != given.out);
  }
  // Commands without the option do not ask for it.
  CHECK(run_with({"GRIDCAST_THREADS=x", "GRIDCAST_MACHINE=" + (directory / "none.par")},
                 {"trace", "info", jacobi})
            .exit_code == 0);
  // compare does something else with a machine: it takes none that it was not given.
  REQUIRE(run_gridcast({"predict", jacobi, "-m", config("mvs.par"), "--grid", "2x2", "--json",
                        directory / "a.json"})
              .exit_code == 0);
  const std::vector<std::string> compared{"compare", directory / "a.json", directory / "a.json"};
  CHECK(run_with({"GRIDCAST_MACHINE=" + config("mvs.par")}, compared).out ==
        run_gridcast(compared).out);
}

TEST_CASE("a wrong value is told with its variable or line") {
  const TemporaryDirectory directory;
  const std::vector<std::string> sweep{"sweep",           jacobi,    "-m",
                                       config("mvs.par"), "--store", directory / "s.h5"};
  for (const auto& [setting, expected] : std::vector<std::pair<std::string, std::string>>{
           {"GRIDCAST_DURABILITY=always", "none|process|second"},
           {"GRIDCAST_LOCK_WAIT=-5", "SECONDS"},
           {"GRIDCAST_LOCK_WAIT=soon", "SECONDS"},
           {"GRIDCAST_GROUP_SIZE=1", "N|auto"},
           {"GRIDCAST_MEMORY_PER_PROCESSOR=4XB", "number of bytes"},
           {"GRIDCAST_THREADS=none", "threads"},
           {"GRIDCAST_PLACEMENT=diagonal", "row"},
           {"GRIDCAST_PROGRESS=yes", "auto|always|never"}}) {
    const std::string name = setting.substr(0, setting.find('='));
    CHECK(failed_with(run_with({setting}, sweep), 2,
                      {"gridcast: " + name + ": ", setting.substr(name.size() + 1), expected}));
  }
  CHECK(failed_with(run_with({"GRIDCAST_MACHINE=" + (directory / "none.par")},
                             {"plan", jacobi, "--max-processors", "4"}),
                    2, {"GRIDCAST_MACHINE: ", "none.par"}));
  const std::string site = "GRIDCAST_SITE=" + (directory / "site.toml");
  CHECK(failed_with(run_with({site}, sweep), 2, {"site.toml: "}));
  for (const auto& [line, expected] : std::vector<std::pair<std::string, std::string>>{
           {"durability = 'always'", "none|process|second"},
           {"durability = true", "durability"},
           {"max-processors = 3", "expected one of machine, "},
           {"durability =", "TOML"}}) {
    CAPTURE(line);
    write_file(directory / "site.toml", "lock-wait = 1\n" + line + "\n");
    CHECK(failed_with(run_with({site}, sweep), 2, {"site.toml:2: ", expected}));
  }
  CHECK(failed_with(run_with({"GRIDCAST_START_LIMIT=x"}, {"--kernel"}, MEASURE_EXECUTABLE), 2,
                    {"GRIDCAST_START_LIMIT: "}));
}

TEST_CASE("help and the pages name the variables") {
  const std::string pages = file_text(std::string(GRIDCAST_SOURCE_DIR) + "/docs/commands.md");
  // Wrong values do not keep anyone from reading the help.
  const std::string help = run_with({"GRIDCAST_LOCK_WAIT=x"}, {"sweep", "--help"}).out;
  for (const std::string& name : variables) {
    CAPTURE(name);
    CHECK(contains(help, "$" + name));
    CHECK(contains(pages, "`" + name + "`"));
  }
  CHECK_FALSE(contains(run_gridcast({"compare", "--help"}).out, "GRIDCAST_MACHINE"));
  CHECK(contains(run({MEASURE_EXECUTABLE, "--help"}).out, "$GRIDCAST_START_LIMIT"));
}
