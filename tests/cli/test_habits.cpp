// What every command has: JSON, options from a file, completion, a manual page, suggestions. Goes
// over the definition of the command line, as the manual pages list it.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "run.h"

using namespace gridcast::cli::test;
using nlohmann::json;

namespace {

/// The page of every command that does something, without its ending: "gridcast-trace-info".
std::vector<std::string> command_pages(const TemporaryDirectory& directory) {
  REQUIRE(run_gridcast({"manual", directory / "man"}).exit_code == 0);
  std::vector<std::string> pages;
  for (const std::string& name : names_in(directory / "man")) {
    pages.push_back(name.substr(0, name.size() - std::string(".1").size()));
  }
  // A group such as "trace" is one whose name begins others; gridcast-measure works by itself, too.
  std::vector<std::string> commands;
  std::copy_if(pages.begin(), pages.end(), std::back_inserter(commands),
               [&](const std::string& page) {
                 return page == "gridcast-measure" ||
                        std::none_of(pages.begin(), pages.end(), [&](const std::string& other) {
                          return other.starts_with(page + "-");
                        });
               });
  return commands;
}

/// The words that the page of a command is about: "gridcast trace info", "gridcast-measure ratio".
std::vector<std::string> words_of_page(const std::string& page) {
  const std::string measure = "gridcast-measure";
  std::vector<std::string> words;
  std::string rest = page;
  if (page.starts_with(measure)) {
    words.push_back(measure);
    rest = page.substr(measure.size());
  }
  std::replace(rest.begin(), rest.end(), '-', ' ');
  std::istringstream stream(rest);
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

/// Runs the program that the first word names.
Run run_named(std::vector<std::string> words) {
  const std::string program = words.front();
  words.erase(words.begin());
  if (program == "predictor") {
    return run_predictor(words);
  }
  if (program == "gridcast-measure") {
    words.insert(words.begin(), MEASURE_EXECUTABLE);
    return run(words);
  }
  return run_gridcast(words);
}

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

/// What bash offers behind a line that ends at the cursor.
std::vector<std::string> offered(const std::string& script, const std::string& line) {
  std::string function = "_" + line.substr(0, line.find(' '));
  std::replace(function.begin(), function.end(), '-', '_');
  const std::string program = "source " + script + "; COMP_WORDS=(" + line +
                              "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); " + function +
                              "; printf '%s\\n' \"${COMPREPLY[@]}\"";
  const Run shown = run({"/bin/bash", "-c", program});
  INFO(shown.err);
  REQUIRE(shown.exit_code == 0);
  return words_in(shown.out);
}

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

TEST_CASE("every command has JSON, options from a file, and a page that man reads") {
  const TemporaryDirectory directory;
  const std::vector<std::string> pages = command_pages(directory);
  CHECK(has(pages, "gridcast-sweep"));
  CHECK(has(pages, "gridcast-measure"));
  CHECK(has(pages, "gridcast-measure-ratio"));
  REQUIRE(pages.size() >= 30);
  for (const std::string& page : pages) {
    CAPTURE(page);
    const std::string text = file_text(directory / "man" + "/" + page + ".1");
    CHECK(text.starts_with(".TH "));
    CHECK(contains(text, ".SH EXAMPLE"));
    std::vector<std::string> words = words_of_page(page);
    words.emplace_back("--help");
    const Run help = run_named(words);
    CHECK(help.exit_code == 0);
    if (page == "predictor") {  // the historical command line stays as it was
      CHECK(contains(text, "\\fIOUT.html\\fR"));
      continue;
    }
    CHECK(contains(help.out, "--json"));
    CHECK(contains(help.out, "--config"));
    CHECK(contains(text, "\\fB\\-\\-json\\fR"));
  }
}

TEST_CASE("commands without JSON of their own write what they say") {
  const TemporaryDirectory directory;
  const Run info = run_gridcast({"trace", "info", jacobi});
  const Run as_json = run_gridcast({"trace", "info", jacobi, "--json", "-"});
  REQUIRE(as_json.exit_code == 0);
  const json result = json::parse(as_json.out);
  CHECK(result["schema"] == "gridcast.result/1");
  CHECK(result["command"] == "gridcast trace info");
  CHECK(result["exit_code"] == 0);
  std::string text;
  for (const json& line : result["lines"]) {
    text += line.get<std::string>() + "\n";
  }
  CHECK(text == info.out);
  const std::string trace = directory / "t.ptr";
  REQUIRE(run_gridcast({"trace", "generate", config("programs/sor.toml"), "-o", trace, "--json",
                        directory / "made.json"})
              .exit_code == 0);
  CHECK(json::parse(file_text(directory / "made.json"))["exit_code"] == 0);
  CHECK(failed_with(run_gridcast({"trace", "info", directory / "none.ptr", "--json", "-"}), 2,
                    {"none.ptr"}));
}

TEST_CASE("sweep writes the state of its store as JSON, alone on standard output") {
  const TemporaryDirectory directory;
  const Run swept =
      run_gridcast({"sweep", config("programs/jacobi1d.toml"), "-m", config("mvs.par"),
                    "--max-processors", "8", "--store", directory / "s.h5", "-q", "--json", "-"});
  REQUIRE(swept.exit_code == 0);
  const Run status = run_gridcast({"status", directory / "s.h5", "--json", "-"});
  CHECK(json::parse(swept.out)["best"] == json::parse(status.out)["best"]);
  CHECK(json::parse(swept.out)["state"] == "complete");
}

TEST_CASE("completion of bash knows commands, options and words") {
  const TemporaryDirectory directory;
  const std::string script = directory / "gridcast.bash";
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const Run printed = run_gridcast({"completion", shell});
    REQUIRE(printed.exit_code == 0);
    CHECK(contains(printed.out, "node-hours"));
    CHECK(contains(printed.out, "memory-per-processor"));
    if (shell == "bash") {
      write_file(script, printed.out);
    }
    // Each program of the package.
    CHECK(contains(printed.out, "gridcast-measure"));
    CHECK(contains(printed.out, "myrinet"));
  }
  CHECK(has(offered(script, "gridcast sw"), "sweep"));
  CHECK(offered(script, "gridcast trace gen") == std::vector<std::string>{"generate"});
  CHECK(has(offered(script, "gridcast sweep a.ptr --mac"), "--machine"));
  CHECK(offered(script, "gridcast sweep a.ptr --objective node") ==
        std::vector<std::string>{"node-hours"});
  CHECK(has(offered(script, "gridcast machine time m.par --fr"), "--from"));
  // bash splits --objective=node into three words.
  CHECK(offered(script, "gridcast sweep a.ptr --objective = node") ==
        std::vector<std::string>{"node-hours"});
  CHECK(has(offered(script, "gridcast sweep a.ptr --objective ="), "efficiency"));
  CHECK(has(offered(script, "gridcast examples ''"), "sor"));
  CHECK(offered(script, "gridcast examples hea") == std::vector<std::string>{"heat3d"});
  CHECK(offered(script, "gridcast completion z") == std::vector<std::string>{"zsh"});
  CHECK(run_gridcast({"completion", "tcsh"}).exit_code == 2);
}

TEST_CASE("completion of bash offers every command and its options") {
  const TemporaryDirectory directory;
  const std::string script = directory / "gridcast.bash";
  write_file(script, run_gridcast({"completion", "bash"}).out);
  for (const std::string& page : command_pages(directory)) {
    INFO(page);
    if (page == "predictor") {
      continue;  // takes files only
    }
    std::string line;
    for (const std::string& word : words_of_page(page)) {
      line += (line.empty() ? "" : " ") + word;
    }
    if (const std::size_t last = line.find_last_of(' '); last != std::string::npos) {
      CHECK(has(offered(script, line), line.substr(last + 1)));
    }
    for (const char* option : {"--help", "--json", "--config", "--quiet"}) {
      CHECK(has(offered(script, line + " " + option), option));
    }
  }
}

TEST_CASE("options come from a file, and the command line counts more") {
  const TemporaryDirectory directory;
  const std::string file = directory / "sweep.toml";
  write_file(file, "trace = '" + config("programs/heat3d.toml") + "'\nmachine = '" +
                       config("cluster128x64.par") +
                       "'\nmax-processors = 16\nparam = ['n=20', 'steps=2']\nwithin = '5%'\n"
                       "whole-nodes = false\nquiet = true\nset = ['node.TStart=1', "
                       "'cluster128x64.TStart=3']\n");
  const Run from_file = run_gridcast({"sweep", "--config", file, "--store", directory / "a.h5"});
  INFO(from_file.err);
  REQUIRE(from_file.exit_code == 0);
  const Run by_hand = run_gridcast(
      {"sweep", config("programs/heat3d.toml"), "-m", config("cluster128x64.par"),
       "--max-processors", "16", "--param", "n=20", "--param", "steps=2", "--within", "5%", "-q",
       "--set", "node.TStart=1", "cluster128x64.TStart=3", "--store", directory / "b.h5"});
  REQUIRE(by_hand.exit_code == 0);
  CHECK(from_file.out == by_hand.out);
  const Run other = run_gridcast({"sweep", "--config=" + file, "--max-processors", "4", "--store",
                                  directory / "c.h5", "--json", "-"});
  REQUIRE(other.exit_code == 0);
  CHECK(json::parse(other.out)["candidates"] == 13);  // ordered triples with a product up to 4
  write_file(file, "max_processors = 3\n");
  CHECK(failed_with(run_gridcast({"sweep", "--config", file, "--store", directory / "d.h5"}), 2,
                    {"sweep.toml:1", "max_processors", "did you mean max-processors?"}));
  write_file(file, "machine = true\n");
  CHECK(failed_with(run_gridcast({"sweep", "--config", file, "--store", directory / "d.h5"}), 2,
                    {"sweep.toml:1", "machine"}));
  write_file(file, "machine =\n");
  CHECK(failed_with(run_gridcast({"sweep", "--config", file, "--store", directory / "d.h5"}), 2,
                    {"sweep.toml:1"}));
  CHECK(failed_with(run_gridcast({"plan", "--config", directory / "none.toml"}), 2, {"none.toml"}));
}

TEST_CASE("what is mistyped is told") {
  CHECK(failed_with(run_gridcast({"predit", "a.ptr"}), 2, {"did you mean predict?"}));
  CHECK(failed_with(run_gridcast({"trace", "generat"}), 2, {"did you mean generate?"}));
  CHECK(failed_with(run_gridcast({"predict", "a.ptr", "-m", "m.par", "--gird", "4"}), 2,
                    {"did you mean --grid?"}));
  CHECK_FALSE(contains(run_gridcast({"xyzzy"}).err, "did you mean"));
  // A word of an option's name says more than letters that are alike.
  CHECK(failed_with(
      run_gridcast({"sweep", "a.ptr", "-m", "m.par", "--store", "s.h5", "--nodes", "4"}), 2,
      {"did you mean --whole-nodes?"}));
  CHECK(failed_with(run({MEASURE_EXECUTABLE, "ratoi", "a.csv", "b.csv"}), 2,
                    {"did you mean ratio?"}));
  CHECK(failed_with(run({MEASURE_EXECUTABLE, "--qiuck"}), 2, {"did you mean --quick?"}));
}

TEST_CASE("examples are listed and copied, and their steps run") {
  const TemporaryDirectory directory;
  const Run list = run_gridcast({"examples"});
  REQUIRE(list.exit_code == 0);
  for (const std::string folder : {"programs", "messages"}) {
    for (const std::string& file : names_in(config(folder))) {
      CHECK(has(words_in(list.out), file.substr(0, file.find('.'))));
    }
  }
  CHECK(contains(list.out, "\ncg           Conjugate gradients for a five-point equation\n"));
  REQUIRE(run_gridcast({"examples", "cg", "--directory", directory / "cg"}).exit_code == 0);
  CHECK(names_in(directory / "cg") ==
        std::vector<std::string>{"cg.toml", "cluster.par", "steps.sh"});
  CHECK(failed_with(run_gridcast({"examples", "cg", "--directory", directory / "cg"}), 2,
                    {"cg.toml", "is there already"}));
  CHECK(failed_with(run_gridcast({"examples", "nothing"}), 2, {"nothing"}));
  CHECK(failed_with(run_gridcast({"examples", "jacobi2"}), 2, {"did you mean jacobi2d?"}));
}

TEST_CASE("examples are found where there is no /proc") {
  const auto without_proc = [](const std::string& command) {
    return run({"unshare", "--mount", "sh", "-c", "mount -t tmpfs none /proc && " + command});
  };
  if (without_proc("true").exit_code != 0) {
    WARN("skipped: nothing can be mounted here");
    return;
  }
  const std::string listed = run_gridcast({"examples"}).out;
  const std::filesystem::path program = GRIDCAST_EXECUTABLE;
  const std::string folder = program.parent_path();
  CHECK(without_proc("exec " + program.string() + " examples").out == listed);
  CHECK(without_proc("cd " + folder + " && ./gridcast examples").out == listed);
  CHECK(without_proc("PATH=/bin:" + folder + " gridcast examples").out == listed);
}

TEST_CASE("messages are coloured on terminals only, and nowhere with NO_COLOR") {
  const TemporaryDirectory directory;
  const std::string gridcast = GRIDCAST_EXECUTABLE;
  const std::string fails = gridcast + " predict none.ptr -m none.par";
  const std::string informs = gridcast + " trace generate " + config("programs/sor.toml") +
                              " --set n=20 -o " + (directory / "t.ptr");
  // `script` runs a command on a terminal of its own.
  const auto on_terminal = [](const std::string& settings, const std::string& command) {
    return run({"/usr/bin/script", "--quiet", "--command",
                "env -u COLORTERM -u NO_COLOR TERM=xterm " + settings + " " + command, "/dev/null"})
        .out;
  };
  const std::string escape = "\033[";
  for (const std::string& command : {fails, informs}) {
    CAPTURE(command);
    CHECK(contains(on_terminal("", command), escape));
    CHECK(contains(on_terminal("NO_COLOR=", command), escape));  // empty: as if it were not set
    const std::string plain = on_terminal("NO_COLOR=1", command);
    CHECK(contains(plain, "gridcast: "));
    CHECK_FALSE(contains(plain, escape));
    const Run piped = run({"/bin/sh", "-c", "TERM=xterm " + command});
    CHECK(contains(piped.err, "gridcast: "));
    CHECK_FALSE(contains(piped.err, escape));
  }
}
